#include "ui/panels/flame_view.h"

#include <algorithm>
#include <cmath>

#include "core/base/format.h"

namespace lanescope {

namespace {

constexpr float kBoxRow = 19;  // with a gap below the box
constexpr float kBoxGap = 1;
constexpr float kRoundFrom = 6;  // narrower boxes have corners
constexpr float kLeastLabel = 22;
constexpr float kLabelPadding = 5;
constexpr uint32_t kRowsAround = 2;  // visible above the zoomed node

}  // namespace

void FlameView::zoom(uint32_t node) {
    scroll_wanted_ = true;
    zoomed_ = node;
    if (node != 0) cursor_ = node;
}

void FlameView::forget() {
    *this = FlameView();
}

void FlameView::keep_zoom(const FlameTree& before, const FlameTree& after) {
    std::vector<FlameFrame> path;
    for (uint32_t i = zoomed_; i != 0 && i < before.nodes.size(); i = before.nodes[i].parent)
        path.push_back(before.frames[before.nodes[i].frame]);
    cursor_ = hovered_ = menu_ = kNoRow;
    zoomed_ = 0;
    for (; !path.empty(); path.pop_back()) {
        const auto children = after.children(after.nodes[zoomed_]);
        const auto found = std::ranges::find_if(children, [&](const FlameNode& node) {
            return after.frames[node.frame] == path.back();
        });
        if (found == children.end()) return;
        zoomed_ = after.index_of(*found);
    }
}

void FlameView::lay_out(const FlameScene& scene, float width) {
    const auto same = laid_out_.lock() == scene.tree;
    if (same && laid_out_zoom_ == zoomed_ && laid_out_width_ == width) return;
    if (!same) colors_.clear();
    if (zoomed_ >= scene.tree->nodes.size()) zoomed_ = 0;
    laid_out_ = scene.tree;
    laid_out_zoom_ = zoomed_;
    laid_out_width_ = width;
    layout_ = lay_out_flames(*scene.tree, zoomed_, width);
}

const FlameView::Colors& FlameView::colors_of(const FlameScene& scene, uint32_t node,
                                              const Look& look) {
    const uint32_t frame = scene.tree->nodes[node].frame;
    if (theme_ != look.theme) colors_.clear();
    theme_ = look.theme;
    colors_.resize(scene.tree->frames.size());
    Colors& colors = colors_[frame];
    if (colors.fill == 0) {
        const SlotLook slot = look_of(
            look.theme, scene.difference
                            ? difference_color(*scene.difference, node)
                            : flame_color(*scene.trace, *scene.tree, scene.tree->frames[frame]));
        colors = {slot.fill.packed(), slot.edge.packed(), slot.text.packed()};
    }
    return colors;
}

float FlameView::row_y(const FlameScene& scene, uint32_t row, const Look& look) const {
    const uint32_t place = scene.upwards ? layout_.row_count() - 1 - row : row;
    return look.px(kBoxRow) * static_cast<float>(place);
}

const FlameBox* FlameView::box_of(uint32_t node) const {
    const auto found = std::ranges::find_if(
        layout_.boxes, [&](const FlameBox& box) { return box.node == node && box.count == 1; });
    return found == layout_.boxes.end() ? nullptr : &*found;
}

bool FlameView::is_selected(const FlameScene& scene, uint32_t node) {
    if (scene.difference) {
        const DifferenceBox& box = scene.difference->boxes[node];
        return scene.selected_call &&
               (box.longest_a == scene.selected_call || box.longest_b == scene.selected_call);
    }
    const FlameFrame& frame = scene.tree->frames[scene.tree->nodes[node].frame];
    return scene.selected != 0 && frame.name == scene.selected &&
           frame.kind == FlameFrame::Kind::call;
}

std::string FlameView::label_of(const FlameScene& scene, uint32_t node) {
    if (scene.difference) return difference_label(*scene.difference, node);
    return flame_label(*scene.trace, scene.tree->frames[scene.tree->nodes[node].frame]);
}

void FlameView::draw_box(const FlameScene& scene, const FlameBox& box, const Drawn& at,
                         const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float width = at.x1 - at.x0;
    const float rounding = width >= look.px(kRoundFrom) ? look.px(2) : 0;
    if (box.count > 1) {
        list.AddRectFilled({at.x0, at.y0}, {at.x1, at.y1}, look.colors.line);
        return;
    }
    Colors colors = colors_of(scene, box.node, look);
    const float fade = !at.bright ? 0.78f : box.around ? 0.55f : 0;
    if (fade > 0) {
        colors.fill = mixed(colors.fill, look.colors.panel, fade);
        colors.edge = mixed(colors.edge, look.colors.panel, fade);
        colors.text = at.bright ? look.colors.mid : look.colors.low;
    }
    list.AddRectFilled({at.x0, at.y0}, {at.x1, at.y1}, colors.fill, rounding);
    if (colors.edge != colors.fill && width >= look.px(3))
        list.AddRect({at.x0, at.y0}, {at.x1, at.y1}, colors.edge, rounding);
    if (is_selected(scene, box.node) && width >= look.px(3))
        list.AddRect({at.x0, at.y0}, {at.x1, at.y1}, look.colors.accent, rounding, look.px(1.5f));
    if (width < look.px(kLeastLabel)) return;
    draw_text_cut(
        list, look, look.fonts.regular, type::kSecondary,
        {at.x0 + look.px(kLabelPadding), text_y(look, type::kSecondary, at.y0, at.y1 - at.y0)},
        colors.text, label_of(scene, box.node), width - look.px(2 * kLabelPadding));
}

void FlameView::draw_boxes(const FlameScene& scene, ImVec2 origin, const Look& look) {
    const float row_height = look.px(kBoxRow);
    const ImVec2 clip_min = ImGui::GetWindowDrawList()->GetClipRectMin();
    const ImVec2 clip_max = ImGui::GetWindowDrawList()->GetClipRectMax();
    drawn_.clear();
    for (uint32_t row = 0; row < layout_.row_count(); ++row) {
        const float y = origin.y + row_y(scene, row, look);
        if (y + row_height <= clip_min.y || y >= clip_max.y) continue;
        for (uint32_t i = layout_.row_begin[row]; i < layout_.row_begin[row + 1]; ++i) {
            const FlameBox& box = layout_.boxes[i];
            Drawn at{box.node,
                     box.count,
                     origin.x + static_cast<float>(box.x0),
                     y,
                     origin.x + static_cast<float>(box.x1),
                     y + row_height - look.px(kBoxGap),
                     box.around,
                     true};
            // Neighbours are a pixel apart, if they are wide enough.
            if (at.x1 - at.x0 >= look.px(3)) at.x1 -= look.px(kBoxGap);
            at.bright =
                !scene.matches ||
                (box.count == 1 && scene.matches->frames[scene.tree->nodes[box.node].frame]);
            draw_box(scene, box, at, look);
            drawn_.push_back(at);
        }
    }
}

void FlameView::draw_menu(const FlameScene& scene, FlameAnswer& answer) {
    if (!ImGui::BeginPopup("flame menu")) return;
    if (menu_ < scene.tree->nodes.size() && menu_ != 0) {
        const FlameNode& node = scene.tree->nodes[menu_];
        const std::string name(scene.difference
                                   ? scene.difference->boxes[menu_].name
                                   : frame_text(*scene.trace, scene.tree->frames[node.frame]));
        if (ImGui::MenuItem("Show the longest on the timeline", nullptr, false, !!node.longest))
            answer.find = node.longest;
        if (ImGui::MenuItem("Zoom to it")) zoom(menu_);
        if (!scene.difference) {
            if (ImGui::MenuItem("Its callers and callees")) answer.sandwich = node.frame;
            if (ImGui::MenuItem("Search for its name")) answer.search = name;
        }
        if (ImGui::MenuItem("Copy its name")) ImGui::SetClipboardText(name.c_str());
    }
    ImGui::EndPopup();
}

void FlameView::take_pointer(const FlameScene& scene, ImVec2 origin, const Look& look,
                             FlameAnswer& answer) {
    hovered_ = kNoRow;
    ImGui::SetCursorScreenPos(origin);
    const float height = look.px(kBoxRow) * static_cast<float>(std::max(layout_.row_count(), 1U));
    const bool pressed = ImGui::InvisibleButton("boxes", {std::max(laid_out_width_, 1.0f), height});
    const bool over = ImGui::IsItemHovered();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const FlameBox* box = nullptr;
    const auto place = static_cast<uint32_t>(std::max(0.0f, mouse.y - origin.y) / look.px(kBoxRow));
    if (over && place < layout_.row_count())
        box =
            layout_.at(scene.upwards ? layout_.row_count() - 1 - place : place, mouse.x - origin.x);
    if (box) {
        const float y = origin.y + row_y(scene, box->row, look);
        ImGui::GetWindowDrawList()->AddRect(
            {origin.x + static_cast<float>(box->x0), y},
            {origin.x + static_cast<float>(box->x1) - look.px(kBoxGap),
             y + look.px(kBoxRow - kBoxGap)},
            look.colors.hi, look.px(2));
        if (box->count > 1) {
            ImGui::SetTooltip(
                "%s", format_count(box->count, scene.difference ? "function" : "call",
                                   scene.difference ? "functions, each too short to be drawn: "
                                                      "zoom in"
                                                    : "calls, each too short to be drawn: zoom in")
                          .c_str());
        } else {
            hovered_ = box->node;
            if (scene.difference)
                draw_difference_card(*scene.difference, box->node, look);
            else
                draw_flame_card(*scene.trace, *scene.tree, scene.tree->nodes[box->node], look);
        }
    }
    const SliceRef longest = hovered_ == kNoRow ? SliceRef() : scene.tree->nodes[hovered_].longest;
    if (hovered_ != kNoRow && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
        answer.find = longest;
    if (pressed && hovered_ != kNoRow) {
        zoom(hovered_);
        answer.clicked = hovered_;
    }
    if (hovered_ != kNoRow && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) {
        menu_ = hovered_;
        ImGui::OpenPopup("flame menu");
    }
    draw_menu(scene, answer);
}

// Moves from box to box; what is too narrow to be drawn is skipped.
void FlameView::move_cursor(const FlameScene& scene, ImGuiKey key) {
    cursor_moved_ = true;
    const FlameBox* const box = cursor_ == kNoRow ? nullptr : box_of(cursor_);
    if (!box) {
        cursor_ = layout_.boxes.empty() ? kNoRow : layout_.boxes[layout_.row_begin[0]].node;
        return;
    }
    const FlameTree& tree = *scene.tree;
    const uint32_t parent = tree.nodes[cursor_].parent;
    if (key == (scene.upwards ? ImGuiKey_DownArrow : ImGuiKey_UpArrow)) {
        if (parent != 0) cursor_ = parent;
    } else if (key == (scene.upwards ? ImGuiKey_UpArrow : ImGuiKey_DownArrow)) {
        const auto child = std::ranges::find_if(layout_.boxes, [&](const FlameBox& other) {
            return other.count == 1 && tree.nodes[other.node].parent == cursor_;
        });
        if (child != layout_.boxes.end()) cursor_ = child->node;
    } else {
        const std::ptrdiff_t step = key == ImGuiKey_RightArrow ? 1 : -1;
        const FlameBox* const first = layout_.boxes.data() + layout_.row_begin[box->row];
        const FlameBox* const end = layout_.boxes.data() + layout_.row_begin[box->row + 1];
        const FlameBox* next = box + step;
        while (next >= first && next < end && next->count > 1) next += step;
        if (next >= first && next < end) cursor_ = next->node;
    }
}

// After F6 the arrows belong to the panel; Enter also after a click.
void FlameView::take_keys(const FlameScene& scene, FlameAnswer& answer) {
    if (!ImGui::IsWindowFocused() || ImGui::GetIO().WantTextInput) return;
    const bool has_arrows = (ImGui::GetIO().ConfigFlags & ImGuiConfigFlags_NavEnableKeyboard) != 0;
    if (has_arrows) {
        for (const ImGuiKey key :
             {ImGuiKey_UpArrow, ImGuiKey_DownArrow, ImGuiKey_LeftArrow, ImGuiKey_RightArrow})
            if (ImGui::IsKeyPressed(key)) move_cursor(scene, key);
        if (ImGui::IsKeyPressed(ImGuiKey_Space, false) && cursor_ != kNoRow) zoom(cursor_);
        if (ImGui::IsKeyPressed(ImGuiKey_Home, false)) zoom(0);
    }
    const bool enter = ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
                       ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false);
    if (enter && cursor_ != kNoRow && cursor_ < scene.tree->nodes.size())
        answer.find = scene.tree->nodes[cursor_].longest;
}

FlameAnswer FlameView::draw(const char* id, const FlameScene& scene, ImVec2 size,
                            const Look& look) {
    FlameAnswer answer;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    // Arrows move from box to box, not between controls.
    const bool shown = ImGui::BeginChild(id, size, ImGuiChildFlags_None,
                                         ImGuiWindowFlags_NoNavInputs | ImGuiWindowFlags_NoMove);
    ImGui::PopStyleVar();
    if (shown) {
        lay_out(scene, std::floor(ImGui::GetContentRegionAvail().x));
        ImVec2 origin = ImGui::GetCursorScreenPos();
        // Callers grow from the bottom of the view.
        const float height = look.px(kBoxRow) * static_cast<float>(layout_.row_count());
        if (scene.upwards) origin.y += std::max(0.0f, ImGui::GetContentRegionAvail().y - height);
        draw_boxes(scene, origin, look);
        take_keys(scene, answer);
        take_pointer(scene, origin, look, answer);
        const FlameBox* const box = cursor_ == kNoRow ? nullptr : box_of(cursor_);
        if (box && ImGui::IsWindowFocused() && !box->around) {
            const float y = origin.y + row_y(scene, box->row, look);
            ImGui::GetWindowDrawList()->AddRect(
                {origin.x + static_cast<float>(box->x0), y},
                {origin.x + static_cast<float>(box->x1) - look.px(kBoxGap),
                 y + look.px(kBoxRow - kBoxGap)},
                look.colors.accent, look.px(2), look.px(2));
        }
        const float view = ImGui::GetWindowHeight();
        if (std::exchange(scroll_wanted_, false)) {
            const FlameBox* const top = zoomed_ == 0 ? nullptr : box_of(zoomed_);
            const uint32_t row = top ? top->row - std::min(top->row, kRowsAround) : 0;
            ImGui::SetScrollY(scene.upwards ? height : row_y(scene, row, look));
        } else if (std::exchange(cursor_moved_, false) && box) {
            const float y = row_y(scene, box->row, look);
            if (y < ImGui::GetScrollY()) ImGui::SetScrollY(y);
            if (y + look.px(kBoxRow) > ImGui::GetScrollY() + view)
                ImGui::SetScrollY(y + look.px(kBoxRow) - view);
        }
    }
    ImGui::EndChild();
    return answer;
}

}  // namespace lanescope
