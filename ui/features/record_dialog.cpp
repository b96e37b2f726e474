#include "ui/features/record_dialog.h"

#include <fmt/format.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/analysis/structure/time_range.h"
#include "ui/look/dialog_parts.h"

namespace lanescope {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRecordTitle = "Record a program";
constexpr float kShort = 130;  // fields of a length of time

// The same names as in `lanescope record`.
std::string file_for(const std::string& command) {
    const auto words = split_command(command);
    if (!words) return "recording.spool";
    const auto is_program = [](const std::string& w) { return w.find('=') == std::string::npos; };
    const auto program = std::ranges::find_if(*words, is_program);
    if (program == words->end()) return "recording.spool";
    return fs::path(*program).filename().string() + ".spool";
}

}  // namespace

void RecordDialog::show(const std::string& folder, Also also) {
    wanted_ = true;
    samples_ = samples_ || also == Also::samples;
    torch_profiler_ = torch_profiler_ || also == Also::torch_profiler;
    problem_.clear();
    if (folder_.empty()) folder_ = folder;
    if (file_.empty()) file_ = file_for(command_);
}

void RecordDialog::show_problem(std::string problem) {
    problem_ = std::move(problem);
    close_ = false;
    focus_ = true;
    if (!shown_) wanted_ = true;
}

void RecordDialog::note_place(const char* name) {
    const ImVec2 min = ImGui::GetItemRectMin();
    const ImVec2 max = ImGui::GetItemRectMax();
    places_.emplace_back(name, ImVec2{(min.x + max.x) / 2, (min.y + max.y) / 2});
    if (ImGui::IsItemActive()) field_ = name;
}

void RecordDialog::draw_text(const Look& look, const char* name, const char* hint,
                             std::string& value) {
    dialog_label(look, name);
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint((std::string("##") + name).c_str(), hint, &value);
    note_place(name);
}

std::optional<Nanos> RecordDialog::length_of(const std::string& text, const char* what) {
    if (text.empty()) return 0;
    const auto length = parse_duration(text);
    if (length && *length > 0) return length;
    problem_ = fmt::format("{}: \"{}\" is not a duration such as 500 ms or 30 s.", what, text);
    return std::nullopt;
}

std::optional<RecorderStart> RecordDialog::asked() {
    problem_.clear();
    RecorderStart start;
    auto words = split_command(command_);
    const auto duration = length_of(duration_, "Record for");
    const auto ring = duration ? length_of(ring_, "Keep the last") : std::nullopt;
    focus_ = !words;
    if (!words) problem_ = words.error().text;
    if (file_.empty()) problem_ = "The trace needs a name.";
    if (!words || !duration || !ring || file_.empty()) return std::nullopt;
    std::error_code code;
    start.command = std::move(*words);
    start.folder = folder_.empty() ? fs::current_path(code).string() : folder_;
    start.file = (fs::absolute(start.folder, code) / file_).lexically_normal().string();
    start.duration = *duration;
    start.ring = *ring;
    start.samples = samples_;
    start.torch_profiler = torch_profiler_;
    return start;
}

// Draws a switch with its key, Alt and a letter, and handles the key.
void RecordDialog::draw_switch(const char* title, const char* name, ImGuiKey key, bool& value,
                               const Look& look) {
    ImGui::Checkbox(title, &value);
    note_place(name);
    ImGui::SameLine(0, look.px(10));
    ImGui::TextDisabled("Alt+%s", ImGui::GetKeyName(key));
    if (ImGui::IsKeyChordPressed(ImGuiMod_Alt | key)) value = !value;
}

void RecordDialog::draw_choices(const Look& look) {
    dialog_label(look, "");
    draw_switch("Sample CPU stacks", "Sample", ImGuiKey_S, samples_, look);
    ImGui::SameLine(0, look.px(24));
    draw_switch("PyTorch's profiler, on demand", "Profiler", ImGuiKey_P, torch_profiler_, look);
}

