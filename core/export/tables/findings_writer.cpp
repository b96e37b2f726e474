#include "core/export/tables/findings_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/export/tables/summary_writer.h"
#include "core/export/words/device_label.h"
#include "core/export/words/finding_text.h"
#include "core/export/words/terminal_text.h"

namespace lanescope {

namespace {

std::string list_text(const std::vector<std::string>& items) {
    std::string list;
    for (const std::string& item : items) list += (list.empty() ? "" : "; ") + item;
    return list;
}

}  // namespace

struct FindingTableRow {
    const Finding& finding;
    std::string title, device, places, evidence, advice;
};

namespace {

constexpr auto kFindingColumns = columns<FindingTableRow>({
    {{"rule", Unit::none, kDistinct, "", "The rule that found it."},
     [](const FindingTableRow& row) { return row.finding.rule; }},
    {{"severity", Unit::none, kDistinct, "",
      "high: at least 10 % of the analysed time; medium: 3 %; low; info: it costs no time."},
     [](const FindingTableRow& row) { return severity_name(row.finding.severity); }},
    {{"title", Unit::none, kDistinct, "", "The finding in one sentence."},
     [](const FindingTableRow& row) { return std::string_view(row.title); }},
    {{"cost_ns", Unit::nanoseconds, kNoAggregate, "it costs no time",
      "Its time in the steady steps or, without steps, in the GPU's span."},
     [](const FindingTableRow& row) { return row.finding.cost; }},
    {{"share", Unit::ratio, kNoAggregate, "", "cost_ns as a fraction of that time."},
     [](const FindingTableRow& row) { return row.finding.share; }},
    {{"cost_per_step_ns", Unit::nanoseconds, kNoAggregate, "",
      "The mean over the steady steps, if there are any."},
     [](const FindingTableRow& row) { return row.finding.cost_per_step.value_or(NAN); }},
    {{"confidence", Unit::none, kDistinct, "",
      "certain: the trace shows it; likely: but for an assumption that the evidence names; "
      "possible: something is not recorded."},
     [](const FindingTableRow& row) { return confidence_name(row.finding.confidence); }},
    {{"part_of", Unit::none, kDistinct, "its time counts for itself",
      "The rule whose finding contains this time."},
     [](const FindingTableRow& row) -> std::optional<std::string_view> {
         if (row.finding.part_of.empty()) return std::nullopt;
         return row.finding.part_of;
     }},
    {where_rows_differ({"device", Unit::none, kDistinct, "",
                        "The GPU, or the GPUs that lose nearly the same share."}),
     [](const FindingTableRow& row) { return std::string_view(row.device); }},
    {{"evidence", Unit::none, kDistinct, "", "The figures that it rests on."},
     [](const FindingTableRow& row) { return std::string_view(row.evidence); }},
    {{"places", Unit::none, kDistinct, "", "Where to look, the largest first."},
     [](const FindingTableRow& row) { return std::string_view(row.places); }},
    {{"advice", Unit::none, kDistinct, "", "What to try."},
     [](const FindingTableRow& row) { return std::string_view(row.advice); }},
});

}  // namespace

const TableOf<FindingTableRow> kFindingsTable = {
    {"findings", "What costs time, how much, why, where, and what to try."},
    kFindingColumns,
    [](const FindingTableRow& row) {
        if (row.finding.places.empty()) return RowTarget{};
        const FindingPlace& first = row.finding.places.front();
        return first.slice ? RowTarget{first.slice, {}} : RowTarget{{}, first.range};
    }};

struct ThresholdTableRow {
    const FindingRule& rule;
    const ThresholdSpec& spec;
    double value;
};

namespace {

constexpr auto kThresholdColumns = columns<ThresholdTableRow>({
    {{"rule", Unit::none, kDistinct, "", "The rule."},
     [](const ThresholdTableRow& row) { return row.rule.id; }},
    {{"name", Unit::none, kDistinct, "", "As in --threshold RULE.NAME=VALUE."},
     [](const ThresholdTableRow& row) { return row.spec.name; }},
    {{"default", Unit::none, kNoAggregate, "", "The value without --threshold."},
     [](const ThresholdTableRow& row) { return row.spec.usual; }},
    {{"value", Unit::none, kNoAggregate, "", "The value now."},
     [](const ThresholdTableRow& row) { return row.value; }},
    {{"unit", Unit::none, kDistinct, "", "ratio, ns or number."},
     [](const ThresholdTableRow& row) { return threshold_unit_name(row.spec.unit); }},
    {{"about", Unit::none, kDistinct, "", "What is compared with it."},
     [](const ThresholdTableRow& row) { return row.spec.about; }},
});

}  // namespace

const TableOf<ThresholdTableRow> kThresholdsTable = {
    {"thresholds", "The thresholds of the rules that make findings."}, kThresholdColumns};

Table findings_table(const TraceContext& context, const Findings& findings) {
    TableBuilder table(kFindingsTable);
    for (const Finding& finding : findings.all) {
        const FindingText text = finding_text(context, findings, finding);
        std::string device;
        if (finding.device != Finding::kNoDevice)
            device = device_label(context.trace(), findings.summary, finding.device);
        for (const uint32_t other : finding.alike)
            device += ", " + device_label(context.trace(), findings.summary, other);
        table.add({finding, text.title.substr(0, text.title.size() - 1), device,
                   list_text(text.places), list_text(text.evidence), text.advice});
    }
    return table.take();
}

Table thresholds_table(const Thresholds& thresholds) {
    TableBuilder table(kThresholdsTable);
    for (const FindingRule& rule : rules())
        for (const ThresholdSpec& spec : rule.thresholds)
            table.add({rule, spec, thresholds.of(rule.id, spec)});
    return table.take();
}

std::string findings_as_text(const TraceContext& context, const Findings& findings,
                             const TextStyle& style) {
    const std::size_t width = style.width > 0 ? static_cast<std::size_t>(style.width) : 100;
    std::string out;
    const auto add = [&](std::string_view indent, const std::string& text) {
        for (const std::string& line : wrap_to_width(text, width - indent.size()))
            out += std::string(indent) + line + "\n";
    };
    std::size_t number = 0;
    for (const Finding& finding : findings.all) {
        const FindingText text = finding_text(context, findings, finding);
        std::string head = fmt::format("{}. {}", ++number, text.severity);
        if (!text.cost_per_step.empty())
            head += fmt::format(" · {} a step · {}", text.cost_per_step, text.share);
        else if (!text.cost.empty())
            head += fmt::format(" · {} · {}", text.cost, text.share);
        if (!text.device.empty()) head += " · " + text.device;
        if (!text.confidence.empty()) head += fmt::format(" · {}", text.confidence);
        if (!text.part_of.empty()) head += fmt::format(" · part of {}", text.part_of);
        out += bold(fmt::format("{} · {}", head, text.rule), style) + "\n";
        add("   ", text.title);
        if (!text.evidence.empty()) add("   ", list_text(text.evidence) + ".");
        if (!text.places.empty()) add("   ", "First place: " + text.places.front() + ".");
        add("   ", text.advice);
    }
    std::vector<std::string> conclusion = findings_conclusion(context, findings);
    if (const auto& lag = findings.summary.steps.lag; lag && lag->pace != StepPace::behind)
        conclusion.insert(conclusion.begin(), lag_sentence(*lag));
    if (!out.empty() && !conclusion.empty()) out += "\n";
    for (const std::string& line : conclusion) out += line + "\n";
    return out;
}

std::string findings_as_json(const TraceContext& context, const Findings& findings) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Finding& finding : findings.all)
        list.push_back(finding_json(context, findings, finding));
    return list.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace lanescope
