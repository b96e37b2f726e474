#include "ui/platform/file_dialog.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/format.h"
#include "core/base/url.h"

namespace lanescope {

namespace fs = std::filesystem;

namespace {

constexpr const char* kTitle = "Open a trace";
constexpr const char* kPathHint = "A path, or ssh://host/path";
constexpr std::array<std::string_view, 6> kEndings = {".json",  ".gz",   ".zst",
                                                      ".trace", ".zstd", ".pt"};

bool may_be_trace(std::string_view name) {
    return std::any_of(kEndings.begin(), kEndings.end(),
                       [&](std::string_view e) { return name.ends_with(e); });
}

}  // namespace

std::vector<FolderEntry> list_folder(const std::string& folder, bool every_file) {
    std::vector<FolderEntry> entries;
    std::error_code code;
    for (fs::directory_iterator at(folder, fs::directory_options::skip_permission_denied, code),
         end;
         at != end; at.increment(code)) {
        if (code) break;
        FolderEntry entry;
        entry.name = at->path().filename().string();
        if (entry.name.starts_with('.')) continue;
        std::error_code ignored;
        entry.is_folder = at->is_directory(ignored);
        if (!entry.is_folder && !every_file && !may_be_trace(entry.name)) continue;
        if (!entry.is_folder) entry.bytes = at->file_size(ignored);
        if (ignored) entry.bytes = 0;
        entries.push_back(std::move(entry));
    }
    std::sort(entries.begin(), entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
        return a.is_folder != b.is_folder ? a.is_folder : a.name < b.name;
    });
    return entries;
}

void FileDialog::show(const std::string& folder) {
    wanted_ = true;
    if (folder_.empty() || !folder.empty()) {
        std::error_code code;
        enter(folder.empty() ? fs::current_path(code).string() : folder);
    } else {
        enter(folder_);
    }
}

void FileDialog::refuse(std::string problem) {
    wanted_ = true;
    problem_ = std::move(problem);
}

void FileDialog::enter(const std::string& folder) {
    folder_ = fs::path(folder).lexically_normal().string();
    if (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
    typed_ = folder_;
    entries_ = list_folder(folder_, every_file_);
    chosen_ = -1;
    problem_.clear();
}

// The files and folders; returns the one that is opened.
std::optional<std::string> FileDialog::draw_entries(const Look& look) {
    std::optional<std::string> result;
    const float below = ImGui::GetFrameHeightWithSpacing() + look.px(6);
    std::string next_folder;
    if (ImGui::BeginChild("entries", {0, -below}, ImGuiChildFlags_NavFlattened)) {
        for (int i = 0; i < static_cast<int>(entries_.size()); ++i) {
            const FolderEntry& entry = entries_[static_cast<std::size_t>(i)];
            const std::string label = entry.is_folder ? entry.name + "/" : entry.name;
            const std::string path =
                folder_ == "/" ? folder_ + entry.name : folder_ + "/" + entry.name;
            const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
            if (ImGui::Selectable(label.c_str(), chosen_ == i,
                                  ImGuiSelectableFlags_AllowDoubleClick)) {
                chosen_ = i;
                typed_ = path;
                if (entry.is_folder) {
                    next_folder = path;
                } else if (ImGui::IsMouseDoubleClicked(0) ||
                           ImGui::IsKeyPressed(ImGuiKey_Enter, false)) {
                    result = path;
                }
            }
            if (entry.is_folder) continue;
            const std::string bytes = format_bytes(static_cast<int64_t>(entry.bytes));
            ImGui::SameLine(right - ImGui::CalcTextSize(bytes.c_str()).x - look.px(8));
            ImGui::TextDisabled("%s", bytes.c_str());
        }
        if (entries_.empty()) {
            ImGui::TextDisabled(every_file_ ? "Nothing here."
                                            : "No folders, .json, .gz or .zst files here.");
        }
    }
    ImGui::EndChild();
    if (!next_folder.empty()) enter(next_folder);
    return result;
}

std::optional<std::string> FileDialog::draw(const Look& look) {
    if (wanted_) {
        ImGui::OpenPopup(kTitle);
        wanted_ = false;
    }
    const ImGuiViewport* viewport = ImGui::GetMainViewport();
    const ImVec2 size{std::min(look.px(680), viewport->Size.x * 0.9f),
                      std::min(look.px(480), viewport->Size.y * 0.9f)};
    ImGui::SetNextWindowSize(size, ImGuiCond_Always);
    ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Always, {0.5f, 0.5f});
    std::optional<std::string> result;
    shown_ = ImGui::BeginPopupModal(
        kTitle, nullptr,
        ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    if (!shown_) return result;

    if (ImGui::Button("Up")) enter(fs::path(folder_).parent_path().string());
    ImGui::SameLine();
    ImGui::SetNextItemWidth(-1);
    if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
    std::error_code code;
    if (ImGui::InputTextWithHint("##path", kPathHint, &typed_,
                                 ImGuiInputTextFlags_EnterReturnsTrue)) {
        if (fs::is_directory(typed_, code)) {
            enter(typed_);
        } else {
            result = typed_;
        }
    }

    if (!problem_.empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text, look.colors.costs);
        ImGui::TextWrapped("%s", problem_.c_str());
        ImGui::PopStyleColor();
    }
    if (std::optional<std::string> chosen = draw_entries(look)) result = std::move(chosen);

    if (ImGui::Checkbox("All files", &every_file_)) enter(folder_);
    ImGui::SameLine(0, look.px(16));
    ImGui::TextDisabled("Other machines: ssh://host/path");
    const float buttons = look.px(180);
    ImGui::SameLine(ImGui::GetWindowWidth() - buttons - look.px(12));
    if (ImGui::Button("Cancel", {buttons / 2 - look.px(4), 0}) ||
        ImGui::IsKeyPressed(ImGuiKey_Escape)) {
        ImGui::CloseCurrentPopup();
    }
    ImGui::SameLine();
    const bool usable = is_url(typed_) || fs::is_regular_file(typed_, code);
    ImGui::BeginDisabled(!usable);
    if (ImGui::Button("Open", {buttons / 2 - look.px(4), 0})) result = typed_;
    ImGui::EndDisabled();
    if (result) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return result;
}

}  // namespace lanescope
