// Sandwich: a list of names, and for the chosen one what calls it, above, and what it calls, below.
#include <algorithm>
#include <cmath>

#include "core/base/format.h"
#include "ui/panels/flame_panel.h"
#include "ui/panels/panel_column.h"
#include "ui/panels/table_cells.h"

namespace lanescope {

namespace {

constexpr float kNamesWidth = 420;
constexpr float kNamesShare = 0.4f;  // of a narrow panel
constexpr float kSandwichGap = 12;
constexpr float kViewHeading = 18;

}  // namespace

uint32_t FlamePanel::chosen_frame() const {
    if (chosen_) {
        const auto found = std::ranges::find(tree_->frames, *chosen_);
        const auto at = static_cast<uint32_t>(found - tree_->frames.begin());
        if (std::ranges::find(*names_, at, &FlameName::frame) != names_->end()) return at;
    }
    return names_->empty() ? kNoRow : names_->front().frame;
}

void FlamePanel::make_sandwich(const PanelInputs& inputs) {
    const uint32_t frame = chosen_frame();
    if (frame == kNoRow || slicing_.busy()) return;
    if (sandwich_in_ == tree_ && sandwich_of_ == tree_->frames[frame]) return;
    slicing_.ask(
        *inputs.jobs,
        [tree = tree_, frame] {
            return Sandwich{std::make_shared<const FlameTree>(callers_of(*tree, frame)),
                            std::make_shared<const FlameTree>(callees_of(*tree, frame))};
        },
        [this, tree = tree_, frame](Sandwich sandwich) {
            sandwich_ = std::move(sandwich);
            sandwich_of_ = tree->frames[frame];
            sandwich_in_ = tree;
            callers_.forget();
            callees_.forget();
        },
        JobQueue::analysis);
}

void FlamePanel::draw_name(const FlameName& name, bool chosen, const PanelInputs& inputs,
                           const Look& look, Requests& requests) {
    const FlameFrame& frame = tree_->frames[name.frame];
    const Trace& trace = made_.context->trace();
    const std::string text(frame_text(trace, frame));
    const bool bright = !matches_are_shown() || matches_->frames[name.frame];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(name.frame));
    if (ImGui::Selectable(
            "##name", chosen,
            ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
        chosen_ = frame;
        if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && name.longest) {
            requests.add(ZoomToSlice{name.longest, inputs.snapshot()});
        }
    }
    const ImVec2 min = ImGui::GetItemRectMin();
    const ImVec2 max = ImGui::GetItemRectMax();
    name_rows_.push_back({name.frame, text, {min.x + look.px(60), (min.y + max.y) / 2}});
    ImGui::PopID();
    ImGui::SameLine(0, 0);
    text_cell(look, flame_label(trace, frame), bright ? look.colors.hi : look.colors.low, text,
              Cut::end);
    ImGui::PushStyleColor(ImGuiCol_Text, bright ? look.colors.mid : look.colors.low);
    const auto number = [](const std::string& value) {
        ImGui::TableNextColumn();
        right_aligned(value);
    };
    const bool time = tree_->weight == FlameWeight::time;
    for (const int64_t amount : {name.self, name.total})
        number(time ? format_duration(Nanos{amount}) : format_count(amount));
    number(format_share(name.total, tree_->root().total));
    ImGui::PopStyleColor();
}

void FlamePanel::draw_names(const PanelInputs& inputs, ImVec2 size, const Look& look,
                            Requests& requests) {
    const ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoBordersInBody;
    ImGui::PushFont(look.fonts.regular, type::kTable);
    if (ImGui::BeginTable("names", 4, flags, size)) {
        ImGui::TableSetupScrollFreeze(0, 1);
        ImGui::TableSetupColumn("Name", ImGuiTableColumnFlags_WidthStretch);
        ImGui::TableSetupColumn("Self", ImGuiTableColumnFlags_WidthFixed, look.px(70));
        ImGui::TableSetupColumn("Total", ImGuiTableColumnFlags_WidthFixed, look.px(70));
        ImGui::TableSetupColumn("Share", ImGuiTableColumnFlags_WidthFixed, look.px(56));
        ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
        ImGui::PushStyleColor(ImGuiCol_Text, look.colors.low);
        column_header(look, 0, false,
                      "Heaviest by itself first; a double click shows its longest "
                      "call on the timeline");
        column_header(look, 1, true, "Without what it calls");
        column_header(look, 2, true, "With what it calls; recursion counts once");
        column_header(look, 3, true, "The total as a part of the whole");
        ImGui::PopStyleColor();
        const uint32_t chosen = chosen_frame();
        if (std::exchange(show_chosen_, false)) {
            const auto at = std::ranges::find(*names_, chosen, &FlameName::frame);
            const auto row = static_cast<float>(at - names_->begin());
            ImGui::SetScrollY(ImGui::GetTextLineHeightWithSpacing() * std::max(row - 2, 0.0f));
        }
        ImGuiListClipper clipper;
        clipper.Begin(static_cast<int>(names_->size()));
        while (clipper.Step())
            for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
                const FlameName& name = (*names_)[static_cast<std::size_t>(i)];
                draw_name(name, name.frame == chosen, inputs, look, requests);
            }
        ImGui::EndTable();
    }
    ImGui::PopFont();
}

void FlamePanel::draw_sandwich(const PanelInputs& inputs, const Look& look, Requests& requests) {
    make_sandwich(inputs);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float names = std::min(look.px(kNamesWidth), std::round(room.x * kNamesShare));
    draw_names(inputs, {names, room.y}, look, requests);
    ImGui::SameLine(0, look.px(kSandwichGap));
    ImGui::BeginGroup();
    if (sandwich_in_ == tree_) {
        const float width = room.x - names - look.px(kSandwichGap);
        const float half =
            std::floor((room.y - 2 * look.px(kViewHeading)) / 2 - ImGui::GetStyle().ItemSpacing.y);
        const auto heading = [&](const char* text) {
            const ImVec2 at = ImGui::GetCursorScreenPos();
            draw_text(*ImGui::GetWindowDrawList(), look, look.fonts.regular, type::kSecondary, at,
                      look.colors.low, text);
            ImGui::Dummy({width, look.px(kViewHeading) - ImGui::GetStyle().ItemSpacing.y});
        };
        heading("Callers");
        FlameScene scene = scene_of(inputs, sandwich_.callers);
        scene.upwards = true;
        const FlameAnswer above = callers_.draw("##callers", scene, {width, half}, look);
        heading("Callees");
        scene = scene_of(inputs, sandwich_.callees);
        const FlameAnswer below = callees_.draw("##callees", scene, {width, half}, look);
        carry_out(above, *sandwich_.callers, requests);
        carry_out(below, *sandwich_.callees, requests);
    }
    ImGui::EndGroup();
}

}  // namespace lanescope
