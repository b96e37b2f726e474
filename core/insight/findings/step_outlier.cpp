// Some steps take longer than the others.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/base/format.h"
#include "core/insight/findings/host_times.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct StepOutlierRule : RuleBase {
    static constexpr RuleText kText = {"step-outlier", "Some steps take longer", "steps"};
    double min_ratio =
        number("min_ratio", 1.05, "an outlier's duration divided by the median of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
    std::optional<Finding> without_device(const RuleInput& input) const;
};
template FindingRule rule_of<StepOutlierRule>();

namespace {

struct StepPartOf {
    std::string_view name;
    std::string_view (*rule)();  // ID of the rule that counts this time; null: none
    Nanos (*of)(const SummaryStep& step);
};
constexpr std::array kParts = {
    StepPartOf{"GPU work", nullptr, [](const SummaryStep& step) { return step.times.busy; }},
    StepPartOf{"idle in the data loader", id_of<DataloaderWaitRule>,
               [](const SummaryStep& step) { return step.times.data_loading; }},
    StepPartOf{"idle because of the host", id_of<OverheadBoundRule>,
               [](const SummaryStep& step) { return step.times.overhead; }},
    StepPartOf{"other idle time", nullptr,
               [](const SummaryStep& step) {
                   return step.times.whole - step.times.busy - step.times.data_loading -
                          step.times.overhead;
               }},
};

double median_of(std::vector<Nanos> values) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? static_cast<double>(values[middle])
                                  : static_cast<double>(values[middle - 1] + values[middle]) / 2;
}

struct Grown {
    const StepPartOf* part;
    double more;  // ns
};

// For each part of a step: the sum over the outliers of the time beyond the median of that part.
// The largest sum comes first.
std::vector<Grown> what_grew(const std::vector<const SummaryStep*>& steady,
                             const std::vector<const SummaryStep*>& outliers) {
    std::vector<Grown> grown;
    for (const StepPartOf& part : kParts) {
        std::vector<Nanos> values;
        values.reserve(steady.size());
        for (const SummaryStep* step : steady) values.push_back(part.of(*step));
        const double usual = median_of(values);
        double more = 0;
        for (const SummaryStep* step : outliers)
            more += static_cast<double>(part.of(*step)) - usual;
        grown.push_back({&part, more});
    }
    std::ranges::stable_sort(grown, std::greater(), &Grown::more);
    return grown;
}

struct OddSteps {
    std::vector<const SummaryStep*> steady;
    std::vector<const SummaryStep*> outliers;
    double excess = 0;  // ns beyond the median
    std::vector<FindingPlace> places;
};

// `counts`: whether a process's steps count. An outlier takes at least `least_ratio` medians.
template <typename Counts>
OddSteps odd_steps(const RuleInput& input, double least_ratio, const Counts& counts) {
    const SummarySteps& steps = input.summary.steps;
    const Steps& all = input.context.get<Steps>();
    OddSteps odd;
    for (const SummaryStep& row : steps.all) {
        const Step& step = all.all[row.step];
        if (row.warm_up || !counts(step.process) || !is_inside(input, step.range)) continue;
        odd.steady.push_back(&row);
        const auto length = static_cast<double>(row.time);
        if (!row.outlier || length < steps.median * least_ratio) continue;
        odd.outliers.push_back(&row);
        odd.excess += length - steps.median;
        odd.places.push_back({step.slice, step.range,
                              step.slice ? step.slice.lane : SliceRef::no_index,
                              full_step_label(input.trace(), all, row.step)});
    }
    keep_largest(odd.places);
    return odd;
}

