#include "ui/workspace/workspace.h"

#include <imgui_internal.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "ui/commands/panel_names.h"

namespace lanescope {

namespace {

constexpr float kTabPadding = 9;
constexpr float kOwnWidth = 640;  // of the window of a panel that leaves its group
constexpr float kOwnHeight = 320;
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

// Without the part that Dear ImGui does not show.
std::string_view title_of(std::string_view window) {
    return window.substr(0, window.find("##"));
}

nlohmann::json json_of(const Box& box) {
    return {box.x0, box.y0, box.x1, box.y1};
}

nlohmann::json json_of(const TabList& list) {
    nlohmann::json result = {{"button", nullptr}, {"lines", nlohmann::json::object()}};
    if (list.button()) result["button"] = {list.button()->x, list.button()->y};
    for (const TabList::Line& line : list.lines())
        result["lines"][std::string(title_of(line.panel))] = {line.middle.x, line.middle.y};
    return result;
}

nlohmann::json json_of(const std::optional<PanelBorder>& border) {
    if (!border) return nullptr;
    return {border->from.x, border->from.y, border->to.x, border->to.y};
}

}  // namespace

Workspace::Workspace(std::vector<Panel*> panels, std::size_t always, Frame& frame)
    : panels_(std::move(panels)), always_(always), layout_path_(frame.options.layout_path) {
    restore_layout(frame);
}

std::span<const Action> Workspace::actions() const {
    static constexpr Action kActions[] = {
        Action::tables,        Action::statistics,      Action::panel_keys,
        Action::resize_panels, Action::move_panel,      Action::reset_layout,
        Action::columns_menu,  Action::column_next,     Action::column_previous,
        Action::column_wider,  Action::column_narrower, Action::column_fit,
        Action::column_left,   Action::column_right,    Action::column_hide,
        Action::column_sort,   Action::save_table};
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
            panel_keys_.next(windows_in_front(frame));
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
        case Action::save_table:
            save_table(frame);
            break;
        default:
            act_on_columns(action, frame);
            break;
    }
}

void Workspace::save_table(Frame& frame) {
    for (const std::string& name : panels_in_front(frame))
        if (Panel* const panel = panel_called(name); panel && panel->save_rows(frame)) return;
    frame.notify("No table with rows is in front.");
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
    if (!frame.trace->kept_view) groups_.open_another();
    first_table_.set_due(!frame.trace->kept_view && frame.settings.tables_shown && !frame.live());
}

void Workspace::begin(Frame& frame) {
    if (!greeting_.empty()) frame.notify(std::exchange(greeting_, {}));
}

bool Workspace::settled(const Frame& /*frame*/) const {
    return ready_ && !first_table_.is_due();
}

void Workspace::offer(std::vector<Choice>& choices, Frame& frame) {
    for (const PanelGroup& group : panel_groups())
        choices.push_back({{std::string(group.title()), "group of panels", ""},
                           [&frame, &group] { frame.show_group(group.window); }});
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
        const std::vector<std::string> shown = panels_in_front(frame);
        roofline_room_.follow(groups_.window_of(kRooflinePanel),
                              std::ranges::count(shown, kRooflinePanel) > 0, dockspace_,
                              look.scale);
        if (roofline_room_.moved()) {
            ready_ = false;
            frame.pacing.wake();
        }
    }
    underline_tabs(look);
    if (const auto window = tab_list_.draw(groups_.windows(), look)) frame.show_group(*window);
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
    for (Panel* const panel : panels_) panel->follow(frame);
    groups_.begin_frame(frame);
    // A panel of a group comes to the front together with its group.
    const std::string_view wanted = panel_called(frame.front.wanted())
                                        ? panel_called(frame.front.wanted())->name()
                                        : std::string_view();
    if (groups_.window_of(wanted) != wanted) {
        groups_.choose(wanted);
        frame.front.bring(groups_.window_of(wanted));
    }
    ready_ = !frame.timeline.index || frame.loaded() != nullptr;
    for (std::size_t i = 0; i < panels_.size(); ++i)
        if (i < always_ || (frame.settings.tables_shown && groups_.is_detached(panels_[i]->name())))
            draw_own_window(*panels_[i], frame);
    for (const PanelGroup& group : panel_groups()) draw_group(group, frame);
}

