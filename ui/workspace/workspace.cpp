#include "ui/workspace/workspace.h"

#include <imgui_internal.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "ui/commands/panel_names.h"

namespace lanescope {

namespace {

constexpr float kTabPadding = 9;
constexpr int kFramesToFollow = 4;  // number of frames until a layout is complete

Box tab_of(const ImGuiWindow& window) {
    if (!window.DockIsActive || !window.DockNode || !window.DockNode->TabBar) return {};
    const ImGuiTabBar& bar = *window.DockNode->TabBar;
    for (const ImGuiTabItem& tab : bar.Tabs) {
        if (tab.ID != window.TabId) continue;
        const float x = bar.BarRect.Min.x + tab.Offset - bar.ScrollingAnim;
        return {x, bar.BarRect.Min.y, x + tab.Width, bar.BarRect.Max.y};
    }
    return {};
}

// Selects the tab only: the focus stays where it is, for example in a text field. But if a panel of
// the same row has the focus, that panel would stay in front, so it passes the focus on.
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

nlohmann::json json_of(const Box& box) {
    return {box.x0, box.y0, box.x1, box.y1};
}

nlohmann::json json_of(const TabList& list) {
    nlohmann::json result = {{"button", nullptr}, {"lines", nlohmann::json::object()}};
    if (list.button()) result["button"] = {list.button()->x, list.button()->y};
    for (const TabList::Line& line : list.lines())
        result["lines"][line.panel] = {line.middle.x, line.middle.y};
    return result;
}

nlohmann::json json_of(const std::optional<PanelBorder>& border) {
    if (!border) return nullptr;
    return {border->from.x, border->from.y, border->to.x, border->to.y};
}

}  // namespace

Workspace::Workspace(std::vector<Panel*> panels, std::size_t always, Frame& frame)
    : panels_(std::move(panels)),
      always_(always),
      layout_path_(frame.options.layout_path),
      roofline_room_(kRooflinePanel) {
    restore_layout(frame);
}

std::span<const Action> Workspace::actions() const {
    static constexpr Action kActions[] = {
        Action::tables,        Action::statistics,      Action::panel_keys,
        Action::resize_panels, Action::move_panel,      Action::reset_layout,
        Action::columns_menu,  Action::column_next,     Action::column_previous,
        Action::column_wider,  Action::column_narrower, Action::column_fit,
        Action::column_left,   Action::column_right,    Action::column_hide,
        Action::column_sort};
    return kActions;
}

void Workspace::act(Action action, Frame& frame) {
    switch (action) {
        case Action::tables:
            frame.settings.tables_shown = !frame.settings.tables_shown;
            break;
        case Action::statistics:
            frame.show_panel(kStatisticsPanel);
            break;
        case Action::panel_keys:
            panel_keys_.next(in_front(frame));
            break;
        case Action::resize_panels:
            panel_mover_.leave();
            border_keys_.next();
            break;
        case Action::move_panel:
            choose_panel_to_move(frame);
            break;
        case Action::reset_layout:
            reset_layout(frame);
            break;
        default:
            act_on_columns(action, frame);
            break;
    }
}

bool Workspace::is_on(Action action, const Frame& frame) const {
    return action == Action::tables && frame.settings.tables_shown;
}

bool Workspace::take_key(ImGuiKeyChord pressed, Frame& frame) {
    if (border_keys_.take(pressed) || panel_mover_.take(pressed)) return true;
    if (panel_mover_.on() && pressed == ImGuiKey_Tab) {
        choose_panel_to_move(frame);
        return true;
    }
    return panel_keys_.on() && PanelKeys::takes(pressed);
}

bool Workspace::dismiss(Layer layer, Frame& /*frame*/) {
    if (layer == Layer::column && column_keys_.on()) {
        column_keys_.leave();
        return true;
    }
    if (layer == Layer::panel_keys && panel_keys_.on()) {
        panel_keys_.escape();
        return true;
    }
    return false;
}

void Workspace::loaded(LoadedTrace& /*loaded*/, Frame& frame) {
    first_table_.set_due(!frame.trace->kept_view && frame.settings.tables_shown && !frame.live());
}

void Workspace::begin(Frame& frame) {
    if (!greeting_.empty()) frame.notify(std::exchange(greeting_, {}));
}

bool Workspace::settled(const Frame& /*frame*/) const {
    return ready_ && !first_table_.is_due();
}

void Workspace::offer(std::vector<Choice>& choices, Frame& frame) {
    for (const std::string_view name : panel_names())
        choices.push_back(
            {{"Panel: " + std::string(name), "", ""}, [&frame, name] { frame.show_panel(name); }});
}

void Workspace::draw_menu(std::string_view group, Frame& frame) {
    if (group != "Panels") return;
    ImGui::Separator();
    for (const std::string_view name : panel_names())
        if (ImGui::MenuItem(name.data())) frame.show_panel(name);
}

void Workspace::draw_none() {
    ready_ = true;
    first_table_.set_due(false);
}

void Workspace::forget() {
    for (Panel* const panel : panels_) panel->forget();
}

void Workspace::draw_panels(Frame& frame) {
    const Look& look = frame.look;
    draw_each(frame);
    keep_layout(frame);
    show_first_table(frame);
    if (frames_with_panels_ >= kFramesToFollow) {
        roofline_room_.follow(dockspace_, look.scale);
        if (roofline_room_.moved()) {
            ready_ = false;
            frame.pacing.wake();
        }
    }
    underline_tabs(look);
    if (const auto panel = tab_list_.draw(panel_names(), look)) frame.show_panel(*panel);
    column_keys_.draw(frame.keys, look, [&frame](Action action) { frame.requests.act(action); });
    // The arrow keys move in an open menu or list, otherwise on the timeline.
    if (!frame.dialog_shown && ImGui::IsPopupOpen("", ImGuiPopupFlags{ImGuiPopupFlags_AnyPopup})) {
        frame.menu_shown = true;
        ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    }
    panel_keys_.follow();
    follow_borders(frame);
    move_panel(frame);
}

void Workspace::draw_each(Frame& frame) {
    if (!frame.trace) return;  // the start screen or an error fills the whole window
    const bool loaded = frame.loaded() != nullptr;
    for (Panel* const panel : panels_) panel->follow(frame);
    ready_ = !frame.timeline.index || loaded;
    for (std::size_t i = 0; i < panels_.size(); ++i) {
        Panel& panel = *panels_[i];
        const bool hidden = i >= always_ && !frame.settings.tables_shown;
        const bool visible = !hidden && begin_panel(panel.name(), frame);
        if (visible) panel.draw(frame);
        if (!hidden) ImGui::End();
        if (loaded && (visible || panel.works_hidden())) ready_ = ready_ && panel.ready();
    }
}

bool Workspace::begin_panel(std::string_view name, Frame& frame) {
    const Look& look = frame.look;
    const ImGuiWindow* window = ImGui::FindWindowByName(name.data());
    const bool docked = window && window->DockIsActive;
    // Panels that float above the timeline hide what is behind them.
    const bool floating = docked && window->DockNode &&
                          ImGui::DockNodeGetRootNode(window->DockNode)->IsFloatingNode();
    const bool clear = docked && !floating;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, docked ? 0.0f : 1.0f);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(16), look.px(10)});
    // Tabs of the dock space are taller than those of floating windows.
    if (!floating)
        ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(8), look.px(kTabPadding)});
    // A tab keeps the text colour with which its window began.
    const bool behind = docked && !window->DockTabIsVisible;
    ImGui::PushStyleColor(ImGuiCol_Text, behind ? look.colors.low : look.colors.hi);
    if (frame.front.wants(name)) {
        show_in_front(docked ? window->DockNode : nullptr, docked ? window->TabId : 0);
        frame.front.done();
        frame.pacing.wake();
    }
    // The first of a row of tabs is in front until another is chosen.
    const ImGuiWindowFlags flags = ImGuiWindowFlags_NoFocusOnAppearing;
    const bool open =
        ImGui::Begin(name.data(), nullptr, clear ? flags | ImGuiWindowFlags_NoBackground : flags);
    ImGui::PopStyleColor();
    if (docked && window->DockTabIsVisible == behind) frame.pacing.wake();
    ImGui::PopStyleVar(floating ? 2 : 3);
    if (clear && open && window->DockNode) {
        const ImGuiDockNode& node = *window->DockNode;
        frame.canvas.background(node.Pos, {node.Pos.x + node.Size.x, node.Pos.y + node.Size.y},
                                look.colors.panel);
    }
    return open;
}

