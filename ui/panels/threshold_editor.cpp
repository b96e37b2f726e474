#include "ui/panels/threshold_editor.h"

#include <fmt/format.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "ui/panels/table_cells.h"

namespace lanescope {

namespace {

constexpr float kFieldWidth = 84;

}  // namespace

std::optional<ThresholdChange> ThresholdEditor::draw_rule(const FindingRule& rule,
                                                          const Thresholds& thresholds,
                                                          const Look& look) {
    std::optional<ThresholdChange> change;
    ImGui::PushFont(look.fonts.regular, type::kTable);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(6), look.px(2)});
    for (const ThresholdSpec& spec : rule.thresholds) {
        const std::string key = fmt::format("{}.{}", rule.id, spec.name);
        const double value = thresholds.of(rule.id, spec);
        const bool differs = value != spec.usual;
        std::string text = edited_ == key ? typed_ : threshold_text(spec.unit, value);
        ImGui::PushID(key.c_str());
        ImGui::SetNextItemWidth(look.px(kFieldWidth));
        if (differs) ImGui::PushStyleColor(ImGuiCol_Text, look.colors.accent);
        const bool entered = ImGui::InputText(
            "##value", &text,
            ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
        if (differs) ImGui::PopStyleColor();
        places_[key] = middle_of_item();
        if (ImGui::IsItemActive()) {
            edited_ = key;
            typed_ = text;
        } else if (edited_ == key) {
            edited_.clear();
        }
        if (entered) change = ThresholdChange{key, text};
        ImGui::SameLine();
        if (differs) {
            if (ImGui::SmallButton("Reset")) change = ThresholdChange{key, {}};
            ImGui::SetItemTooltip("%s", threshold_text(spec.unit, spec.usual).c_str());
            places_["reset " + key] = middle_of_item();
            ImGui::SameLine();
        }
        ImGui::PushTextWrapPos(0);
        ImGui::PushStyleColor(ImGuiCol_Text, differs ? look.colors.hi : look.colors.mid);
        ImGui::TextUnformatted(fmt::format("{}: {}", spec.name, spec.about).c_str());
        ImGui::PopStyleColor();
        ImGui::PopTextWrapPos();
        ImGui::PopID();
    }
    ImGui::PopStyleVar();
    ImGui::PopFont();
    return change;
}

Result<void> change_threshold(const ThresholdChange& change,
                              std::map<std::string, std::string>& written) {
    if (change.value.empty()) {
        written.erase(change.key);
        return {};
    }
    Thresholds thresholds;
    if (Result<void> set = thresholds.set(change.key, change.value); !set) return set;
    if (thresholds.are_usual())
        written.erase(change.key);
    else
        written[change.key] = change.value;
    return {};
}

bool has_changes(const FindingRule& rule, const Thresholds& thresholds) {
    return std::ranges::any_of(rule.thresholds, [&](const ThresholdSpec& spec) {
        return thresholds.of(rule.id, spec) != spec.usual;
    });
}

std::string changed_thresholds_text(const Thresholds& thresholds) {
    std::size_t changed = 0;
    for (const FindingRule& rule : rules())
        changed += static_cast<std::size_t>(std::ranges::count_if(
            rule.thresholds,
            [&](const ThresholdSpec& spec) { return thresholds.of(rule.id, spec) != spec.usual; }));
    if (changed == 0) return {};
    return changed == 1 ? std::string("1 threshold differs from its default.")
                        : fmt::format("{} thresholds differ from their defaults.", changed);
}

}  // namespace lanescope
