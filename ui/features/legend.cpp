#include "ui/features/legend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/base/format.h"
#include "core/coloring/color_modes.h"
#include "core/overlays/idle_spans.h"
#include "ui/commands/panel_names.h"
#include "ui/timeline/class_layer.h"
#include "ui/timeline/path_layer.h"

namespace lanescope {

namespace {

constexpr float kWidth = 296;
constexpr float kTop = 48;
constexpr float kBottom = 36;

constexpr ImGuiWindowFlags kCard = ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoDocking |
                                   ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings |
                                   ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoTitleBar |
                                   ImGuiWindowFlags_NoFocusOnAppearing;

void title(const Look& look, const std::string& text) {
    ImGui::PushFont(look.fonts.medium, type::kText);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopFont();
    ImGui::Dummy({0, look.px(2)});
}

// Idle time: hatched for the host, a tint for each cause on the GPU.
void draw_idle_legend(const Look& look) {
    constexpr std::array kCauses = {GapCause::host,
                                    GapCause::synchronisation,
                                    GapCause::copy,
                                    GapCause::dependency,
                                    GapCause::launch_latency,
                                    GapCause::graph,
                                    GapCause::profiler_overhead,
                                    GapCause::recording,
                                    GapCause::unknown};
    ImGui::Dummy({0, look.px(4)});
    title(look, "Where nothing runs");
    ImGui::PushFont(look.fonts.regular, type::kTable);
    const auto line = [&](const IdleLook& colors, bool hatched, std::string_view says) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const ImVec2 end{at.x + look.px(22), at.y + look.px(14)};
        ImDrawList& list = *ImGui::GetWindowDrawList();
        list.AddRectFilled(at, end, hatched ? look.colors.bg : colors.fill.packed());
        if (hatched) {
            list.PushClipRect(at, end, true);
            for (int i = 0; i < 6; ++i) {
                const float x = at.x + look.px(6) * static_cast<float>(i - 2) - look.px(2);
                list.AddLine({x, end.y}, {x + look.px(14), at.y}, colors.line.packed());
            }
            list.PopClipRect();
        }
        list.AddRect(at, end, look.colors.line2);
        ImGui::Dummy({look.px(30), look.px(14)});
        ImGui::SameLine();
        // The tints are faint; the words have the colour of lengths drawn on them.
        ImGui::PushStyleColor(ImGuiCol_Text, hatched ? look.colors.hi : colors.text.packed());
        ImGui::TextUnformatted(says.data(), says.data() + says.size());
        ImGui::PopStyleColor();
    };
    line(dead_window_look(look.theme), true, "dead window: no callee runs");
    for (const GapCause cause : kCauses)
        line(gap_look(look.theme, cause), false,
             "GPU idle: " + std::string(cause == GapCause::unknown ? "launch not recorded"
                                                                   : short_cause(cause)));
    ImGui::PopFont();
}

void draw_path_legend(const Look& look) {
    ImGui::Dummy({0, look.px(4)});
    title(look, "Critical path");
    ImGui::PushFont(look.fonts.regular, type::kTable);
    const auto line = [&](ImU32 color, bool dotted, const char* says) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float y = at.y + look.px(6);
        ImDrawList& list = *ImGui::GetWindowDrawList();
        const float length = dotted ? look.px(3) : look.px(22);
        for (int i = 0; i < (dotted ? 4 : 1); ++i) {
            const float x = at.x + 2 * length * static_cast<float>(i);
            list.AddRectFilled({x, y}, {x + length, y + look.px(3)}, color);
        }
        ImGui::Dummy({look.px(30), look.px(14)});
        ImGui::SameLine();
        ImGui::TextUnformatted(says);
    };
    line(look.colors.costs, false, "the path that determines the step's time");
    line(look.colors.waiting, true, "waits: launch, gap, synchronisation");
    ImGui::PopFont();
}

}  // namespace

std::string chosen_classes(const Timeline& timeline) {
    const SlotSet& chosen = timeline.layer<ClassLayer>().filter.chosen;
    if (!timeline.index || chosen.none()) return {};
    if (chosen.count() > 1) return std::to_string(chosen.count()) + " classes";
    const auto& classes = timeline.index->classes->classes;
    for (std::size_t slot = 0; slot < classes.size(); ++slot)
        if (chosen[slot]) return classes[slot].name;
    return {};
}

