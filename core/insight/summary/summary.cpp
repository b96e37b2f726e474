#include "core/insight/summary/summary.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "core/analysis/gpu/gaps.h"
#include "core/analysis/gpu/launches.h"
#include "core/analysis/gpu/occupancy_queries.h"
#include "core/analysis/gpu/step_times.h"
#include "core/analysis/gpu/synchronisations.h"
#include "core/analysis/kernels/kernels.h"
#include "core/analysis/operators/operators.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/lanes.h"
#include "core/insight/summary/together.h"
#include "core/trace/join.h"
#include "core/trace/producers.h"

namespace lanescope {

namespace {

constexpr auto kSummaryColumns = columns<SummaryTableRow>({
    {{"topic", Unit::none, kDistinct, "",
      "What the sentence is about: story, trace, steps, a GPU, idle gaps, collectives, kernels, "
      "operators, lanes, samples, memory, warnings."},
     [](const SummaryTableRow& row) { return row.topic; }},
    {{"text", Unit::none, kDistinct, "", "A sentence, with its numbers."},
     [](const SummaryTableRow& row) { return std::string_view(row.text); }},
});

constexpr std::size_t kKernelsListed = 3;  // with several devices: the first of each
constexpr std::size_t kOperatorsListed = 3;
constexpr std::size_t kLanesListed = 4;

std::vector<SummaryCollectives> summarise_collectives(const TraceContext& context,
                                                      const TableQuery& query) {
    const std::span<const GpuDevice> devices = context.get<GpuDevices>().all;
    std::vector<uint32_t> device_of_row(context.trace().gpu_activities.slice.size());
    for (uint32_t d = 0; d < devices.size(); ++d)
        for (const GpuWork& work : devices[d].work) device_of_row[work.row] = d;
    std::map<std::pair<uint32_t, CollectiveType>, SummaryCollectives> found;
    for (const CollectiveRow& row : collective_rows(context, query)) {
        const uint32_t device = row.activity == kNoRow ? kNoRow : device_of_row[row.activity];
        SummaryCollectives& sums = found[{device, row.type}];
        sums.device = device;
        sums.type = row.type;
        ++sums.calls;
        sums.total += context.trace().duration(row.slice);
        if (row.exposed != kNoValue) sums.exposed += row.exposed;
    }
    std::vector<SummaryCollectives> all;
    all.reserve(found.size());
    for (const auto& [key, sums] : found) all.push_back(sums);
    std::ranges::stable_sort(all, std::greater(), &SummaryCollectives::total);
    return all;
}

// `rows`: kernels by name.
std::vector<SummaryKernel> summarise_kernels(const TraceContext& context,
                                             std::span<const KernelRow> rows,
                                             std::span<const SummaryDevice> devices) {
    std::vector<std::size_t> listed(devices.size());
    const std::vector<uint8_t>& planned = context.get<PlannedByQuery>().by_row;
    std::vector<SummaryKernel> kernels;
    for (const KernelRow& row : rows) {
        const auto device = std::ranges::find_if(devices, [&](const SummaryDevice& d) {
            return d.process == row.process &&
                   (row.device == kNoValue ? d.device < 0 || devices.size() == 1
                                           : d.device == row.device);
        });
        if (device == devices.end()) continue;
        const auto place = static_cast<uint32_t>(device - devices.begin());
        if (listed[place]++ >= (devices.size() == 1 ? kKernelsListed : 1)) continue;
        const bool computes = context.trace().event_class(row.longest) == EventClass::kernel;
        const auto is_planned = [&](uint32_t member) { return planned[member] != 0; };
        kernels.push_back({row.name, place, row.durations.count, row.durations.total, row.share,
                           computes, row.longest, row.durations.p50, row.config != kNoRow,
                           static_cast<uint64_t>(std::ranges::count_if(row.members, is_planned))});
    }
    return kernels;
}

// Whether `lanescope record` saw nothing of the program but its use of CPU and memory.
bool has_only_counters(const Trace& trace) {
    return trace.facts.producer == "lanescope record" && trace.sampled_calls.slice.empty() &&
           std::ranges::none_of(trace.lanes, [](const Lane& lane) { return lane.slice_count > 0; });
}

// Clang writes the sum of all events of a name as one slice "Total NAME", on a thread of its own
// that does not exist. These sums are no work of the program.
bool is_sum_of_clang(const Trace& trace, const Lane& lane) {
    return trace.facts.producer == kClangTimeTrace && lane.kind == LaneKind::thread &&
           lane.slice_count == 1 && trace.strings[LaneView(lane).name(0)].starts_with("Total ");
}

std::vector<SummaryLane> busiest_lanes(const Trace& trace, const TableQuery& query) {
    std::vector<SummaryLane> lanes;
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane)
        if (trace.lanes[lane].slice_count > 0 && trace.lanes[lane].kind != LaneKind::samples &&
            !trace.lanes[lane].derived && !is_sum_of_clang(trace, trace.lanes[lane]))
            lanes.push_back({lane, busy_time(trace, trace.lanes[lane], query.range)});
    std::ranges::stable_sort(lanes, std::greater(), &SummaryLane::busy);
    if (lanes.size() > kLanesListed) lanes.resize(kLanesListed);
    return lanes;
}

// The shapes with which each listed operator takes most time.
void add_shapes(const TraceContext& context, const TableQuery& query, Summary& summary) {
    if (context.trace().operators.input_dims.empty()) return;
    const OperatorRows by_shape = operator_rows(context, OperatorsBy::shape, query.range);
    for (SummaryOperator& op : summary.operators) {
        Nanos longest = -1;
        for (const OperatorRow& row : by_shape.rows) {
            const Nanos time =
                summary.operators_by_device ? row.device_self_by_launch : row.cpu_self;
            if (row.name != op.name || row.kind != TorchRow::cpu || time <= longest) continue;
            longest = time;
            op.shapes = by_shape.groups[row.group];
            op.shape_calls = static_cast<uint64_t>(row.calls);
        }
    }
}

// The number of the longest gaps that make up at least 80 % of the idle time; 0: more than are
// listed.
uint32_t few_gaps(const SummaryDevice& device) {
    Nanos covered = 0;
    uint32_t few = 0;
    while (few < device.gaps.size() && 10 * covered < 8 * device.recorded_idle())
        covered += device.gaps[few++].gap.range.length();
    return 10 * covered >= 8 * device.recorded_idle() ? few : 0;
}

void add_bound(const Steps& steps, const Summary& summary, SummaryDevice& device) {
    for (const SummaryStep& step : summary.steps.all) {
        const bool counts = !step.warm_up && step.bound != StepBound::unknown;
        if (!counts || !device.users[steps.all[step.step].process]) continue;
        ++device.bound_steps;
        device.bound_times += step.times;
    }
    const TimeBreakdown& time = device.time;
    if (device.bound_steps == 0)
        device.bound_times = {time.span - device.at_edges, time.busy, time.exposed_communication,
                              device.data_loading, device.overhead};
    device.bound = step_bound(device.bound_times);
}

void write_device(const Summary& summary, uint32_t place, std::vector<StoryPoint>& story) {
    const SummaryDevice& device = summary.devices[place];
    const TimeBreakdown& time = device.time;
    const auto add_point = [&](StoryKind kind, uint32_t count = 0) {
        story.push_back({kind, place, count});
    };
    const std::optional<StepLag>& lag = summary.steps.lag;
    const bool late = lag && lag->pace == StepPace::late;
    // The share of the span says nothing about a device that begins when the steps have ended.
    if (!late) add_point(StoryKind::gpu_busy);
    if (late || (lag && lag->pace == StepPace::ahead)) add_point(StoryKind::lag);
    // Without steps, "device-bound" would only repeat the busy share of the span.
    if (device.bound_steps > 0 || device.bound != StepBound::device) add_point(StoryKind::bound);
    const bool is_idle = 5 * device.recorded_idle() >= device.recorded_span();
    const uint32_t few = few_gaps(device);
    if (is_idle && device.bound != StepBound::input) {
        if (few > 0 && few < device.gap_count)
            add_point(StoryKind::few_gaps, few);
        else if (!device.causes.empty())
            add_point(StoryKind::idle_cause);
    }
    const auto kernel = std::ranges::find(summary.kernels, place, &SummaryKernel::device);
    if (kernel != summary.kernels.end() && kernel->computes && kernel->share > 0.2)
        add_point(StoryKind::top_kernel);
    if (10 * time.exposed_communication > time.busy && device.bound != StepBound::communication)
        add_point(StoryKind::exposed_communication);
    if (10 * device.pageable_copy_time > time.busy) add_point(StoryKind::pageable_copies);
    // The waits are summed over all devices.
    const auto devices = static_cast<Nanos>(summary.devices.size());
    if (10 * summary.waits.total() > time.span * devices) add_point(StoryKind::waits);
}

// A device that works less than this share of what the busiest one does is a minor one.
constexpr double kMinorWork = 0.1;

// The device that the story is about: the most idle one, but not one that the program hardly uses.
uint32_t most_idle_device(std::span<const SummaryDevice> devices) {
    Nanos most_busy = 0;
    for (const SummaryDevice& device : devices) most_busy = std::max(most_busy, device.time.busy);
    const auto least_busy = static_cast<Nanos>(kMinorWork * static_cast<double>(most_busy));
    uint32_t found = 0;
    Nanos most_idle = -1;
    for (uint32_t place = 0; place < devices.size(); ++place) {
        const TimeBreakdown& time = devices[place].time;
        if (time.busy < least_busy || time.idle <= most_idle) continue;
        most_idle = time.idle;
        found = place;
    }
    return found;
}

void add_samples_to(std::vector<StoryPoint>& story, const Summary& summary) {
    for (uint32_t i = 0; i < summary.samples.size(); ++i)
        if (!summary.samples[i].functions.empty()) story.push_back({StoryKind::samples, 0, i});
}

}  // namespace

