#include "core/export/findings_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "core/base/format.h"
#include "core/export/summary_writer.h"
#include "core/export/terminal_text.h"
#include "core/trace/short_name.h"

namespace lanescope {

namespace {

using FindingJson = nlohmann::ordered_json;

std::string device_text(const TraceContext& context, const Findings& findings,
                        const Finding& finding) {
    return finding.device == Finding::kNoDevice
               ? std::string()
               : device_label(context.trace(), findings.summary, finding.device);
}

std::string value_text(const Evidence& evidence) {
    if (!std::isfinite(evidence.value) || evidence.unit.empty()) return {};
    if (evidence.unit == "ns") return format_duration(evidence.value);
    if (evidence.unit == "ratio") return format_percent(evidence.value);
    if (evidence.unit == "bytes") return format_bytes(std::llround(evidence.value));
    return format_count(static_cast<int64_t>(std::llround(evidence.value)));
}

// Texts of files may contain line breaks.
std::string one_line(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!blank)
            out += c;
        else if (!out.empty() && out.back() != ' ')
            out += ' ';
    }
    return printable(out);
}

std::string evidence_text(const Evidence& evidence) {
    const std::string value = value_text(evidence);
    return one_line(evidence.text) + (value.empty() ? "" : ": " + value);
}

std::string evidence_list(const Finding& finding) {
    std::string list;
    for (const Evidence& evidence : finding.evidence)
        list += (list.empty() ? "" : "; ") + evidence_text(evidence);
    return list;
}

std::string place_text(const Trace& trace, const FindingPlace& place) {
    std::string text = fmt::format("{} at {}", format_duration(place.range.length()),
                                   format_duration(place.range.begin - trace.origin));
    if (!place.name.empty())
        text += ": " + cut_to_width(printable(short_name(place.name, EventClass::kernel)), 80);
    return text;
}

std::string places_list(const Trace& trace, const Finding& finding) {
    std::string list;
    for (const FindingPlace& place : finding.places)
        list += (list.empty() ? "" : "; ") + place_text(trace, place);
    return list;
}

// The union of the times of all findings, by device.
std::string together(const TraceContext& context, const Findings& findings) {
    std::string lines;
    for (uint32_t device = 0; device < findings.windows.size(); ++device) {
        Intervals times;
        for (const Finding& finding : findings.all)
            if (finding.device == device) add(times, finding.times);
        const bool has_cost = std::ranges::any_of(findings.all, [&](const Finding& finding) {
            return finding.device == device && finding.cost;
        });
        const Findings::Window& window = findings.windows[device];
        const std::string label = device_label(context.trace(), findings.summary, device);
        if (window.length <= 0)
            lines += fmt::format("{}: no work in this time.\n", label);
        else if (!has_cost)
            lines += fmt::format(
                "{}: busy for {} of the {} of {}; no rule reached its threshold, nor {}.\n", label,
                format_share(window.busy, window.length), window.of_steps ? "steps" : "span",
                format_duration(window.length), format_percent(findings.min_share));
        if (!times.empty())
            lines +=
                fmt::format("{}: together {} of {}.\n", label, format_duration(total_length(times)),
                            format_duration(window.length));
    }
    return lines;
}

}  // namespace

struct FindingTableRow {
    const Finding& finding;
    std::string device, places, evidence;
};

