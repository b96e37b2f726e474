#include "core/base/format.h"
#include "ui/panels/tables.h"

namespace lanescope {

namespace {

void warning_row(const Warning& warning, const Look& look) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(format_count(static_cast<int64_t>(warning.count)).c_str());
    ImGui::TableNextColumn();
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.waiting);
    ImGui::TextUnformatted(warning.code.c_str());
    ImGui::PopStyleColor();
    ImGui::TableNextColumn();
    const bool known = warning.byte_offset != Error::no_offset;
    ImGui::TextUnformatted(known ? format_count(static_cast<int64_t>(warning.byte_offset)).c_str()
                                 : kUnknown.data());
    ImGui::TableNextColumn();
    ImGui::TextWrapped("%s", warning.text.c_str());
}

}  // namespace

void draw_warnings(const Trace* trace, std::span<const Warning> of_models, const Look& look) {
    if (!trace || (trace->warnings.empty() && of_models.empty())) {
        ImGui::TextDisabled(
            "%s", trace ? "No warnings: the file was read whole, and everything in it is shown."
                        : "What was odd about a file is listed here once it is open.");
        return;
    }
    ImGui::PushFont(look.fonts.regular, type::kTable);
    const ImGuiTableFlags flags =
        ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable | ImGuiTableFlags_NoBordersInBody;
    if (ImGui::BeginTable("warnings", 4, flags)) {
        ImGui::TableSetupScrollFreeze(0, 1);
        ImGui::TableSetupColumn("Times", ImGuiTableColumnFlags_WidthFixed, look.px(70));
        ImGui::TableSetupColumn("What", ImGuiTableColumnFlags_WidthFixed, look.px(150));
        ImGui::TableSetupColumn("First at byte", ImGuiTableColumnFlags_WidthFixed, look.px(110));
        ImGui::TableSetupColumn("Explanation", ImGuiTableColumnFlags_WidthStretch);
        ImGui::PushStyleColor(ImGuiCol_Text, look.colors.low);
        ImGui::TableHeadersRow();
        ImGui::PopStyleColor();
        for (const Warning& warning : trace->warnings) warning_row(warning, look);
        for (const Warning& warning : of_models) warning_row(warning, look);
        ImGui::EndTable();
    }
    ImGui::PopFont();
}

}  // namespace lanescope
