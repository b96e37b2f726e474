#include <algorithm>
#include <chrono>
#include <utility>

#include "core/analysis/critical_path/dependency_graph.h"
#include "core/insight/findings/advice.h"
#include "core/insight/findings/alike_devices.h"
#include "core/insight/findings/device_windows.h"
#include "core/insight/findings/rule.h"
#include "core/insight/summary/together.h"

namespace lanescope {

namespace {

constexpr std::size_t kPlacesKept = 20;
constexpr double kHighShare = 0.10;
constexpr double kMediumShare = 0.03;

// A finding is part of a larger one that contains most of its time.
void find_parts(std::vector<Finding>& findings) {
    for (Finding& finding : findings) {
        std::string_view whole;
        Nanos most = total_length(finding.times) / 2;
        for (const Finding& other : findings) {
            if (other.device != finding.device || other.rule == finding.rule) continue;
            // A finding without times names the other one itself.
            if (finding.times.empty() && other.rule == finding.part_of) whole = other.rule;
            if (other.cost <= finding.cost) continue;
            const Nanos common = total_length(intersect(finding.times, other.times));
            if (common <= most) continue;
            most = common;
            whole = other.rule;
        }
        finding.part_of = whole;
    }
}

}  // namespace

Severity severity_of(double share) {
    return share >= kHighShare     ? Severity::high
           : share >= kMediumShare ? Severity::medium
                                   : Severity::low;
}

Finding finding_on(const DeviceWindow& device, Nanos time) {
    Finding finding;
    finding.device = device.place;
    finding.cost = time;
    finding.share = device.share(time);
    if (device.steps > 0)
        finding.cost_per_step = static_cast<double>(time) / static_cast<double>(device.steps);
    finding.severity = severity_of(finding.share);
    return finding;
}

FindingPlace place_of(const Trace& trace, SliceRef slice) {
    const Nanos start = trace.start(slice);
    return {slice, {start, trace.slice_end(slice)}, slice.lane, std::string(trace.name(slice))};
}

std::vector<FindingPlace> LargestPlaces::take(const Trace& trace) && {
    const auto before = [](const Seed& a, const Seed& b) {
        return std::pair(-a.range.length(), a.range.begin) <
               std::pair(-b.range.length(), b.range.begin);
    };
    const std::size_t kept = std::min(seeds_.size(), kPlacesKept);
    std::ranges::partial_sort(seeds_, seeds_.begin() + static_cast<std::ptrdiff_t>(kept), before);
    std::vector<FindingPlace> places;
    for (const Seed& seed : std::span(seeds_).first(kept))
        places.push_back(seed.is_idle
                             ? FindingPlace{{},
                                            seed.range,
                                            seed.slice.lane,
                                            "idle before " + std::string(trace.name(seed.slice))}
                             : place_of(trace, seed.slice));
    return places;
}

bool is_inside(const RuleInput& input, const TimeRange& step) {
    const auto& range = input.query.range;
    return !range || (step.begin >= range->begin && step.end <= range->end);
}

void keep_largest(std::vector<FindingPlace>& places) {
    std::ranges::stable_sort(places, std::greater(),
                             [](const FindingPlace& place) { return place.range.length(); });
    if (places.size() > kPlacesKept) places.resize(kPlacesKept);
}

namespace {

// The input of all rules.
struct Prepared {
    Summary summary;
    std::vector<DeviceWindow> devices;
};

bool loads_data(const Trace& trace) {
    if (trace.gpu_activities.slice.empty()) return false;
    for (StringId id = 0; id < trace.strings.size(); ++id)
        if (is_data_loading(trace.strings[id])) return true;
    return false;
}

void prepare(const TraceContext& context, const TableQuery& query, Prepared& prepared) {
    prepared.summary = summarise_bounds(context, query, [&] {
        // The cost of the data loader is computed on this graph, which takes longest.
        if (loads_data(context.trace())) context.get<DependencyGraph>();
    });
    prepared.devices = device_windows(context, query, prepared.summary);
}

}  // namespace

Findings find_all(const TraceContext& context, const Thresholds& thresholds,
                  const FindingsQuery& query) {
    Prepared prepared;
    prepare(context, query.table, prepared);
    Findings found;
    found.min_share = query.min_share;
    for (const DeviceWindow& window : prepared.devices)
        found.windows.push_back({window.length, window.bound_times.busy, window.steps,
                                 window.is_minor, window.is_outside_steps,
                                 window.edge.has_value() || window.missing.hides_idle()});
    const RuleInput input{context, query.table, prepared.summary, prepared.devices};
    std::vector<std::vector<Finding>> by_rule(rules().size());
    parallel_for(threads_for(context.trace()), by_rule.size(),
                 [&](std::size_t i) { by_rule[i] = rules()[i].run(input, thresholds); });
    for (std::vector<Finding>& findings : by_rule)
        for (Finding& finding : findings) found.all.push_back(std::move(finding));
    // Without times of calls no time of the host is known.
    if (!context.trace().facts.calls_have_times)
        std::erase_if(found.all, [](const Finding& finding) {
            return finding.device == Finding::kNoDevice &&
                   (finding.cost_kind == CostKind::time || finding.cost_kind == CostKind::saved);
        });
    std::erase_if(found.all, [&](const Finding& finding) {
        return finding.cost && finding.share < query.min_share;
    });
    find_parts(found.all);
    std::ranges::stable_sort(found.all, [](const Finding& a, const Finding& b) {
        return a.cost.value_or(-1) > b.cost.value_or(-1);
    });
    keep_one_of_alike(found);
    if (!found.all.empty() && !uses_torch(context.trace()))
        for (Finding& finding : found.all) advise_without_torch(finding);
    found.summary = std::move(prepared.summary);
    return found;
}

std::vector<std::pair<std::string_view, double>> seconds_by_rule(const TraceContext& context,
                                                                 const Thresholds& thresholds,
                                                                 const FindingsQuery& query) {
    using Clock = std::chrono::steady_clock;
    std::vector<std::pair<std::string_view, double>> all;
    Prepared prepared;
    auto last = Clock::now();
    const auto add = [&](std::string_view name) {
        const auto now = Clock::now();
        all.emplace_back(name, std::chrono::duration<double>(now - last).count());
        last = now;
    };
    prepare(context, query.table, prepared);
    add("summary and windows");
    const RuleInput input{context, query.table, prepared.summary, prepared.devices};
    for (const FindingRule& rule : rules()) {
        (void)rule.run(input, thresholds);
        add(rule.id);
    }
    return all;
}

}  // namespace lanescope
