// The windows, their docking, and the picture between them.
#include <imgui_internal.h>

#include <algorithm>

#include "ui/app/app.h"
#include "ui/look/floating.h"
#include "ui/timeline/hover_card.h"
#include "ui/workspace/docking.h"

namespace lanescope {

namespace {

constexpr float kTopBar = 40;
constexpr float kStatusBar = 24;
constexpr float kTabPadding = 9;
constexpr double kHeldSeconds = 1;
constexpr int kFramesToFollow = 4;  // until a layout stands

// Selects the tab only: the focus stays where it is, for example in a text field. A panel of the
// same row that has the focus would stay in front, so it passes the focus on.
void show_in_front(ImGuiDockNode* node, ImGuiID tab_id) {
    ImGuiTabBar* const bar = node ? node->TabBar : nullptr;
    const ImGuiWindow* const focused = ImGui::GetCurrentContext()->NavWindow;
    const bool in_row = focused && focused->RootWindow->DockNode == node;
    ImGuiTabItem* const tab = bar ? ImGui::TabBarFindTabByID(bar, tab_id) : nullptr;
    if (tab && !in_row)
        ImGui::TabBarQueueFocus(bar, tab);
    else
        ImGui::SetNextWindowFocus();
}

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus |
                                    ImGuiWindowFlags_NoNavFocus | ImGuiWindowFlags_NoBackground;

}  // namespace

void App::draw_windows(double since_last) {
    const ImGuiViewport* viewport = ImGui::GetMainViewport();
    const ImVec2 size = viewport->Size;
    if (options_.timeline_alone) {
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize(size);
        draw_timeline_window(since_last);
        panels_ready_ = true;  // there are none
        first_table_.set_due(false);
        return;
    }
    const float top = look_.px(kTopBar);
    const float bottom = size.y - look_.px(kStatusBar);
    canvas_.background({0, 0}, {size.x, top}, look_.colors.panel);
    canvas_.background({0, bottom}, size, look_.colors.raised);

    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({size.x, top});
    ImGui::Begin("##top", nullptr, kFixed);
    draw_top_bar();
    ImGui::End();
    ImGui::SetNextWindowPos({0, bottom});
    ImGui::SetNextWindowSize({size.x, size.y - bottom});
    ImGui::Begin("##status", nullptr, kFixed);
    draw_status_bar();
    ImGui::End();

    ImGui::SetNextWindowPos({0, top});
    ImGui::SetNextWindowSize({size.x, bottom - top});
    ImGui::Begin("##dock", nullptr, kFixed);
    const ImGuiID dockspace = ImGui::GetID("dockspace");
    lay_out(dockspace, {size.x, bottom - top});
    // The height of tabs follows from the frame padding.
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look_.px(8), look_.px(kTabPadding)});
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);  // of the arrows that scroll tabs
    ImGui::DockSpace(dockspace, {0, 0},
                     ImGuiDockNodeFlags{ImGuiDockNodeFlags_NoWindowMenuButton} |
                         ImGuiDockNodeFlags{ImGuiDockNodeFlags_NoCloseButton});
    ImGui::PopStyleVar(2);
    ImGui::End();
    ImGui::PopStyleVar(2);

    follow_paths();
    draw_timeline_window(since_last);
    draw_panels();
    keep_layout(dockspace);
    show_first_table();
    if (frames_with_panels_ >= kFramesToFollow) {
        roofline_room_.follow(dockspace, look_.scale);
        if (roofline_room_.moved()) {
            panels_ready_ = false;
            pacing_.wake();
        }
    }
    underline_tabs();
    if (const auto panel = tab_list_.draw(panel_names(), look_)) show_panel(*panel);
    column_keys_.draw(keys_, look_, [this](Action action) { requests_.act(action); });
    keep_keys_inside(!dialog_shown() &&
                     ImGui::IsPopupOpen("", ImGuiPopupFlags{ImGuiPopupFlags_AnyPopup}));
    panel_keys_.follow();
    follow_borders(dockspace);
    move_panel(dockspace);
    legend_.draw(timeline_, look_);
    show_message();
    if (auto request = picture_dialog_.draw(look_)) picture_wanted_ = std::move(request);
    draw_attach();
    draw_record();
    help_.draw(keys_, settings_.keys, look_);
    draw_palette();
    if (auto path = file_dialog_.draw(look_)) requests_.open = std::move(path);
    leave_what_is_gone();
}

