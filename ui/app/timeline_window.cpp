#include "ui/app/timeline_window.h"

#include "ui/app/key_input.h"
#include "ui/app/screens.h"
#include "ui/commands/panel_names.h"
#include "ui/timeline/hover_card.h"
#include "ui/workspace/docking.h"

namespace lanescope {

namespace {

void draw_timeline(ImVec2 min, ImVec2 max, Features& features, Frame& frame) {
    frame.timeline_view.draw(frame.timeline, frame.look, frame.canvas, frame.requests,
                             frame.since_last, held_keys(features, frame));
    for (Feature* const feature : features.all) feature->draw_on_timeline(min, max, frame);
    const bool loading = frame.trace->loading() || !frame.timeline.index;
    if (loading && !features.recording.has_card(frame)) draw_loading(min, max, frame);
    if ((!loading || frame.live()) && !frame.options.still && !features.command_list.help_shown())
        draw_hover_card(frame.timeline, frame.look);
}

}  // namespace

void draw_timeline_window(Features& features, std::optional<bool>& screen_has_keys, Frame& frame) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    const ImGuiWindowClass window_class = timeline_window_class();
    ImGui::SetNextWindowClass(&window_class);
    ImGui::Begin(kTimelinePanel.data(), nullptr,
                 ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar |
                     ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoTitleBar |
                     ImGuiWindowFlags_NoMove);
    const ImVec2 min = ImGui::GetCursorScreenPos();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const ImVec2 max{min.x + room.x, min.y + room.y};
    keep_keys_on_screen(screen_has_keys, frame);
    if (frame.files->error())
        draw_error(min, max, frame);
    else if (!frame.trace)
        draw_start_screen(min, max, frame);
    else
        draw_timeline(min, max, features, frame);
    ImGui::End();
    ImGui::PopStyleVar();
}

}  // namespace lanescope
