// The flame graph of the panel Compare: both runs, coloured by what changed.
#include <fmt/format.h>

#include <algorithm>

#include "core/export/pictures/flame_writer.h"
#include "core/session/small_file.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/save_file.h"
#include "ui/panels/table_cells.h"

namespace lanescope {

namespace {

constexpr float kFlamesPart = 0.5f;  // of the height of the rows
constexpr float kFlamesAtLeast = 80;
constexpr float kSwatch = 11;

}  // namespace

// The scale of the colours, and buttons.
void ComparePanel::draw_flame_tools(const Look& look, Requests& requests) {
    ImGui::PushFont(look.fonts.regular, type::kSecondary);
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(6), look.px(1)});
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted("Time in B as a multiple of A:");
    ImGui::SetItemTooltip(
        "Boxes are as wide as the longer of the two times, which are sums of medians.");
    for (const DifferenceBand& band : difference_bands()) {
        const SlotLook slot = look_of(look.theme, band.color);
        const float swatch = look.px(kSwatch);
        const float needed = swatch + look.px(18) + ImGui::CalcTextSize(band.text.data()).x;
        ImGui::SameLine(0, look.px(10));
        if (ImGui::GetContentRegionAvail().x < needed) ImGui::NewLine();
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float y = at.y + (ImGui::GetFrameHeight() - swatch) / 2;
        ImDrawList& list = *ImGui::GetWindowDrawList();
        list.AddRectFilled({at.x, y}, {at.x + swatch, y + swatch}, slot.fill.packed(), look.px(2));
        list.AddRect({at.x, y}, {at.x + swatch, y + swatch}, slot.edge.packed(), look.px(2));
        ImGui::Dummy({swatch, swatch});
        ImGui::SameLine(0, look.px(4));
        ImGui::AlignTextToFramePadding();
        ImGui::TextUnformatted(band.text.data(), band.text.data() + band.text.size());
    }
    ImGui::SameLine(0, look.px(12));
    if (button("Save SVG", "save", "Save the flame graph as a picture")) {
        FlameSvgOptions options;
        options.theme = look.theme;
        options.title = fmt::format("A: {}, B: {}", shown_->all.comparison.name_a,
                                    shown_->all.comparison.name_b);
        requests.add(SaveRequest{"Picture", free_path("compare", "svg"),
                                 [flames = shown_->flames, options](const std::string& path) {
                                     return write_small_file(
                                         path, difference_flame_svg(*flames, options));
                                 }});
    }
    if (flame_view_.zoomed() != 0) {
        ImGui::SameLine();
        if (button("Reset zoom", "reset", "Show the whole step")) flame_view_.reset_zoom();
    }
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
    ImGui::PopFont();
}

// A click selects the function's longest call in A (or in B), and with it the row in the table.
void ComparePanel::draw_flames(const CompareInputs& inputs, const Look& look, Requests& requests) {
    draw_flame_tools(look, requests);
    FlameScene scene;
    scene.difference = shown_->flames;
    scene.tree = std::shared_ptr<const FlameTree>(shown_->flames, &shown_->flames->tree);
    scene.selected_call = inputs.selected;
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float height = std::max(room.y * kFlamesPart, look.px(kFlamesAtLeast));
    const FlameAnswer answer = flame_view_.draw("flames", scene, {room.x, height}, look);
    if (answer.clicked != kNoRow) {
        const SliceRef longest = scene.tree->nodes[answer.clicked].longest;
        if (longest) requests.add(SelectSlice{longest});
    }
    if (answer.find) requests.add(ZoomToSlice{answer.find});
}

}  // namespace lanescope
