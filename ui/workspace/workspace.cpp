#include "ui/workspace/workspace.h"

#include <imgui_internal.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "ui/commands/panel_names.h"

namespace lanescope {

namespace {

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

nlohmann::json json_of(const Box& box) {
    return {box.x0, box.y0, box.x1, box.y1};
}

nlohmann::json json_of(const TabList& list) {
    nlohmann::json result = {{"button", nullptr}, {"lines", nlohmann::json::object()}};
    if (list.button()) result["button"] = {list.button()->x, list.button()->y};
    for (const TabList::Line& line : list.lines())
        result["lines"][std::string(window_title(line.panel))] = {line.middle.x, line.middle.y};
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

bool Workspace::take(const Request& request, Frame& frame) {
    if (const auto* const panel = std::get_if<ShowPanel>(&request))
        frame.show_panel(panel->name);
    else if (const auto* const selected = std::get_if<Describe>(&request))
        frame.front.show_description_of(selected->what);
    else
        return false;
    return true;
}

void Workspace::act(Action action, Frame& frame) {
    switch (action) {
        case Action::tables:
            frame.settings.tables_shown = !frame.settings.tables_shown;
            if (!frame.settings.tables_shown)
                frame.notify("The tables are hidden. " + keys_of(frame.keys, action) +
                             " shows them.");
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
                    window_title(window->Name),
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
    state["panel_moved"] = window_title(panel_mover_.panel());
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
            {"group", place.group.empty() ? json() : json(window_title(place.group))},
            {"nothing_to_show", nothing_to_show(place.name, frame)},
            {"lit", place.lit},
            {"tab_text", place.tab_text},
            {"table", has_table ? place.panel->describe_table() : json()}};
        const json& table = state["panels"][std::string(place.name)]["table"];
        if (table.is_object() && table.contains("rows_in_view") &&
            state["table_rows_in_view"].is_null())
            state["table_rows_in_view"] = table["rows_in_view"];
    }
    for (const Panel* const panel : panels_) panel->describe(frame, state);
}

}  // namespace lanescope