// When a floating window closes, Dear ImGui focuses the window created last, and brings that panel
// to the front of its tabs.
void App::leave_what_is_gone() {
    const ImGuiWindow* const at = ImGui::GetCurrentContext()->NavWindow;
    if (at && !at->RootWindow->Active) ImGui::SetWindowFocus(nullptr);
}

void App::show_message() {
    // A picture shows the trace, not the last message.
    if (message_until_ <= now_ || options_.still || picture_taken_) return;
    switch (draw_toast(message_, look_)) {
        case ToastAnswer::held:
            message_until_ = std::max(message_until_, now_ + kHeldSeconds);
            break;
        case ToastAnswer::dismissed:
            message_until_ = 0;
            break;
        case ToastAnswer::none:
            break;
    }
}

void App::draw_timeline_window(double since_last) {
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
    const bool loading = document_ && (document_->loading() || !timeline_.index);
    keep_keys_on_screen();
    if (error_) {
        draw_error(min, max);
    } else if (!document_) {
        draw_start_screen(min, max);
    } else {
        timeline_view_.draw(timeline_, look_, canvas_, requests_, since_last, held_keys());
        draw_slice_menu();
        draw_head_menu();
        edit_note();
        const bool recording = live_.status || (live_.recorder && loading && !timeline_.index);
        if (loading && !recording) draw_loading(min, max);
        if ((!loading || live_.status) && !options_.still && !help_.shown())
            draw_hover_card(timeline_, look_);
        if (recording) draw_recording(min, max);
    }
    ImGui::End();
    ImGui::PopStyleVar();
}

bool App::begin_panel(std::string_view name) {
    const ImGuiWindow* window = ImGui::FindWindowByName(name.data());
    const bool docked = window && window->DockIsActive;
    // Panels that float above the timeline hide what is behind them.
    const bool floating = docked && window->DockNode &&
                          ImGui::DockNodeGetRootNode(window->DockNode)->IsFloatingNode();
    const bool clear = docked && !floating;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, docked ? 0.0f : 1.0f);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look_.px(16), look_.px(10)});
    // Tabs of the dock space are taller than those of floating windows.
    if (!floating)
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look_.px(8), look_.px(kTabPadding)});
    // A tab keeps the text colour with which its window began.
    const bool behind = docked && !window->DockTabIsVisible;
    ImGui::PushStyleColor(ImGuiCol_Text, behind ? look_.colors.low : look_.colors.hi);
    if (panel_wanted_ == name) {
        show_in_front(docked ? window->DockNode : nullptr, docked ? window->TabId : 0);
        panel_wanted_.clear();
        pacing_.wake();
    }
    // The first of a row of tabs is in front until another is chosen.
    const ImGuiWindowFlags flags = ImGuiWindowFlags_NoFocusOnAppearing;
    const bool open =
        ImGui::Begin(name.data(), nullptr, clear ? flags | ImGuiWindowFlags_NoBackground : flags);
    ImGui::PopStyleColor();
    if (docked && window->DockTabIsVisible == behind) pacing_.wake();
    ImGui::PopStyleVar(floating ? 2 : 3);
    if (clear && open && window->DockNode) {
        const ImGuiDockNode& node = *window->DockNode;
        canvas_.background(node.Pos, {node.Pos.x + node.Size.x, node.Pos.y + node.Size.y},
                           look_.colors.panel);
    }
    return open;
}

