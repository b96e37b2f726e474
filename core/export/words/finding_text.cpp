#include "core/export/words/finding_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/export/words/device_label.h"
#include "core/export/words/terminal_text.h"
#include "core/trace/devices.h"
#include "core/trace/short_name.h"

namespace lanescope {

namespace {

constexpr std::size_t kLongestName = 80;
constexpr std::string_view kIdleBefore = "idle before ";

std::string device_of(const TraceContext& context, const Findings& found, const Finding& finding) {
    if (finding.device == Finding::kNoDevice) return {};
    const std::string label = device_label(context.trace(), found.summary, finding.device);
    return finding.alike.empty() ? label
                                 : fmt::format("{} and {} more", label, finding.alike.size());
}

std::string_view name_of_rule(std::string_view id) {
    const auto rule = std::ranges::find(rules(), id, &FindingRule::id);
    return rule == rules().end() ? id : rule->title;
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

std::string evidence_text(const FindingEvidence& evidence) {
    const std::string value = evidence_value(evidence);
    return one_line(evidence.text) + (value.empty() ? "" : ": " + value);
}

std::string place_text(const Trace& trace, const FindingPlace& place) {
    std::string text = fmt::format("{} at {}", format_duration(place.range.length()),
                                   format_duration(place.range.begin - trace.origin));
    if (place.name.empty()) return text;
    // Only the kernel's name is shortened, not the words before it.
    const bool idle = place.name.starts_with(kIdleBefore);
    const std::string_view name =
        std::string_view(place.name).substr(idle ? kIdleBefore.size() : 0);
    text += fmt::format(": {}{}", idle ? kIdleBefore : std::string_view(),
                        cut_to_width(printable(compact_name(name)), kLongestName));
    return text;
}

using FindingJson = nlohmann::ordered_json;

// The number of a slice among those of all lanes, by (lane, index): its id in SQL.
uint64_t id_of(const Trace& trace, SliceRef slice) {
    uint64_t id = slice.index;
    for (LaneId lane = 0; lane < slice.lane; ++lane) id += trace.lanes[lane].slice_count;
    return id;
}

FindingJson place_json(const Trace& trace, const FindingPlace& place) {
    return {{"start_ns", place.range.begin - trace.origin},
            {"duration_ns", place.range.length()},
            {"lane", place.lane == SliceRef::no_index
                         ? FindingJson()
                         : FindingJson(trace.strings[trace.lanes[place.lane].name])},
            {"name", place.name},
            {"slice_id", place.slice ? FindingJson(id_of(trace, place.slice)) : FindingJson()}};
}

}  // namespace

std::string evidence_value(const FindingEvidence& evidence) {
    if (!std::isfinite(evidence.value) || evidence.unit.empty()) return {};
    if (evidence.unit == "ns") return format_duration(evidence.value);
    if (evidence.unit == "ratio") return format_percent(evidence.value);
    if (evidence.unit == "bytes") return format_bytes(std::llround(evidence.value));
    return format_count(static_cast<int64_t>(std::llround(evidence.value)));
}

FindingText finding_text(const TraceContext& context, const Findings& found,
                         const Finding& finding) {
    FindingText text;
    text.severity = severity_name(finding.severity);
    text.rule = finding.rule;
    text.name = name_of_rule(finding.rule);
    const Trace& trace = context.trace();
    text.title = in_device_words(trace, one_line(finding.title)) + ".";
    if (finding.cost) {
        text.cost = format_duration(*finding.cost);
        text.share = format_percent(finding.share);
    }
    if (finding.cost_per_step) text.cost_per_step = format_duration(*finding.cost_per_step);
    if (found.windows.size() > 1) text.device = device_of(context, found, finding);
    if (finding.confidence != Confidence::certain)
        text.confidence = confidence_name(finding.confidence);
    text.part_of = finding.part_of;
    for (const FindingEvidence& evidence : finding.evidence)
        text.evidence.push_back(in_device_words(trace, evidence_text(evidence)));
    for (const FindingPlace& place : finding.places)
        text.places.push_back(place_text(trace, place));
    text.advice = in_device_words(trace, finding.advice);
    text.page = fmt::format("docs/findings/{}.md", finding.rule);
    return text;
}

std::string finding_sentence(const TraceContext& context, const Findings& found,
                             const Finding& finding) {
    const FindingText text = finding_text(context, found, finding);
    std::string sentence = text.title.substr(0, text.title.size() - 1) + " (";
    if (!text.device.empty()) sentence += text.device + ", ";
    sentence += text.rule;
    if (!text.cost_per_step.empty())
        sentence += fmt::format(": {} a step, {}", text.cost_per_step, text.share);
    else if (!text.cost.empty())
        sentence += fmt::format(": {}, {}", text.cost, text.share);
    if (!text.confidence.empty()) sentence += fmt::format("; {}", text.confidence);
    if (!text.part_of.empty()) sentence += fmt::format("; part of {}", text.part_of);
    return sentence + ").";
}

namespace {

// The cost is per step if the trace has steps, as the costs of single findings are.
std::string together_sentence(const std::string& label, Nanos cost,
                              const Findings::Window& window) {
    const std::string share = format_share(cost, window.length);
    if (window.steps == 0)
        return fmt::format("{}: the trace spans {}; the findings concern {} of it ({}).", label,
                           format_duration(window.length), format_duration(cost), share);
    const auto of_step = [&](Nanos time) {
        return format_duration(static_cast<double>(time) / static_cast<double>(window.steps));
    };
    const std::string mean =
        window.steps > 1 ? fmt::format(" (mean of {} steady steps)", format_count(window.steps))
                         : std::string();
    return fmt::format("{}: a step takes {}{}; the findings concern {} of it ({}).", label,
                       of_step(window.length), mean, of_step(cost), share);
}

}  // namespace

// The union of the times of all findings, by device.
std::vector<std::string> findings_conclusion(const TraceContext& context, const Findings& found) {
    std::vector<std::string> lines;
    // If the host is ahead or the GPU late, the story says so.
    if (const auto& lag = found.summary.steps.lag; lag && lag->pace == StepPace::behind)
        lines.push_back(lag_sentence(*lag));
    for (uint32_t device = 0; device < found.windows.size(); ++device) {
        Intervals times;
        bool has_cost = false;
        for (const std::vector<Finding>* const findings : {&found.all, &found.repeated})
            for (const Finding& finding : *findings) {
                if (finding.device != device) continue;
                add(times, finding.times);
                has_cost = has_cost || finding.cost;
            }
        const Findings::Window& window = found.windows[device];
        const std::string label = device_label(context.trace(), found.summary, device);
        if (window.is_minor)
            lines.push_back(label +
                            ": hardly used; its idle time is no loss, and is not looked at.");
        else if (window.is_outside_steps)
            lines.push_back(label + ": its work is in no step, and is not looked at.");
        else if (window.length <= 0)
            lines.push_back(label + ": no work in this time.");
        else if (!has_cost)
            lines.push_back(fmt::format(
                "{}: busy for {} of the {} of {}; no finding above {}.", label,
                format_share(window.busy, window.length), window.steps > 0 ? "steps" : "span",
                format_duration(window.length), format_percent(found.min_share)));
        if (!times.empty()) lines.push_back(together_sentence(label, total_length(times), window));
    }
    if (lines.empty() && found.all.empty())
        lines.emplace_back(
            context.trace().gpu_activities.slice.empty()
                ? "Nothing was found: the file has no GPU work, which most rules look at."
                : "Nothing was found.");
    return lines;
}

nlohmann::ordered_json finding_json(const TraceContext& context, const Findings& found,
                                    const Finding& finding) {
    const Trace& trace = context.trace();
    const auto known = [](std::string_view text) {
        return text.empty() ? FindingJson() : FindingJson(text);
    };
    FindingJson object = {
        {"id", finding.rule},
        {"severity", severity_name(finding.severity)},
        {"title", in_device_words(trace, finding.title)},
        {"cost_ns", finding.cost ? FindingJson(*finding.cost) : FindingJson()},
        {"cost_kind", cost_kind_name(finding.cost_kind)},
        {"cost_per_step_ns",
         finding.cost_per_step ? FindingJson(*finding.cost_per_step) : FindingJson()},
        {"share", finding.share},
        {"confidence", confidence_name(finding.confidence)},
        {"part_of", known(finding.part_of)},
        {"device", finding.device == Finding::kNoDevice
                       ? FindingJson()
                       : FindingJson(device_label(trace, found.summary, finding.device))},
        {"where",
         finding.places.empty() ? FindingJson() : place_json(trace, finding.places.front())}};
    object["also_on"] = FindingJson::array();
    for (const Finding& other : found.repeated)
        if (other.rule == finding.rule && std::ranges::count(finding.alike, other.device) > 0)
            object["also_on"].push_back(
                {{"device", device_label(trace, found.summary, other.device)},
                 {"cost_ns", *other.cost},
                 {"cost_per_step_ns",
                  other.cost_per_step ? FindingJson(*other.cost_per_step) : FindingJson()},
                 {"share", other.share}});
    object["places"] = FindingJson::array();
    for (const FindingPlace& one : finding.places)
        object["places"].push_back(place_json(trace, one));
    object["evidence"] = FindingJson::array();
    for (const FindingEvidence& evidence : finding.evidence)
        object["evidence"].push_back(
            {{"text", in_device_words(trace, evidence.text)},
             {"value", evidence.unit.empty() ? FindingJson() : FindingJson(evidence.value)},
             {"unit", known(evidence.unit)},
             {"column", known(evidence.column)}});
    object["advice"] = in_device_words(trace, finding.advice);
    object["link"] = fmt::format("docs/findings/{}.md", finding.rule);
    return object;
}

}  // namespace lanescope
