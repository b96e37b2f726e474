#include "ui/features/picture_dialog.h"

#include <fmt/format.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <utility>

#include "ui/look/dialog_parts.h"

namespace lanescope {

namespace {

constexpr const char* kPictureTitle = "Save a picture";
constexpr int kMinSize = 320;
constexpr int kMaxSize = 8192;
constexpr std::array<std::pair<int, int>, 4> kSizes = {
    {{1280, 720}, {1920, 1080}, {2560, 1440}, {3840, 2160}}};

}  // namespace

std::string picture_name() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    std::array<char, 64> text{};
    std::strftime(text.data(), text.size(), "lanescope-%Y%m%d-%H%M%S.png", &local);
    std::error_code code;
    const auto path = std::filesystem::absolute(text.data(), code);
    return code ? std::string(text.data()) : path.string();
}

void PictureDialog::show(int width, int height, float scale) {
    wanted_ = true;
    window_width_ = width;
    window_height_ = height;
    request_ = {width, height, scale, picture_name()};
}

void PictureDialog::draw_sizes(const Look& look) {
    dialog_label(look, "Size");
    const auto sized = [&](int width, int height) {
        return request_.width == width && request_.height == height;
    };
    const auto size_choice = [&](const std::string& text, int width, int height) {
        if (dialog_choice(look, text.c_str(), sized(width, height)))
            std::tie(request_.width, request_.height) = std::pair(width, height);
        const ImVec2 min = ImGui::GetItemRectMin();
        const ImVec2 max = ImGui::GetItemRectMax();
        choices_.push_back({text, {min.x, min.y, max.x, max.y}});
        ImGui::SameLine(0, look.px(6));
    };
    choices_.clear();
    size_choice("As the window", window_width_, window_height_);
    for (const auto& [width, height] : kSizes)
        size_choice(fmt::format("{}×{}", width, height), width, height);
    ImGui::NewLine();
    dialog_label(look, "");
    ImGui::SetNextItemWidth(look.px(90));
    ImGui::InputInt("##width", &request_.width, 0);
    ImGui::SameLine(0, look.px(6));
    ImGui::TextUnformatted("×");
    ImGui::SameLine(0, look.px(6));
    ImGui::SetNextItemWidth(look.px(90));
    ImGui::InputInt("##height", &request_.height, 0);
    ImGui::SameLine(0, look.px(10));
    ImGui::TextDisabled("pixels");
    dialog_label(look, "Interface");
    for (const float scale : {1.0f, 1.5f, 2.0f, 3.0f}) {
        if (dialog_choice(look, fmt::format("{:.0f} %", double{scale} * 100).c_str(),
                          request_.scale == scale))
            request_.scale = scale;
        ImGui::SameLine(0, look.px(6));
    }
    ImGui::NewLine();
}

std::optional<PictureRequest> PictureDialog::draw(const Look& look) {
    if (std::exchange(wanted_, false)) ImGui::OpenPopup(kPictureTitle);
    ImGui::SetNextWindowSize({look.px(600), 0}, ImGuiCond_Always);
    ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Always, {0.5f, 0.5f});
    shown_ = ImGui::BeginPopupModal(
        kPictureTitle, nullptr,
        ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    if (!shown_) return std::nullopt;
    std::optional<PictureRequest> result;

    draw_sizes(look);
    dialog_label(look, "File");
    ImGui::SetNextItemWidth(-1);
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    const bool entered =
        ImGui::InputText("##file", &request_.path, ImGuiInputTextFlags_EnterReturnsTrue);
    // Regardless of the focus.
    const bool enter = ImGui::IsKeyPressed(ImGuiKey_Enter, false) && !ImGui::IsWindowAppearing();
    ImGui::Dummy({0, look.px(4)});

    const bool good = request_.width >= kMinSize && request_.height >= kMinSize * 3 / 4 &&
                      request_.width <= kMaxSize && request_.height <= kMaxSize;
    if (!good) {
        ImGui::TextDisabled("From %d×%d to %d×%d pixels", kMinSize, kMinSize * 3 / 4, kMaxSize,
                            kMaxSize);
    } else {
        ImGui::TextDisabled("Enter saves, Esc leaves");
    }
    const float button = look.px(86);
    ImGui::SameLine(ImGui::GetWindowWidth() - 3 * button - 2 * look.px(8) - look.px(12));
    const bool leaves =
        ImGui::Button("Cancel", {button, 0}) || ImGui::IsKeyPressed(ImGuiKey_Escape);
    ImGui::SameLine(0, look.px(8));
    ImGui::BeginDisabled(!good);
    if (ImGui::Button("Copy", {button, 0})) {
        result = request_;
        result->path.clear();
    }
    ImGui::SameLine(0, look.px(8));
    ImGui::BeginDisabled(request_.path.empty());
    const bool saves = (entered || enter) && !leaves && !result;
    if (ImGui::Button("Save", {button, 0}) || (saves && good && !request_.path.empty()))
        result = request_;
    ImGui::EndDisabled();
    ImGui::EndDisabled();
    if (result || leaves) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return result;
}

}  // namespace lanescope