void App::draw_panels() {
    if (!document_) return;  // the start screen or an error fills the whole window
    const TracePtr shown = timeline_.index ? timeline_.index->trace : nullptr;
    const Trace* const trace = shown.get();
    PanelInputs inputs{context_, std::nullopt, timeline_.selected, shown, &analysis_worker_};
    if (timeline_.marked) inputs.range = timeline_.marked->time;
    PanelInputs of_all = inputs;
    if (context_) of_all.context = traces_.contexts.front();
    // A slice of another trace than the one that panels show.
    if (trace && inputs.selected && part_of(*trace, inputs.selected.lane) != traces_.shown_part)
        inputs.selected = {};
    const PanelInputs of_tables = live_.on ? inputs_of_recording(inputs) : inputs;
    siblings_.follow(of_tables);
    model_.follow(inputs);
    story_.follow(of_tables, live_.on ? analysis_worker_ : worker_);
    if (!live_.on && timeline_.landmarks != story_.landmarks()) {
        timeline_.landmarks = story_.landmarks();
        timeline_.landmark_places.clear();
        pacing_.wake();
    }
    if (begin_panel(kSelectionPanel)) {
        if (gap_walk_.at && context_ && !timeline_.selected)
            draw_gap(*trace, *gap_walk_.at, look_, requests_);
        else
            draw_selection(trace, facts_, arguments_, live_.on ? nullptr : siblings_.get(),
                           model_.get(), look_, requests_);
        if (!timeline_.selected && !gap_walk_.at) story_.draw(look_);
    }
    ImGui::End();
    if (begin_panel(kNotesPanel)) {
        if (live_.on)
            ImGui::TextWrapped("Notes can be made when the recording has ended.");
        else
            draw_notes(timeline_, notes_, look_, requests_);
    }
    ImGui::End();
    panels_ready_ = !trace || (context_ && siblings_.ready() && model_.ready());
    if (begin_panel(kRangePanel)) {
        draw_part_choice();
        range_panel_.draw(of_tables, marked_lanes(), look_, requests_);
        panels_ready_ = panels_ready_ && (!context_ || range_panel_.ready());
    }
    ImGui::End();
    if (!settings_.tables_shown) return;
    for (TablePanel& panel : table_panels_) {
        if (begin_panel(panel.title())) {
            draw_part_choice();
            if (traces_.contexts.size() > 1) ImGui::SameLine();
            panel.draw(of_tables, look_, requests_);
            panels_ready_ = panels_ready_ && (!context_ || panel.ready());
        }
        ImGui::End();
    }
    if (begin_panel(kFindPanel)) {
        if (live_.on)
            ImGui::TextDisabled("What a search finds is lit, and listed once the recording ends.");
        else if (timeline_.found)
            find_panel_.draw(of_all, look_, requests_);
        else
            ImGui::TextDisabled("What a search finds is listed here.");
        panels_ready_ = panels_ready_ && (!context_ || !timeline_.found || find_panel_.ready());
    }
    ImGui::End();
    if (begin_panel(kWhatIfPanel)) draw_what_if(of_tables);
    ImGui::End();
    if (begin_panel(kStatisticsPanel)) {
        if (live_.on && live_.tables && timeline_.selected && !of_tables.selected)
            ImGui::TextWrapped("The panels show the selected slice at their next update.");
        else
            statistics_.draw(of_tables, siblings_, look_, requests_);
    }
    ImGui::End();
    if (begin_panel(kRooflinePanel)) {
        roofline_.draw(of_tables, look_, requests_);
        panels_ready_ = panels_ready_ && (!context_ || roofline_.ready());
    }
    ImGui::End();
    if (begin_panel(kLanesPanel)) lanes_table_.draw(timeline_, look_, requests_);
    ImGui::End();
    if (begin_panel(kWarningsPanel)) draw_warnings(trace, model_warnings_, look_);
    ImGui::End();
    if (begin_panel(kTracesPanel)) draw_traces_panel();
    ImGui::End();
    if (begin_panel(kSideBySidePanel)) {
        if (live_.on)
            ImGui::TextWrapped("Traces can be compared when the recording has ended.");
        else
            draw_side_by_side(inputs);
    }
    ImGui::End();
}

// The selected tab has a line below it; Dear ImGui only draws one above.
void App::underline_tabs() {
    for (const std::string_view name : panel_names()) {
        const ImGuiWindow* window = ImGui::FindWindowByName(name.data());
        if (!window || !window->DockIsActive || !window->DockNode || !window->DockNode->TabBar)
            continue;
        const ImGuiTabBar& bar = *window->DockNode->TabBar;
        for (const ImGuiTabItem& tab : bar.Tabs) {
            if (tab.ID != bar.VisibleTabId) continue;
            const float x = bar.BarRect.Min.x + tab.Offset - bar.ScrollingAnim;
            const float y = bar.BarRect.Max.y - look_.px(2);
            // Tabs without space may be scrolled out of the bar.
            const float x0 = std::max(x + look_.px(8), bar.BarRect.Min.x);
            const float x1 = std::min(x + tab.Width - look_.px(8), bar.BarRect.Max.x);
            if (x0 < x1)
                window->DockNode->HostWindow->DrawList->AddRectFilled(
                    {x0, y}, {x1, y + look_.px(2)}, look_.colors.accent);
        }
    }
}

}  // namespace lanescope
