#include "ui/workspace/panel_groups.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ui/panels/missing_data.h"
#include "ui/timeline/steps_layer.h"

namespace lanescope {

namespace {

constexpr float kToolsGap = 16;
constexpr float kDragOut = 24;  // px at scale 1: a button dragged further becomes a window

}  // namespace

std::string_view nothing_to_show(std::string_view panel, const Frame& frame) {
    if (!frame.timeline.index || (!frame.loaded() && !frame.live())) return {};
    if (const std::string_view missing = missing_data(panel, frame.timeline.trace());
        !missing.empty())
        return missing;
    if (const auto& steps = frame.timeline.layer<StepsLayer>().steps;
        panel == "Steps" && steps && steps->empty())
        return "No steps were found in this trace.";
    return {};
}

std::string_view PanelGroups::shown(const PanelGroup& group) const {
    const auto can_show = [&](std::string_view panel) { return !is_detached(panel); };
    if (const auto found = chosen_.find(group.window); found != chosen_.end()) {
        const Choice& choice = found->second;
        if (can_show(choice.panel) && (choice.now || !empty_.contains(choice.panel)))
            return choice.panel;
    }
    const auto best = std::ranges::find_if(group.panels, [&](std::string_view panel) {
        return can_show(panel) && !empty_.contains(panel);
    });
    if (best != group.panels.end()) return *best;
    const auto any = std::ranges::find_if(group.panels, can_show);
    return any == group.panels.end() ? std::string_view() : *any;
}

void PanelGroups::choose(std::string_view panel) {
    if (const PanelGroup* const group = group_of_panel(panel)) chosen_[group->window] = {panel};
}

void PanelGroups::open_another() {
    for (auto& [window, choice] : chosen_) choice.now = false;
}

std::string_view PanelGroups::window_of(std::string_view panel) const {
    const PanelGroup* const group = group_of_panel(panel);
    return group && !is_detached(panel) ? group->window : panel;
}

std::vector<std::string_view> PanelGroups::windows() const {
    std::vector<std::string_view> windows;
    for (const std::string_view panel : panel_names())
        if (!group_of_panel(panel) || is_detached(panel)) windows.push_back(panel);
    for (const PanelGroup& group : panel_groups()) windows.push_back(group.window);
    return windows;
}

void PanelGroups::begin_frame(const Frame& frame) {
    buttons_.clear();
    const bool known = frame.timeline.index && (frame.loaded() || frame.live());
    const TracePtr trace = known ? frame.timeline.index->trace : nullptr;
    if (empty_in_.lock() == trace && empty_with_ == frame.timeline.layer<StepsLayer>().steps.get())
        return;
    empty_in_ = trace;
    empty_with_ = frame.timeline.layer<StepsLayer>().steps.get();
    empty_.clear();
    for (const std::string_view panel : panel_names())
        if (const std::string_view why = nothing_to_show(panel, frame); !why.empty())
            empty_.emplace(panel, why);
}

Box PanelGroups::button(std::string_view panel) const {
    const auto found = buttons_.find(panel);
    return found == buttons_.end() ? Box{} : found->second;
}

// A click puts the panel in front; dragging the button away, or its menu, gives the panel a window.
std::optional<std::string_view> PanelGroups::draw_button(std::string_view panel, bool chosen,
                                                         Frame& frame) {
    const Look& look = frame.look;
    const auto why_empty = empty_.find(panel);
    const ImU32 text = chosen                      ? look.colors.hi
                       : why_empty != empty_.end() ? mixed(look.colors.panel, look.colors.low, 0.6f)
                                                   : look.colors.mid;
    ImGui::PushStyleColor(ImGuiCol_Text, text);
    ImGui::PushStyleColor(ImGuiCol_Button, chosen ? look.colors.raised : 0);
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, chosen ? 1.0f : 0.0f);
    const bool clicked = ImGui::Button(panel.data());
    ImGui::PopStyleVar();
    ImGui::PopStyleColor(2);
    const ImVec2 min = ImGui::GetItemRectMin();
    const ImVec2 max = ImGui::GetItemRectMax();
    buttons_[panel] = {min.x, min.y, max.x, max.y};
    if (why_empty != empty_.end() && ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip))
        ImGui::SetTooltip("%s", std::string(why_empty->second).c_str());
    if (clicked) choose(panel);
    std::optional<std::string_view> own_window;
    if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, look.px(kDragOut)))
        own_window = panel;
    if (ImGui::BeginPopupContextItem()) {
        if (ImGui::MenuItem("Open in a window of its own")) own_window = panel;
        ImGui::EndPopup();
    }
    return own_window;
}

std::optional<std::string_view> PanelGroups::draw_buttons(const PanelGroup& group, float tools,
                                                          Frame& frame) {
    if (group.panels.size() < 2) return std::nullopt;
    const Look& look = frame.look;
    const std::string_view front = shown(group);
    std::optional<std::string_view> own_window;
    ImGui::PushFont(look.fonts.regular, type::kTable);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(8), look.px(3)});
    bool first = true;
    for (const std::string_view panel : group.panels) {
        if (is_detached(panel)) continue;
        const float width = ImGui::CalcTextSize(panel.data()).x + 2 * look.px(8);
        if (!first) ImGui::SameLine(0, look.px(4));
        if (!first && ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
        first = false;
        if (const auto wanted = draw_button(panel, panel == front, frame)) own_window = wanted;
    }
    ImGui::PopStyleVar();
    ImGui::PopFont();
    const float room = ImGui::GetWindowPos().x + ImGui::GetWindowSize().x -
                       ImGui::GetStyle().WindowPadding.x - ImGui::GetItemRectMax().x;
    if (tools > 0 && tools + look.px(kToolsGap) <= room)
        ImGui::SameLine(0, std::max(look.px(kToolsGap), room - tools));
    return own_window;
}

}  // namespace lanescope
