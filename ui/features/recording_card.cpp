// The state of a recording and its controls, at the bottom of the timeline: in a window of its own,
// which keeps the pointer from what is below.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/format.h"
#include "ui/features/recording.h"

namespace lanescope {

namespace {

constexpr float kCardWidth = 860;
constexpr float kCardHeight = 40;

std::string text_of(const FollowStatus& status) {
    const char* state = status.control == kSpoolPaused    ? "Paused"
                        : status.control == kSpoolStopped ? "Stopping"
                        : status.recorder_gone            ? "The recorder has ended"
                                                          : "Recording";
    std::string text = state;
    if (status.shown > 0) {
        const auto tenths =
            static_cast<Nanos>(std::llround(static_cast<double>(status.shown) / 1e8));
        text += " · " + format_duration(tenths * 100'000'000);
    }
    if (status.ring > 0) text += " (the last " + format_duration(status.ring) + " are kept)";
    text += " · " + format_bytes(static_cast<int64_t>(status.file_bytes)) + " file";
    if (status.dropped > 0)
        text += " · " + format_count(static_cast<int64_t>(status.dropped)) + " dropped";
    text += " · " + format_bytes(static_cast<int64_t>(status.memory_bytes)) + " of " +
            format_bytes(static_cast<int64_t>(status.memory_cap)) + " memory";
    if (status.memory_full) text += ": the first is in the file only";
    return text;
}

// A circle, or two bars for a paused recording; `left` and `middle` of the mark.
void draw_mark(float left, float middle, bool paused, const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (!paused) {
        list.AddCircleFilled({left + look.px(5), middle}, look.px(5), look.colors.costs);
        return;
    }
    for (const float x : {0.0f, 6.0f})
        list.AddRectFilled({left + look.px(x), middle - look.px(5)},
                           {left + look.px(x + 3), middle + look.px(5)}, look.colors.waiting);
}

}  // namespace

bool RecordingFeature::has_card(const Frame& frame) const {
    return frame.live() || (recorder_ && frame.trace && !frame.timeline.index);
}

void RecordingFeature::draw_on_timeline(ImVec2 min, ImVec2 max, Frame& frame) {
    if (!has_card(frame)) return;
    const Look& look = frame.look;
    const Live* const live = frame.live();  // null: waits for the program
    const float height = look.px(kCardHeight);
    const float width = std::min(look.px(kCardWidth), max.x - min.x - look.px(32));
    const ImVec2 at{std::round((min.x + max.x - width) / 2), max.y - height - look.px(14)};
    ImGui::SetNextWindowPos(at);
    ImGui::SetNextWindowSize({width, height});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, look.colors.raised);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::Begin("##recording", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
    const float right = draw_buttons({at.x + width, at.y}, frame);
    const float left = at.x + look.px(14);
    draw_mark(left, at.y + height / 2, live && live->status.control != kSpoolRecording, look);
    const std::string text = live ? text_of(live->status) : "Waiting for the program to begin";
    draw_text_cut(*ImGui::GetWindowDrawList(), look, look.fonts.regular, type::kTable,
                  {left + look.px(20), text_y(look, type::kTable, at.y, height)}, look.colors.hi,
                  text, right - left - look.px(28));
    ImGui::End();
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
}

// Draws the buttons from the right edge; returns the left edge of the last one.
float RecordingFeature::draw_buttons(ImVec2 corner, Frame& frame) {
    const Look& look = frame.look;
    float right = corner.x - look.px(8);
    places_.clear();
    const auto button = [&](const char* text, Action action, bool lit) {
        const float w = ImGui::CalcTextSize(text).x + 2 * ImGui::GetStyle().FramePadding.x;
        right -= w;
        ImGui::SetCursorScreenPos({right, corner.y + look.px(7)});
        ImGui::PushStyleColor(
            ImGuiCol_Button,
            lit ? mixed(look.colors.raised, look.colors.accent, 0.3f) : look.colors.panel);
        if (ImGui::Button(text, {w, look.px(26)})) frame.requests.act(action);
        ImGui::PopStyleColor();
        ImGui::SetItemTooltip("%s  %s", command_of(action).title,
                              keys_of(frame.keys, action).c_str());
        places_.emplace_back(text, ImVec2{right + w / 2, corner.y + look.px(20)});
        right -= look.px(6);
    };
    const Live* const live = frame.live();
    if (!live) {
        button("Cancel", Action::cancel_load, false);
        return right;
    }
    const bool paused = live->status.control == kSpoolPaused;
    if (recorder_) button("End program", Action::end_program, false);
    button("Stop", Action::stop_recording, false);
    button(paused ? "Resume" : "Pause", Action::pause_recording, paused);
    button("Follow", Action::follow_end, live->follows);
    return right;
}

}  // namespace lanescope
