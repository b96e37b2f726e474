#include "ui/features/save_dialog.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "ui/look/dialog_parts.h"

namespace lanescope {

namespace fs = std::filesystem;

namespace {

constexpr float kSaveWidth = 600;
constexpr const char* kSaveTitle = "Save";

bool exists(const std::string& path) {
    std::error_code code;
    return fs::symlink_status(path, code).type() != fs::file_type::not_found;
}

}  // namespace

void SaveDialog::show(SaveRequest request, std::vector<std::string> inputs) {
    request_ = std::move(request);
    inputs_ = std::move(inputs);
    wanted_ = true;
}

// Why nothing can be saved at this path; empty: it can.
std::string SaveDialog::problem() const {
    std::error_code code;
    if (request_.path.empty()) return "A name is needed.";
    if (exists(request_.path) && !fs::is_regular_file(request_.path, code))
        return "This is not a file.";
    if (std::ranges::any_of(inputs_, [&](const std::string& input) {
            return fs::equivalent(request_.path, input, code);
        }))
        return "This is the open trace.";
    const fs::path folder = fs::path(request_.path).parent_path();
    if (!folder.empty() && !fs::is_directory(folder, code)) return "There is no such folder.";
    return {};
}

std::optional<SaveRequest> SaveDialog::draw(const Look& look) {
    if (std::exchange(wanted_, false)) ImGui::OpenPopup(kSaveTitle);
    shown_ = begin_dialog(look, kSaveTitle, kSaveWidth);
    if (!shown_) return std::nullopt;
    dialog_label(look, request_.what.c_str());
    ImGui::SetNextItemWidth(-1);
    if (to_field_ || ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    ImGui::InputText("##file", &request_.path);
    // Regardless of the focus.
    const bool enter = ImGui::IsKeyPressed(ImGuiKey_Enter, false) && !ImGui::IsWindowAppearing();
    ImGui::Dummy({0, look.px(4)});
    const std::string why_not = problem();
    const bool replaces = why_not.empty() && exists(request_.path);
    ImGui::TextDisabled("%s", !why_not.empty() ? why_not.c_str()
                              : replaces       ? "This file exists, and will be replaced."
                                               : "Enter saves, Esc leaves");
    const float button = look.px(86);
    ImGui::SameLine(ImGui::GetWindowWidth() - 2 * button - look.px(8) - look.px(12));
    const bool leaves =
        ImGui::Button("Cancel", {button, 0}) || ImGui::IsKeyPressed(ImGuiKey_Escape);
    ImGui::SameLine(0, look.px(8));
    ImGui::BeginDisabled(!why_not.empty());
    const bool pressed = ImGui::Button(replaces ? "Replace" : "Save", {button, 0});
    ImGui::EndDisabled();
    std::optional<SaveRequest> result;
    if (why_not.empty() && !leaves && (pressed || enter)) result = std::move(request_);
    to_field_ = enter && !result && !leaves;  // Enter has left it
    if (result || leaves) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return result;
}

}  // namespace lanescope
