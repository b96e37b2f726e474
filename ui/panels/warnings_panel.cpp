#include "ui/panels/warnings_panel.h"

#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "ui/commands/panel_names.h"

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

// The arguments of the loaded trace that models could not use.
const std::vector<Warning>& warnings_model_warnings(const Frame& frame) {
    static const std::vector<Warning> none;
    const LoadedTrace* const loaded = frame.loaded();
    const auto* const warnings = loaded ? loaded->state.find<ModelWarnings>() : nullptr;
    return warnings ? warnings->list : none;
}

}  // namespace

std::string_view WarningsPanel::name() const {
    return kWarningsPanel;
}

void WarningsPanel::draw(Frame& frame) {
    const Trace* const trace = frame.timeline.index ? &frame.timeline.trace() : nullptr;
    const Look& look = frame.look;
    const std::vector<Warning>& model_warnings = warnings_model_warnings(frame);
    if (!trace || (trace->warnings.empty() && model_warnings.empty())) {
        ImGui::TextDisabled(
            "%s", trace ? "No warnings: the file was read whole, and everything in it is shown."
                        : "Warnings about a file appear here once it is open.");
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
        for (const Warning& warning : model_warnings) warning_row(warning, look);
        ImGui::EndTable();
    }
    ImGui::PopFont();
}

void WarningsPanel::describe(const Frame& frame, nlohmann::json& state) const {
    if (frame.timeline.index) state["model_warnings"] = warnings_model_warnings(frame).size();
}

}  // namespace lanescope