const TableOf<SummaryTableRow> kSummaryTable = {
    {"summary", "What happened in a trace, one sentence per row."}, kSummaryColumns};

namespace {

// The number of recorded windows that the steps are of, in the process with most.
uint64_t windows_of(const TraceContext& context, const SummarySteps& steps) {
    const Steps& all = context.get<Steps>();
    std::map<uint32_t, std::set<uint32_t>> windows;
    for (const SummaryStep& row : steps.all)
        windows[all.all[row.step].process].insert(all.all[row.step].window);
    std::size_t most = 1;
    for (const auto& [process, of_process] : windows) most = std::max(most, of_process.size());
    return most;
}

}  // namespace

SummarySteps summarise_steps(const TraceContext& context, const TableQuery& query) {
    const StepTimes times = step_times(context, query);
    SummarySteps steps;
    steps.median = std::numeric_limits<double>::quiet_NaN();
    if (times.rows.empty()) return steps;
    steps.source = context.get<Steps>().source;
    for (const StepRow& row : times.rows) {
        steps.all.push_back(
            {row.step, row.warm_up, row.outlier, row.deviation, row.bound, row.parts, row.time});
        if (row.warm_up) ++steps.warm_up;
    }
    steps.windows = windows_of(context, steps);
    steps.lag = step_lag(context, query);
    steps.median = times.durations.p50;
    steps.min = times.durations.min;
    steps.max = times.durations.max;
    return steps;
}