void Legend::draw_class(Timeline& timeline, Slot slot, const Look& look) {
    const SliceClass& one = timeline.index->classes->classes[slot];
    ClassFilter& filter = timeline.layer<ClassLayer>().filter;
    const bool away = filter.on() && !filter.chosen[slot];
    const SlotLook colors = look_of(look.theme, one.color);
    const float height = look.px(19);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushID(slot);
    if (ImGui::InvisibleButton("class", {look.px(kWidth), height}, ImGuiButtonFlags_EnableNav))
        choose_class(filter.chosen, slot, ImGui::GetIO().KeyShift);
    ImGui::PopID();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (ImGui::IsItemHovered()) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        list.AddRectFilled({at.x - look.px(6), at.y}, {at.x + look.px(kWidth + 6), at.y + height},
                           ImGui::GetColorU32(ImGuiCol_HeaderHovered), look.px(3));
    }
    lines_.push_back({one.name, slot, {at.x + look.px(60), at.y + std::round(height / 2)}});
    const ImVec2 swatch{at.x, at.y + look.px(3)};
    const ImVec2 end{swatch.x + look.px(22), swatch.y + look.px(13)};
    if (!away) list.AddRectFilled(swatch, end, colors.fill.packed(), look.px(2));
    list.AddRect(swatch, end, away ? look.colors.line2 : colors.edge.packed(), look.px(2));
    const ImU32 text = away ? look.colors.low : look.colors.hi;
    const float y = text_y(look, type::kTable, at.y, height);
    const bool counted = timeline.index->classes->counted;
    const std::string count = counted ? format_count(static_cast<int64_t>(one.count)) : "";
    const float width = text_width(look, look.fonts.regular, type::kTable, count);
    draw_text(list, look, look.fonts.regular, type::kTable, {at.x + look.px(kWidth) - width, y},
              away ? look.colors.low : look.colors.mid, count);
    draw_text_cut(list, look, filter.chosen[slot] ? look.fonts.medium : look.fonts.regular,
                  type::kTable, {at.x + look.px(30), y}, text, one.name,
                  look.px(kWidth - 42) - width);
}

// Says what happens to the other slices, and offers a way back.
void Legend::draw_filter(Timeline& timeline, const Look& look) {
    ClassFilter& filter = timeline.layer<ClassLayer>().filter;
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.low);
    if (!filter.on()) {
        ImGui::TextUnformatted("Click a class to see it alone, Shift+click for more.");
    } else {
        ImGui::TextUnformatted("Others:");
    }
    ImGui::PopStyleColor();
    mode_place_ = {};
    if (!filter.on()) return;
    const auto choice = [&](const char* label, bool chosen) {
        ImGui::SameLine();
        ImGui::PushStyleColor(ImGuiCol_Text, chosen ? look.colors.accent : look.colors.mid);
        const bool pressed = ImGui::SmallButton(label);
        ImGui::PopStyleColor();
        return pressed;
    };
    if (choice("dimmed", !filter.hides)) filter.hides = false;
    if (choice("hidden", filter.hides)) filter.hides = true;
    const ImVec2 min = ImGui::GetItemRectMin();
    const ImVec2 max = ImGui::GetItemRectMax();
    mode_place_ = {(min.x + max.x) / 2, (min.y + max.y) / 2};
    if (choice("all as they are", false)) filter.chosen.reset();
}

void Legend::draw_classes(Timeline& timeline, const Look& look) {
    const SliceClasses& classes = *timeline.index->classes;
    title(look, "Colours by " + std::string(color_mode_word(classes.mode)));
    ImGui::PushFont(look.fonts.regular, type::kTable);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(1)});
    std::vector<Slot> slots;
    for (std::size_t slot = 0; slot < classes.classes.size(); ++slot)
        if (!classes.counted || classes.classes[slot].count > 0)
            slots.push_back(static_cast<Slot>(slot));
    for (const Slot slot : slots) draw_class(timeline, slot, look);
    ImGui::Dummy({0, look.px(3)});
    draw_filter(timeline, look);
    ImGui::PopStyleVar();
    ImGui::PopFont();
}

void Legend::draw(Timeline& timeline, const Look& look, bool shown) {
    lines_.clear();
    if (!shown) return;
    const ImVec2 size = ImGui::GetMainViewport()->Size;
    ImGui::SetNextWindowPos({size.x - look.px(12), look.px(kTop)}, ImGuiCond_Always, {1, 0});
    ImGui::SetNextWindowSizeConstraints({0, 0}, {size.x, size.y - look.px(kTop + kBottom)});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, look.colors.raised);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(16), look.px(12)});
    ImGui::Begin(kLegendWindow, nullptr, kCard);
    if (timeline.index) draw_classes(timeline, look);
    draw_idle_legend(look);
    if (timeline.layer<PathLayer>().shown) draw_path_legend(look);
    ImGui::End();
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
}

}  // namespace lanescope
