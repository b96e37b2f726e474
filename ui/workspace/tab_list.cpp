#include "ui/workspace/tab_list.h"

#include <icons_font_awesome_6.h>
#include <imgui_internal.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace lanescope {

namespace {

constexpr const char* kList = "list of tabs";

bool is_button(const ImGuiTabItem& tab) {
    return (tab.Flags & ImGuiTabItemFlags_Button) != 0;
}

// Whether some tabs have no space.
bool is_crowded(const ImGuiDockNode& node) {
    float width = 0;
    for (const ImGuiTabItem& tab : node.TabBar->Tabs)
        if (!is_button(tab)) width += tab.ContentWidth + ImGui::GetStyle().ItemInnerSpacing.x;
    return width > node.Size.x - 2 * ImGui::GetStyle().FramePadding.x;
}

std::vector<ImGuiDockNode*> rows_of_tabs(std::span<const std::string_view> panels) {
    std::vector<ImGuiDockNode*> nodes;
    for (const std::string_view panel : panels) {
        const ImGuiWindow* const window = ImGui::FindWindowByName(panel.data());
        if (!window || !window->DockIsActive || !window->DockNode || !window->DockNode->TabBar)
            continue;
        if (std::ranges::find(nodes, window->DockNode) == nodes.end())
            nodes.push_back(window->DockNode);
    }
    return nodes;
}

}  // namespace

void TabList::add_button(ImGuiDockNode& node, const Look& look) {
    if (!ImGui::DockNodeBeginAmendTabBar(&node)) return;
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
    const bool pressed = ImGui::TabItemButton(
        ICON_FA_CHEVRON_DOWN "##list", ImGuiTabItemFlags_Trailing | ImGuiTabItemFlags_NoTooltip);
    ImGui::PopStyleColor();
    ImGui::SetItemTooltip("All panels of this row");
    const ImVec2 min = ImGui::GetItemRectMin();
    const ImVec2 max = ImGui::GetItemRectMax();
    button_ = ImVec2{(min.x + max.x) / 2, (min.y + max.y) / 2};
    if (pressed) {
        wanted_ = true;
        of_ = node.ID;
        above_ = min.y > ImGui::GetMainViewport()->Size.y / 2;
        corner_ = {max.x, above_ ? min.y : max.y};
    }
    ImGui::DockNodeEndAmendTabBar();
}

// Dear ImGui scrolls to a clicked tab before it knows the button and all widths: another panel that
// comes to the front, or the first one, would be beyond the end of the row.
void TabList::show_front_tab(ImGuiDockNode& node) {
    ImGuiTabBar& bar = *node.TabBar;
    const ImGuiTabItem* const tab = ImGui::TabBarFindTabByID(&bar, bar.VisibleTabId);
    if (!tab || tab->LastFrameVisible < ImGui::GetFrameCount() - 1) return;
    const float left = tab->Offset - bar.ScrollingAnim;
    const float room = bar.ScrollingRectMaxX - bar.ScrollingRectMinX;
    const bool in_view = left >= 0 && left + tab->Width <= room;
    ImGuiID& shown = in_front_[node.ID];
    if (shown == tab->ID) return;
    if (in_view) {
        shown = tab->ID;
    } else {
        bar.ScrollingAnim = bar.ScrollingTarget;  // of the last frame: at once
        bar.NextScrollToTabId = tab->ID;
    }
}

std::optional<std::string> TabList::draw_list(std::span<const std::string_view> panels) {
    std::optional<std::string> chosen;
    ImGui::SetNextWindowPos(corner_, ImGuiCond_Always, {1, above_ ? 1.0f : 0.0f});
    if (!ImGui::BeginPopup(kList)) return chosen;
    const ImGuiDockNode* const node = ImGui::DockBuilderGetNode(of_);
    if (!node || !node->TabBar) {
        ImGui::CloseCurrentPopup();
    } else {
        for (const ImGuiTabItem& tab : node->TabBar->Tabs) {
            if (is_button(tab) || !tab.Window) continue;
            const auto panel = std::ranges::find_if(panels, [&](std::string_view name) {
                return ImGui::FindWindowByName(name.data()) == tab.Window;
            });
            if (panel == panels.end()) continue;
            const std::string name(*panel);
            if (ImGui::MenuItem(tab.Window->Name, nullptr, tab.ID == node->TabBar->VisibleTabId))
                chosen = name;
            const ImVec2 min = ImGui::GetItemRectMin();
            const ImVec2 max = ImGui::GetItemRectMax();
            lines_.push_back({name, {(min.x + max.x) / 2, (min.y + max.y) / 2}});
        }
    }
    ImGui::EndPopup();
    return chosen;
}

std::optional<std::string> TabList::draw(std::span<const std::string_view> panels,
                                         const Look& look) {
    button_.reset();
    lines_.clear();
    for (ImGuiDockNode* const node : rows_of_tabs(panels))
        if (is_crowded(*node)) {
            add_button(*node, look);
            show_front_tab(*node);
        }
    if (std::exchange(wanted_, false)) ImGui::OpenPopup(kList);
    return draw_list(panels);
}

}  // namespace lanescope