void summarise_operators(const TraceContext& context, const TableQuery& query, Summary& summary) {
    const Trace& trace = context.trace();
    if (!trace.facts.calls_have_times) return;
    for (const OperatorRow& row : operator_rows(context, OperatorsBy::name, query.range).rows) {
        if (row.kind != TorchRow::cpu || !row.longest ||
            trace.event_class(row.longest) != EventClass::op)
            continue;
        summary.cpu_self += row.cpu_self;
        if (row.device_self_by_launch > 0) summary.operators_by_device = true;
        summary.operators.push_back({row.name,
                                     static_cast<uint64_t>(row.calls),
                                     row.cpu_self,
                                     row.device_self_by_launch,
                                     {},
                                     0,
                                     row.longest});
    }
    const auto time = [&](const SummaryOperator& op) {
        return summary.operators_by_device ? op.device_self : op.cpu_self;
    };
    std::ranges::stable_sort(summary.operators, std::greater(), time);
    if (summary.operators.size() > kOperatorsListed) summary.operators.resize(kOperatorsListed);
    std::erase_if(summary.operators, [&](const SummaryOperator& op) { return time(op) <= 0; });
    add_shapes(context, query, summary);
}

// The name and category with most self time; none: no slice takes any.
std::optional<SummarySlices> top_slices(const Trace& trace, const TableQuery& query) {
    if (!trace.gpu_activities.slice.empty()) return std::nullopt;
    std::vector<NameInRange> names = slices_by_name(trace, query);
    std::erase_if(names, [&](const NameInRange& row) {
        return is_sum_of_clang(trace, trace.lanes[row.longest.lane]);
    });
    if (names.empty()) return std::nullopt;
    SummarySlices top{*std::ranges::max_element(names, {}, &NameInRange::self), 0};
    for (const NameInRange& row : names) top.all += row.self;
    return top.slices.self > 0 ? std::optional(top) : std::nullopt;
}