Panel* Workspace::panel_called(std::string_view name) const {
    const auto found = std::ranges::find(panels_, name, &Panel::name);
    return found == panels_.end() ? nullptr : *found;
}

void Workspace::draw_contents(Panel& panel, bool visible, Frame& frame) {
    if (visible) panel.draw(frame);
    if (frame.loaded() && (visible || panel.works_hidden())) ready_ = ready_ && panel.ready();
}

void Workspace::draw_own_window(Panel& panel, Frame& frame) {
    const std::string_view name = panel.name();
    bool open = true;
    const bool visible = begin_window(name, group_of_panel(name) ? &open : nullptr, frame);
    draw_contents(panel, visible, frame);
    if (std::exchange(dragged_out_, dragged_out_ == name ? "" : dragged_out_) == name &&
        ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
        ImGuiWindow* const window = ImGui::GetCurrentWindow();
        ImGui::StartMouseMovingWindow(window);
        // Held by its title: Dear ImGui docks only windows that are.
        ImGui::GetCurrentContext()->ActiveIdClickOffset = {window->Size.x / 4,
                                                           frame.look.px(kTabPadding)};
    }
    ImGui::End();
    if (open) return;
    groups_.attach(name);
    frame.front.bring(name);
    ImGui::MarkIniSettingsDirty();
    frame.pacing.wake();
}

void Workspace::draw_group(const PanelGroup& group, Frame& frame) {
    const bool hidden = !frame.settings.tables_shown;
    const bool visible = !hidden && begin_window(group.window, nullptr, frame);
    std::optional<std::string_view> own_window;
    const Panel* const at_first = panel_called(groups_.shown(group));
    if (visible)
        own_window =
            groups_.draw_buttons(group, at_first ? at_first->width_of_tools(frame.look) : 0, frame);
    const std::string_view front = groups_.shown(group);
    for (const std::string_view name : group.panels) {
        Panel* const panel = groups_.is_detached(name) ? nullptr : panel_called(name);
        if (panel) draw_contents(*panel, visible && name == front, frame);
    }
    if (visible && front.empty())
        ImGui::TextDisabled("%s", "All panels of this group have windows of their own.");
    if (!hidden) ImGui::End();
    if (own_window) give_own_window(*own_window, frame);
}

// At the pointer, which may go on dragging it.
void Workspace::give_own_window(std::string_view panel, Frame& frame) {
    groups_.detach(panel);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const ImVec2 size{frame.look.px(kOwnWidth), frame.look.px(kOwnHeight)};
    const ImVec2 room = ImGui::GetMainViewport()->Size;
    if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) dragged_out_ = panel;
    ImGui::DockBuilderDockWindow(panel.data(), 0);
    own_place_ = ImVec2{
        std::clamp(mouse.x - size.x / 4, 0.0f, std::max(0.0f, room.x - size.x)),
        std::clamp(mouse.y - frame.look.px(kTabPadding), 0.0f, std::max(0.0f, room.y - size.y))};
    own_size_ = size;
    own_panel_ = panel;
    ImGui::ClearActiveID();
    ImGui::MarkIniSettingsDirty();
    frame.pacing.wake();
}