void RecordDialog::draw_explanation(const Look& look) {
    const auto words = split_command(command_);
    hint_.clear();
    if (words && runs_python(*words) && !samples_ && !torch_profiler_)
        hint_ =
            "A recording of a Python program without NVTX ranges and CUDA has only CPU and memory: "
            "sample its functions, or use PyTorch's profiler.";
    ImGui::Dummy({0, look.px(2)});
    if (!hint_.empty()) dialog_text(look.colors.waiting, hint_);
    std::string text = fmt::format(
        "Records NVTX ranges{}, CPU and memory of all processes that it starts. "
        "Samples are the functions that ran, Python's included, for 2 to 5 % more CPU "
        "time. ",
        torch_profiler_ ? "" : ", CUDA calls, kernels");
    text += torch_profiler_
                ? "PyTorch's profiler records operators, modules, CUDA calls and kernels when you "
                  "attach to the program, and slows it down only then. "
                : "";
    text +=
        fmt::format("The program has no input; its output goes to {}.",
                    recording_log(file_.empty() ? "FILE" : fs::path(file_).filename().string()));
    dialog_text(look.colors.low, text);
}

std::optional<RecorderStart> RecordDialog::draw_fields(const Look& look) {
    // Enter moved the focus out of the field: returns it, so that typing can correct the error.
    if (ImGui::IsWindowAppearing() || std::exchange(focus_, false)) ImGui::SetKeyboardFocusHere();
    draw_text(look, "Command", "python train.py --epochs 1", command_);
    if (!file_typed_ && ImGui::IsItemEdited()) file_ = file_for(command_);
    draw_text(look, "Folder", "in which it runs", folder_);
    draw_text(look, "File", "of the trace", file_);
    if (ImGui::IsItemEdited()) file_typed_ = true;
    dialog_label(look, "Record for");
    ImGui::SetNextItemWidth(look.px(kShort));
    ImGui::InputTextWithHint("##duration", "to its end", &duration_);
    note_place("Duration");
    ImGui::SameLine(0, look.px(24));
    ImGui::AlignTextToFramePadding();
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
    ImGui::TextUnformatted("Keep the last");
    ImGui::PopStyleColor();
    ImGui::SameLine(0, look.px(10));
    ImGui::SetNextItemWidth(look.px(kShort));
    ImGui::InputTextWithHint("##ring", "all", &ring_);
    note_place("Ring");
    draw_choices(look);
    draw_explanation(look);
    if (!problem_.empty()) dialog_text(look.colors.costs, problem_);
    ImGui::Dummy({0, look.px(4)});
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("Tab goes through the fields, Enter records, Esc leaves");
    const float button = look.px(120);
    const bool enter = ImGui::IsKeyPressed(ImGuiKey_Enter, false) && !ImGui::IsWindowAppearing();
    ImGui::SameLine(ImGui::GetWindowWidth() - 2 * button - look.px(8) - look.px(12));
    if (ImGui::Button("Close", {button, 0}) || ImGui::IsKeyPressed(ImGuiKey_Escape, false) ||
        std::exchange(close_, false))
        ImGui::CloseCurrentPopup();
    note_place("close");
    ImGui::SameLine(0, look.px(8));
    const bool pressed = ImGui::Button("Record", {button, 0});
    note_place("record");
    return pressed || enter ? asked() : std::nullopt;
}

std::optional<RecorderStart> RecordDialog::draw(const Look& look) {
    if (std::exchange(wanted_, false)) {
        ImGui::OpenPopup(kRecordTitle);
        close_ = false;
    }
    shown_ = begin_dialog(look, kRecordTitle, 680);
    if (!shown_) return std::nullopt;
    places_.clear();
    field_.clear();
    auto start = draw_fields(look);
    ImGui::EndPopup();
    shown_ = ImGui::IsPopupOpen(kRecordTitle);  // false if it was closed just now
    return start;
}

}  // namespace lanescope