namespace {

constexpr auto kFindingColumns = columns<FindingTableRow>({
    {{"rule", Unit::none, kDistinct, "", "The rule that found it."},
     [](const FindingTableRow& row) { return row.finding.rule; }},
    {{"severity", Unit::none, kDistinct, "",
      "high: at least 10 % of the analysed time; medium: 3 %; low; info: it costs no time."},
     [](const FindingTableRow& row) { return severity_name(row.finding.severity); }},
    {{"title", Unit::none, kDistinct, "", "The finding in one sentence."},
     [](const FindingTableRow& row) { return std::string_view(row.finding.title); }},
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
    {where_rows_differ({"device", Unit::none, kDistinct, "", "The GPU."}),
     [](const FindingTableRow& row) { return std::string_view(row.device); }},
    {{"evidence", Unit::none, kDistinct, "", "The figures that it rests on."},
     [](const FindingTableRow& row) { return std::string_view(row.evidence); }},
    {{"places", Unit::none, kDistinct, "", "Where to look, the largest first."},
     [](const FindingTableRow& row) { return std::string_view(row.places); }},
    {{"advice", Unit::none, kDistinct, "", "What to try."},
     [](const FindingTableRow& row) { return std::string_view(row.finding.advice); }},
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

std::vector<std::string> evidence_lines(const Finding& finding) {
    std::vector<std::string> lines;
    lines.reserve(finding.evidence.size());
    for (const Evidence& evidence : finding.evidence) lines.push_back(evidence_text(evidence));
    return lines;
}

Table findings_table(const TraceContext& context, const Findings& findings) {
    TableBuilder table(kFindingsTable);
    for (const Finding& finding : findings.all)
        table.add({finding, device_text(context, findings, finding),
                   places_list(context.trace(), finding), evidence_list(finding)});
    return table.take();
}

Table thresholds_table(const Thresholds& thresholds) {
    TableBuilder table(kThresholdsTable);
    for (const FindingRule& rule : rules())
        for (const ThresholdSpec& spec : rule.thresholds)
            table.add({rule, spec, thresholds.of(rule.id, spec.name)});
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
        const std::string device = device_text(context, findings, finding);
        std::string head = fmt::format("{}. {}", ++number, severity_name(finding.severity));
        if (finding.cost)
            head += fmt::format(" · {} · {}", format_duration(*finding.cost),
                                format_percent(finding.share));
        if (findings.windows.size() > 1 && !device.empty()) head += " · " + device;
        if (finding.confidence != Confidence::certain)
            head += fmt::format(" · {}", confidence_name(finding.confidence));
        if (!finding.part_of.empty()) head += fmt::format(" · part of {}", finding.part_of);
        out += bold(head + " · " + std::string(finding.rule), style) + "\n";
        add("   ", one_line(finding.title) + ".");
        if (!finding.evidence.empty()) add("   ", evidence_list(finding) + ".");
        if (!finding.places.empty())
            add("   ", "First place: " + place_text(context.trace(), finding.places.front()) + ".");
        add("   ", finding.advice);
    }
    const std::string sum = together(context, findings);
    if (!sum.empty()) return out + (out.empty() ? "" : "\n") + sum;
    if (findings.all.empty()) out += "Nothing was found.\n";
    return out;
}

std::string findings_as_json(const TraceContext& context, const Findings& findings) {
    const Trace& trace = context.trace();
    const auto place = [&](const FindingPlace& one) {
        return FindingJson{{"start_ns", one.range.begin - trace.origin},
                           {"duration_ns", one.range.length()},
                           {"lane", one.lane == SliceRef::no_index
                                        ? FindingJson()
                                        : FindingJson(trace.strings[trace.lanes[one.lane].name])},
                           {"name", one.name}};
    };
    FindingJson list = FindingJson::array();
    for (const Finding& finding : findings.all) {
        FindingJson object = {
            {"id", finding.rule},
            {"severity", severity_name(finding.severity)},
            {"title", finding.title},
            {"cost_ns", finding.cost ? FindingJson(*finding.cost) : FindingJson()},
            {"cost_kind", cost_kind_name(finding.cost_kind)},
            {"cost_per_step_ns",
             finding.cost_per_step ? FindingJson(*finding.cost_per_step) : FindingJson()},
            {"share", finding.share},
            {"confidence", confidence_name(finding.confidence)},
            {"part_of", finding.part_of.empty() ? FindingJson() : FindingJson(finding.part_of)},
            {"device", finding.device == Finding::kNoDevice
                           ? FindingJson()
                           : FindingJson(device_text(context, findings, finding))},
            {"where", finding.places.empty() ? FindingJson() : place(finding.places.front())}};
        object["places"] = FindingJson::array();
        for (const FindingPlace& one : finding.places) object["places"].push_back(place(one));
        object["evidence"] = FindingJson::array();
        for (const Evidence& evidence : finding.evidence)
            object["evidence"].push_back(
                {{"text", evidence.text},
                 {"value", evidence.unit.empty() ? FindingJson() : FindingJson(evidence.value)},
                 {"unit", evidence.unit.empty() ? FindingJson() : FindingJson(evidence.unit)},
                 {"column",
                  evidence.column.empty() ? FindingJson() : FindingJson(evidence.column)}});
        object["advice"] = finding.advice;
        object["link"] = fmt::format("docs/findings/{}.md", finding.rule);
        list.push_back(std::move(object));
    }
    return list.dump(1, ' ', false, FindingJson::error_handler_t::replace) + "\n";
}

}  // namespace lanescope
