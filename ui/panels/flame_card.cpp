// The card that describes a box of a flame graph.
#include "core/base/format.h"
#include "ui/panels/flame_view.h"

namespace lanescope {

namespace {

constexpr float kFlameCard = 380;

void card_fact(const Look& look, float width, std::string_view label, const std::string& value) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    draw_text(list, look, look.fonts.regular, type::kTable, at, look.colors.mid, label);
    const float length = text_width(look, look.fonts.regular, type::kTable, value);
    draw_text(list, look, look.fonts.regular, type::kTable, {at.x + width - length, at.y},
              look.colors.hi, value);
    ImGui::Dummy({width, look.px(16)});
}

std::string_view kind_of_frame(const FlameTree& tree, const FlameFrame& frame) {
    if (frame.kind == FlameFrame::Kind::lane) return "thread";
    if (tree.sampled) return "sampled function";
    return event_class_name(frame.event_class);
}

void card_line(ImU32 color, const std::string& text) {
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopStyleColor();
}

}  // namespace

void draw_difference_card(const DifferenceFlames& flames, uint32_t node, const Look& look) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(12), look.px(9)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(3)});
    if (ImGui::BeginTooltip()) {
        ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + look.px(kFlameCard));
        ImGui::PushFont(look.fonts.medium, type::kText);
        card_line(look.colors.hi, flames.boxes[node].name);
        ImGui::PopFont();
        ImGui::PushFont(look.fonts.regular, type::kTable);
        for (const std::string& fact : difference_facts(flames, node))
            card_line(look.colors.hi, fact);
        ImGui::PopFont();
        ImGui::PushFont(look.fonts.regular, type::kSecondary);
        const DifferenceBox& box = flames.boxes[node];
        card_line(look.colors.low,
                  box.longest_a || box.longest_b
                      ? "Click: zoom, and its row · double click: its longest call in A or B"
                      : "Click: zoom");
        ImGui::PopFont();
        ImGui::PopTextWrapPos();
        ImGui::EndTooltip();
    }
    ImGui::PopStyleVar(2);
}

void draw_flame_card(const Trace& trace, const FlameTree& tree, const FlameNode& node,
                     const Look& look) {
    const FlameFrame& frame = tree.frames[node.frame];
    const float width = look.px(kFlameCard);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(12), look.px(9)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(2)});
    if (ImGui::BeginTooltip()) {
        std::string kind(kind_of_frame(tree, frame));
        if (frame.module != 0 && frame.kind == FlameFrame::Kind::call)
            kind += " · " + std::string(trace.strings[frame.module]);
        draw_text(*ImGui::GetWindowDrawList(), look, look.fonts.regular, type::kSecondary,
                  ImGui::GetCursorScreenPos(), look.colors.low, kind);
        ImGui::Dummy({width, look.px(14)});
        ImGui::PushFont(look.fonts.medium, type::kText);
        ImGui::PushStyleColor(ImGuiCol_Text, look.colors.hi);
        ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
        std::string name(frame_text(trace, frame));
        constexpr std::size_t kMostBytes = 400;
        if (name.size() > kMostBytes) name = name.substr(0, character_at(name, kMostBytes)) + "…";
        ImGui::TextUnformatted(name.c_str());
        ImGui::PopTextWrapPos();
        ImGui::PopStyleColor();
        ImGui::PopFont();
        ImGui::Dummy({width, look.px(2)});
        const int64_t whole = tree.root().total;
        card_fact(
            look, width, "Total",
            flame_weight_text(tree.weight, node.total) + " · " + format_share(node.total, whole));
        card_fact(
            look, width, "Self",
            flame_weight_text(tree.weight, node.self) + " · " + format_share(node.self, whole));
        if (node.parent != 0 && node.parent != kNoRow)
            card_fact(look, width, "Share of the box around it",
                      format_share(node.total, tree.nodes[node.parent].total));
        if (node.calls > 0)
            card_fact(look, width, "Calls", format_count(static_cast<int64_t>(node.calls)));
        if (node.longest)
            card_fact(look, width, "Longest call", format_duration(node.longest_duration));
        ImGui::Dummy({width, look.px(2)});
        draw_text(*ImGui::GetWindowDrawList(), look, look.fonts.regular, type::kSecondary,
                  ImGui::GetCursorScreenPos(), look.colors.low,
                  node.longest ? "Click: zoom · double click: the longest on the timeline"
                               : "Click: zoom");
        ImGui::Dummy({width, look.px(14)});
        ImGui::EndTooltip();
    }
    ImGui::PopStyleVar(2);
}

}  // namespace lanescope
