// Some steps take longer than the others.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/base/format.h"
#include "core/insight/findings/rule_list.h"

namespace lanescope {

namespace {

constexpr std::string_view kOutlierId = "step-outlier";
constexpr std::array kOutlierThresholds = {
    ThresholdSpec{"min_ratio", 1.05, ThresholdUnit::number,
                  "an outlier's duration divided by the median of the steps"},
};

std::vector<Finding> find_outliers(const RuleInput& input);

constexpr FindingRule kOutlierRule = {kOutlierId, "Some steps take longer", "steps and GPU work",
                                      kOutlierThresholds, find_outliers};

struct StepPartOf {
    std::string_view name;
    std::string_view rule;  // that counts this time; empty: none
    Nanos (*of)(const SummaryStep& step);
};
constexpr std::array kParts = {
    StepPartOf{"GPU work", "", [](const SummaryStep& step) { return step.times.busy; }},
    StepPartOf{"idle in the data loader", "dataloader-wait",
               [](const SummaryStep& step) { return step.times.data_loading; }},
    StepPartOf{"idle because of the host", "overhead-bound",
               [](const SummaryStep& step) { return step.times.overhead; }},
    StepPartOf{"other idle time", "",
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

std::vector<Finding> find_outliers(const RuleInput& input) {
    std::vector<Finding> findings;
    const SummarySteps& steps = input.summary.steps;
    const Steps& all = input.context.get<Steps>();
    for (const DeviceWindow& device : input.devices) {
        std::vector<const SummaryStep*> steady;
        std::vector<const SummaryStep*> outliers;
        double excess = 0;
        Finding found;
        for (const SummaryStep& row : steps.all) {
            const Step& step = all.all[row.step];
            if (row.warm_up || !device.summary->users[step.process] ||
                !is_inside(input, step.range))
                continue;
            steady.push_back(&row);
            const auto length = static_cast<double>(step.range.length());
            if (!row.outlier ||
                length < steps.median * input.thresholds.of(kOutlierId, "min_ratio"))
                continue;
            outliers.push_back(&row);
            excess += length - steps.median;
            found.places.push_back({step.slice, step.range,
                                    step.slice ? step.slice.lane : SliceRef::no_index,
                                    step_label(input.trace(), all, row.step)});
        }
        if (outliers.empty() || device.length <= 0) continue;
        Finding finding = finding_on(kOutlierRule, device, static_cast<Nanos>(excess));
        finding.places = std::move(found.places);
        keep_largest(finding.places);
        const std::vector<Grown> grown = what_grew(steady, outliers);
        for (const Grown& one : grown)
            if (one.more > 0)
                finding.evidence.push_back(
                    {fmt::format("more {} than in the median step", one.part->name), one.more, "ns",
                     ""});
        if (finding.evidence.empty())
            finding.evidence.push_back({"no part of these steps is longer than usual", 0, "", ""});
        const bool has_part = grown.front().more > 0;
        if (has_part) finding.part_of = grown.front().part->rule;
        finding.title = fmt::format(
            "{} longer than the median of {}: {} more{}",
            outliers.size() == 1 ? fmt::format("{} takes", finding.places.front().name)
                                 : format_count(outliers.size(), "step takes", "steps take"),
            format_duration(steps.median), format_duration(excess),
            has_part ? fmt::format(", mostly {}", grown.front().part->name) : "");
        finding.advice =
            "Compare such a step with its neighbour on the timeline. Usual causes are the data "
            "loader, garbage collection (gc.freeze(), gc.disable() in the loop), checkpoints and "
            "evaluation, other programs on the machine, and lower clocks.";
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace

FindingRule step_outlier() {
    return kOutlierRule;
}

}  // namespace lanescope