bool Workspace::begin_window(std::string_view name, bool* open, Frame& frame) {
    const Look& look = frame.look;
    const ImGuiWindow* window = ImGui::FindWindowByName(name.data());
    const bool docked = window && window->DockIsActive;
    // Panels that float above the timeline hide what is behind them.
    const bool floating = docked && window->DockNode &&
                          ImGui::DockNodeGetRootNode(window->DockNode)->IsFloatingNode();
    const bool clear = docked && !floating;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, docked ? 0.0f : 1.0f);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(16), look.px(8)});
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
    if (own_panel_ == name) {
        ImGui::SetNextWindowPos(own_place_);
        ImGui::SetNextWindowSize(own_size_);
        ImGui::SetNextWindowFocus();
        own_panel_ = {};
    }
    // The first of a row of tabs is in front until another is chosen.
    const ImGuiWindowFlags flags = ImGuiWindowFlags_NoFocusOnAppearing;
    const bool visible =
        ImGui::Begin(name.data(), open, clear ? flags | ImGuiWindowFlags_NoBackground : flags);
    ImGui::PopStyleColor();
    if (docked && window->DockTabIsVisible == behind) frame.pacing.wake();
    ImGui::PopStyleVar(floating ? 2 : 3);
    if (clear && visible && window->DockNode) {
        const ImGuiDockNode& node = *window->DockNode;
        frame.canvas.background(node.Pos, {node.Pos.x + node.Size.x, node.Pos.y + node.Size.y},
                                look.colors.panel);
    }
    return visible;
}

// The selected tab has a line below it; Dear ImGui only draws one above.
void Workspace::underline_tabs(const Look& look) const {
    for (const std::string_view name : groups_.windows()) {
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

std::string_view Workspace::panel_shown_in(std::string_view window) const {
    for (const PanelGroup& group : panel_groups())
        if (group.window == window) return groups_.shown(group);
    return window;
}

std::vector<std::string> Workspace::windows_in_front(const Frame& frame) const {
    std::vector<std::string> names;
    if (frame.legend_shown) names.emplace_back(kLegendWindow);
    for (const Place& place : places(frame)) {
        if (!place.in_front || place.name == kTimelinePanel) continue;
        names.emplace_back(place.group.empty() ? place.name : place.group);
    }
    return names;
}

std::vector<std::string> Workspace::panels_in_front(const Frame& frame) const {
    std::vector<std::string> names;
    for (const Place& place : places(frame))
        if (place.in_front) names.emplace_back(place.name);
    return names;
}

std::vector<Workspace::Place> Workspace::places(const Frame& frame) const {
    std::vector<Place> places;
    for (const std::string_view name : panel_names()) {
        const std::string_view of = groups_.window_of(name);
        const ImGuiWindow* const window = ImGui::FindWindowByName(of.data());
        if (!window || !window->WasActive) continue;
        const ImVec2 end{window->Pos.x + window->Size.x, window->Pos.y + window->Size.y};
        const ImU32 text = window->DockStyle.Colors[ImGuiWindowDockStyleCol_Text];
        Place place{panel_called(name),
                    name,
                    {window->Pos.x, window->Pos.y, end.x, end.y},
                    window->DockIsActive,
                    !window->DockIsActive || window->DockTabIsVisible,
                    tab_of(*window),
                    text == frame.look.colors.hi,
                    {}};
        if (const PanelGroup* const group = group_of_panel(name); group && of != name) {
            place.group = group->window;
            if (const Box button = groups_.button(name); place.in_front && button.width() > 0)
                place.tab = button;
            place.in_front = place.in_front && groups_.shown(*group) == name;
        }
        places.push_back(place);
    }
    return places;
}

void Workspace::describe(const Frame& frame, nlohmann::json& state) const {
    using nlohmann::json;
    state["tables_shown"] = frame.settings.tables_shown;
    state["keys_in"] = panel_shown_in(panel_keys_.panel());
    state["border"] = json_of(border_keys_.shown());
    state["panel_moved"] = title_of(panel_mover_.panel());
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
            {"group", place.group.empty() ? json() : json(title_of(place.group))},
            {"nothing_to_show", nothing_to_show(place.name, frame)},
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