// The selected tab has a line below it; Dear ImGui only draws one above.
void Workspace::underline_tabs(const Look& look) {
    for (const std::string_view name : panel_names()) {
        const ImGuiWindow* window = ImGui::FindWindowByName(name.data());
        if (!window || !window->DockIsActive || !window->DockNode || !window->DockNode->TabBar)
            continue;
        const ImGuiTabBar& bar = *window->DockNode->TabBar;
        for (const ImGuiTabItem& tab : bar.Tabs) {
            if (tab.ID != bar.VisibleTabId) continue;
            const float x = bar.BarRect.Min.x + tab.Offset - bar.ScrollingAnim;
            const float y = bar.BarRect.Max.y - look.px(2);
            // Tabs without space may be scrolled out of the bar.
            const float x0 = std::max(x + look.px(8), bar.BarRect.Min.x);
            const float x1 = std::min(x + tab.Width - look.px(8), bar.BarRect.Max.x);
            if (x0 < x1)
                window->DockNode->HostWindow->DrawList->AddRectFilled({x0, y}, {x1, y + look.px(2)},
                                                                      look.colors.accent);
        }
    }
}

std::vector<std::string> Workspace::in_front(const Frame& frame) const {
    std::vector<std::string> names;
    if (frame.legend_shown) names.emplace_back(kLegendWindow);
    for (const Place& place : places(frame))
        if (place.in_front && place.name != kTimelinePanel) names.emplace_back(place.name);
    return names;
}