// `grown`: the part that grew most; empty: not known.
void describe_outliers(const RuleInput& input, const OddSteps& odd, std::string_view grown,
                       Finding& finding) {
    finding.places = odd.places;
    finding.title = fmt::format(
        "{} longer than the median of {}: {} more{}{}",
        odd.outliers.size() == 1 ? fmt::format("{} takes", odd.places.front().name)
                                 : format_count(odd.outliers.size(), "step takes", "steps take"),
        format_duration(input.summary.steps.median), format_duration(odd.excess),
        grown.empty() ? "" : ", mostly ", grown);
    finding.advice =
        "Compare such a step with its neighbour on the timeline. Usual causes are the data "
        "loader, garbage collection (gc.freeze(), gc.disable() in the loop), checkpoints and "
        "evaluation, other programs on the machine, and lower clocks.";
}

struct HostPart {
    std::string_view name;
    std::string_view rule;  // that counts this time
    Intervals times;
};

// Adds by how much each part of the odd steps is longer than in the median step. Returns the part
// that grew most; null: none did.
const HostPart* add_host_parts(const RuleInput& input, const std::vector<HostPart>& parts,
                               const OddSteps& odd, Finding& finding) {
    const Steps& all = input.context.get<Steps>();
    const HostPart* most = nullptr;
    double most_time = 0;
    for (const HostPart& part : parts) {
        std::vector<Nanos> values;
        for (const SummaryStep* step : odd.steady)
            values.push_back(covered_length(part.times, all.all[step->step].range));
        const double usual = median_of(std::move(values));
        double more = 0;
        for (const SummaryStep* step : odd.outliers)
            more +=
                static_cast<double>(covered_length(part.times, all.all[step->step].range)) - usual;
        if (more <= 0) continue;
        finding.evidence.push_back(
            {fmt::format("more {} than in the median step", part.name), more, "ns", ""});
        if (more > most_time) most = &part;
        most_time = std::max(most_time, more);
    }
    return 2 * most_time > odd.excess ? most : nullptr;
}

}  // namespace

// The finding for a program without a GPU.
std::optional<Finding> StepOutlierRule::without_device(const RuleInput& input) const {
    const OddSteps odd = odd_steps(input, min_ratio, [](uint32_t) { return true; });
    if (odd.outliers.empty()) return {};
    Finding finding;
    finding.cost = static_cast<Nanos>(odd.excess);
    finding.share = odd.excess / static_cast<double>(total_length(steady_steps_of(input)));
    finding.cost_per_step = odd.excess / static_cast<double>(odd.steady.size());
    finding.severity = severity_of(finding.share);
    finding.evidence = {
        {"steps without warm-up", static_cast<double>(odd.steady.size()), "count", "steps.index"}};
    const HostTimes host = HostTimes::of(input);
    const std::vector<HostPart> parts = {
        {"communication without computing", id_of<CommExposedRule>(), host.exposed()},
        {"time in the data loader", id_of<DataloaderWaitRule>(), host.loading}};
    const HostPart* const most = add_host_parts(input, parts, odd, finding);
    if (most) finding.part_of = most->rule;
    describe_outliers(input, odd, most ? most->name : "", finding);
    return finding;
}

std::optional<Finding> StepOutlierRule::on_device(const RuleInput& input,
                                                  const DeviceWindow& device) const {
    const OddSteps odd = odd_steps(
        input, min_ratio, [&](uint32_t process) { return bool(device.summary->users[process]); });
    if (odd.outliers.empty() || device.length <= 0) return {};
    Finding finding = finding_on(device, static_cast<Nanos>(odd.excess));
    const std::vector<Grown> grown = what_grew(odd.steady, odd.outliers);
    for (const Grown& one : grown)
        if (one.more > 0)
            finding.evidence.push_back(
                {fmt::format("more {} than in the median step", one.part->name), one.more, "ns",
                 ""});
    if (finding.evidence.empty())
        finding.evidence.push_back({"no part of these steps is longer than usual", 0, "", ""});
    const bool has_part = grown.front().more > 0;
    if (const auto rule = grown.front().part->rule; has_part && rule) finding.part_of = rule();
    describe_outliers(input, odd, has_part ? grown.front().part->name : "", finding);
    return finding;
}

}  // namespace lanescope