double busiest_share(const Trace& trace, const Summary& summary) {
    if (!summary.top_slices || summary.lanes.empty()) return 0;
    const TimeRange whole = summary.range ? *summary.range : file_span(trace);
    return static_cast<double>(summary.lanes.front().busy) /
           static_cast<double>(std::max<Nanos>(1, whole.length()));
}

std::vector<StoryPoint> story_of(const Summary& summary) {
    std::vector<StoryPoint> story;
    if (summary.incomplete) story.push_back({StoryKind::incomplete, 0, 0});
    const auto& devices = summary.devices;
    const bool any_work = std::ranges::any_of(
        devices, [](const SummaryDevice& device) { return device.time.span > 0; });
    if (any_work) {
        write_device(summary, most_idle_device(devices), story);
    } else if (!summary.calls_have_times) {
        if (!summary.memory.empty()) story.push_back({StoryKind::peak_memory, 0, 0});
    } else {
        if (summary.top_slices) story.push_back({StoryKind::top_slice, 0, 0});
        add_samples_to(story, summary);
        if (summary.busiest_share > 0.01) story.push_back({StoryKind::busiest_lane, 0, 0});
        story.push_back(
            {summary.counters_only ? StoryKind::counters_only : StoryKind::no_gpu_work, 0, 0});
        if (!summary.operators.empty()) story.push_back({StoryKind::top_operator, 0, 0});
    }
    if (any_work) add_samples_to(story, summary);
    const auto odd = std::ranges::count_if(summary.steps.all, &SummaryStep::outlier);
    if (odd > 0) story.push_back({StoryKind::odd_step, 0, static_cast<uint32_t>(odd)});
    return story;
}

// Computes what steps, devices and findings need, in an order in which no thread waits for another
// one for long.
void compute_shared(const TraceContext& context, const TableQuery& query,
                    const std::function<void()>& beside) {
    run_together(context.trace(), {[&] { context.get<Attribution>(); },
                                   [&] {
                                       context.get<GpuDevices>();
                                       context.get<Steps>();
                                   }});
    if (query.range) return;
    run_together(context.trace(), {[&] { context.get<AllIdleGaps>(); },
                                   [&] {
                                       if (beside) beside();
                                   },
                                   [&] { context.get<AllLaunches>(); },
                                   [&] { context.get<AllSynchronisations>(); }});
}

Summary summarise_bounds(const TraceContext& context, const TableQuery& query,
                         const std::function<void()>& beside) {
    Summary summary;
    summary.range = query.range;
    summary.incomplete = incomplete_of(context.trace());
    summary.calls_have_times = context.trace().facts.calls_have_times;
    compute_shared(context, query, beside);
    run_together(context.trace(), {[&] { summary.steps = summarise_steps(context, query); },
                                   [&] { summary.devices = summarise_devices(context, query); }});
    for (SummaryDevice& device : summary.devices) add_bound(context.get<Steps>(), summary, device);
    return summary;
}

void complete_summary(const TraceContext& context, const TableQuery& query, Summary& summary) {
    const Trace& trace = context.trace();
    std::vector<KernelRow> kernels;
    run_together(trace, {[&] { summarise_operators(context, query, summary); },
                         [&] { kernels = kernel_rows(context, query, KernelGrouping::name); },
                         [&] { summary.collectives = summarise_collectives(context, query); },
                         [&] { summary.waits = summarise_waits(context, query); },
                         [&] { summary.memory = summarise_memory(context, query); }});
    summary.kernels = summarise_kernels(context, kernels, summary.devices);
    const bool lists_slices = summary.operators.empty() && summary.calls_have_times;
    if (lists_slices) summary.lanes = busiest_lanes(trace, query);
    summary.samples = summarise_samples(trace, query);
    summary.compiled = summarise_compiled(context, query);
    summary.counters_only = has_only_counters(trace);
    if (lists_slices) summary.top_slices = top_slices(trace, query);
    summary.busiest_share = busiest_share(trace, summary);
    summary.story = story_of(summary);
}

Summary summarise(const TraceContext& context, const TableQuery& query) {
    Summary summary = summarise_bounds(context, query);
    complete_summary(context, query, summary);
    return summary;
}

}  // namespace lanescope