std::vector<Workspace::Place> Workspace::places(const Frame& frame) const {
    std::vector<Place> places;
    for (const std::string_view name : panel_names()) {
        const ImGuiWindow* window = ImGui::FindWindowByName(name.data());
        if (!window || !window->WasActive) continue;
        const ImVec2 end{window->Pos.x + window->Size.x, window->Pos.y + window->Size.y};
        const auto panel = std::ranges::find(panels_, name, &Panel::name);
        const ImU32 text = window->DockStyle.Colors[ImGuiWindowDockStyleCol_Text];
        places.push_back({panel == panels_.end() ? nullptr : *panel,
                          name,
                          {window->Pos.x, window->Pos.y, end.x, end.y},
                          window->DockIsActive,
                          !window->DockIsActive || window->DockTabIsVisible,
                          tab_of(*window),
                          text == frame.look.colors.hi});
    }
    return places;
}

void Workspace::describe(const Frame& frame, nlohmann::json& state) const {
    using nlohmann::json;
    state["tables_shown"] = frame.settings.tables_shown;
    state["keys_in"] = panel_keys_.panel();
    state["border"] = json_of(border_keys_.shown());
    state["panel_moved"] = panel_mover_.panel();
    state["column"] = column_keys_.chosen();
    state["tab_list"] = json_of(tab_list_);
    state["table_rows_in_view"] = nullptr;  // of the first table that is in front
    state["panels"] = json::object();
    for (const Place& place : places(frame)) {
        const bool has_table = place.panel && place.in_front;
        state["panels"][std::string(place.name)] = {
            {"box", json_of(place.box)},
            {"tab", json_of(place.tab)},
            {"docked", place.docked},
            {"in_front", place.in_front},
            {"lit", place.lit},
            {"table", has_table ? place.panel->describe_table() : json()}};
        const json& table = state["panels"][std::string(place.name)]["table"];
        if (table.is_object() && table.contains("rows_in_view") &&
            state["table_rows_in_view"].is_null())
            state["table_rows_in_view"] = table["rows_in_view"];
    }
    for (const Panel* const panel : panels_) panel->describe(frame, state);
}

}  // namespace lanescope
