// The GPU idles because the launching thread prepares input.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/format.h"
#include "core/insight/findings/input_work.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct InputPreparationRule : RuleBase {
    static constexpr RuleText kText = {"input-preparation",
                                       "The GPU waits while the host prepares input",
                                       "steps, GPU work and its launches", RuleAbout::idle_time};
    double min_share = ratio("min_share", 0.05,
                             "idle time while the host prepares input, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<InputPreparationRule>();

namespace {

constexpr std::size_t kFunctionsNamed = 3;

// The idle time during the outermost functions that prepare input, by name, the longest first.
std::vector<FindingEvidence> by_function(const RuleInput& input, const Intervals& idle) {
    const Trace& trace = input.trace();
    const NameTest prepares(trace.strings, is_input_function);
    std::map<std::string_view, Nanos> times;
    for (const SliceRef slice : slices_named(input, prepares)) {
        const CallTree& tree = input.trees.by_lane[slice.lane];
        const uint32_t parent = tree.parent.empty() ? CallTree::none : tree.parent[slice.index];
        if (parent != CallTree::none && caller_with(input, {slice.lane, parent}, prepares))
            continue;
        const TimeRange range{trace.start(slice), trace.slice_end(slice)};
        if (const Nanos time = covered_length(idle, range); time > 0)
            times[trace.name(slice)] += time;
    }
    std::vector<FindingEvidence> evidence;
    for (const auto& [name, time] : times)
        evidence.push_back(duration_of(fmt::format("idle during {}", name), time, ""));
    std::ranges::stable_sort(evidence, std::greater(), &FindingEvidence::value);
    if (evidence.size() > kFunctionsNamed) evidence.resize(kFunctionsNamed);
    return evidence;
}

// Places on the threads that launch the device's work.
std::vector<FindingPlace> places_in(const RuleInput& input, const DeviceWindow& device,
                                    const Intervals& idle) {
    LaneId lane = SliceRef::no_index;
    for (const GpuWork& work : device.work->work)
        if (const SliceRef call = input.attribution.launch[work.row]; call && device.counts(work)) {
            lane = call.lane;
            break;
        }
    std::vector<FindingPlace> places;
    for (const TimeRange& range : idle)
        places.push_back({{}, range, lane, "idle while the host prepares input"});
    keep_largest(places);
    return places;
}

// The work of the host before launches is not recorded, but launching is fast enough.
void describe_unnamed(const DeviceWindow& device, Finding& finding) {
    finding.confidence = Confidence::likely;
    finding.title =
        fmt::format("The GPU idles for {} at the begin of {}, before the host launches anything",
                    format_duration(*finding.cost), device.steps == 1 ? "the step" : "steps");
    finding.evidence.push_back(remark(
        "the host is in no call of the runtime meanwhile, and launches fast enough afterwards; "
        "that it prepares input is an assumption"));
}

}  // namespace

std::optional<Finding> InputPreparationRule::on_device(const RuleInput& input,
                                                       const DeviceWindow& device) const {
    const Intervals idle = unite(device.input.named, device.input.before_launches);
    auto finding = finding_for(device, min_share, idle);
    if (!finding) return {};
    finding->title = fmt::format("The GPU idles for {} while the host prepares input",
                                 format_duration(*finding->cost));
    finding->evidence = by_function(input, device.input.named);
    if (2 * total_length(device.input.named) < *finding->cost) describe_unnamed(device, *finding);
    finding->evidence.push_back(duration_of("other idle time that the host causes",
                                            total_length(device.overhead), "steps.overhead_ns"));
    finding->evidence.push_back({"longest queue of launched work, with the launch itself",
                                 static_cast<double>(device.summary->deepest_queue), "count",
                                 "launches.queue_depth"});
    finding->advice =
        "Prepare the next input while the GPU works on this one: in other processes "
        "(DataLoader(num_workers=…)) or in a thread, or on the GPU (torchvision.transforms.v2, "
        "use_fast=True of Hugging Face's processors). Prepare inputs that repeat only once.";
    finding->places = places_in(input, device, idle);
    return finding;
}

}  // namespace lanescope
