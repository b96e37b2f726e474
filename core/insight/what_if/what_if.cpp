#include "core/insight/what_if/what_if.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/analysis/critical_path/critical_path.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/steps.h"
#include "core/base/radix_sort.h"

namespace lanescope {

namespace {

constexpr uint32_t kNone = DependencyGraph::none;

// How a change affects the edge to a node.
enum NodeChange : uint8_t {
    kScaled = 1,      // the edge takes its time ÷ factor
    kNothing = 2,     // the edge takes no time
    kFreeLaunch = 4,  // for an activity's begin: no time passes after its launch call
    kNoGap = 8,       // for an activity's begin: no time passes after the previous activity
    kCost = 16,       // if the edge is of the cost's part, it takes its time ÷ factor
};

// The changes by node.
class NodeChanges {
  public:
    NodeChanges(const TraceContext& context, const Change& change)
        : graph_(context.get<DependencyGraph>()),
          launch_(context.get<Attribution>().launch),
          of_(graph_.time.size(), 0) {
        if (change.kind == ChangeKind::graph) {
            free_all();
            return;
        }
        if (change.cost) mark_cost(context.trace(), *change.cost);
        const bool faster = change.kind == ChangeKind::faster;
        for (const uint32_t row : change.activities) mark_activity(row, change.kind);
        for (const SliceRef call : change.calls) {
            const uint32_t begin = graph_.begin_of(call);
            if (begin == kNone || change.kind == ChangeKind::launch_free) continue;
            for (uint32_t node = begin + 1; node <= graph_.end_of(call); ++node)
                of_[node] |= faster ? kScaled : kNothing;
        }
    }

    uint8_t operator[](uint32_t node) const { return of_[node]; }

  private:
    void mark_activity(uint32_t row, ChangeKind kind) {
        const uint32_t begin = graph_.activity[row];
        if (kind == ChangeKind::faster) {
            of_[begin + 1] |= kScaled;
            return;
        }
        of_[begin] |= kFreeLaunch;
        if (kind == ChangeKind::fused) {
            of_[begin] |= kNoGap;
            of_[begin + 1] |= kNothing;
        }
        const SliceRef call = launch_[row];
        if (!call || graph_.begin_of(call) == kNone) return;
        for (uint32_t node = graph_.begin_of(call) + 1; node <= graph_.end_of(call); ++node)
            of_[node] |= kNothing;
    }

    void mark_cost(const Trace& trace, const PathCost& cost) {
        for (const DependencyRow& row : graph_.rows) {
            for (uint32_t node = row.begin; node < row.end; ++node) {
                const SliceRef slice = graph_.slice_of(trace, row, node);
                if ((slice ? trace.name_id(slice) : StringPool::none) == cost.name)
                    of_[node] |= kCost;
            }
        }
    }

    void free_all() {
        for (const uint32_t begin : graph_.activity)
            if (begin != kNone) of_[begin] |= kFreeLaunch;
        for (uint32_t node = 0; node < of_.size(); ++node) {
            const auto part = static_cast<PathPart>(graph_.part[node]);
            if (part == PathPart::op || part == PathPart::call) of_[node] |= kNothing;
        }
    }

    const DependencyGraph& graph_;
    const std::vector<SliceRef>& launch_;
    std::vector<uint8_t> of_;
};

Nanos divided(Nanos weight, double factor) {
    return std::isinf(factor) ? 0 : std::llround(static_cast<double>(weight) / factor);
}

bool is_cost(PathPart part, uint8_t how, const Change& change) {
    return (how & kCost) != 0 && change.cost->part == part;
}

// The weight after the change, for a node that only waits for its predecessor.
Nanos changed(Nanos weight, PathPart part, uint8_t how, const Change& change) {
    if (how & kNothing) return 0;
    const bool scaled = (how & kScaled) != 0 || is_cost(part, how, change);
    return scaled ? divided(weight, change.factor) : weight;
}

Nanos changed(const Dependency& one, uint8_t how, const Change& change) {
    if (one.part == PathPart::launch && (how & kFreeLaunch)) return 0;
    if (one.part == PathPart::gap && (how & kNoGap)) return 0;
    return is_cost(one.part, how, change) ? divided(one.weight, change.factor) : one.weight;
}

// A time on a thread after the change.
Nanos moved(const DependencyGraph& graph, const std::vector<Nanos>& reached, LaneId lane, Nanos t) {
    const uint32_t node = lane == SliceRef::no_index ? kNone : graph.last_node(lane, t);
    return node == kNone ? t : reached[node] + t - graph.time[node];
}

// The time at which the GPU finishes a process's work that was launched before a given time: as
// recorded, and after a change.
class Backlog {
  public:
    Backlog(const TraceContext& context, const std::vector<Nanos>& reached) {
        const Trace& trace = context.trace();
        const DependencyGraph& graph = context.get<DependencyGraph>();
        const std::vector<SliceRef>& launch_of = context.get<Attribution>().launch;
        for (uint32_t row = 0; row < graph.activity.size(); ++row) {
            const SliceRef launch = launch_of[row];
            if (!launch || graph.activity[row] == kNone) continue;
            const uint32_t end = graph.activity[row] + 1;
            of_process_[trace.lanes[launch.lane].process].push_back(
                {trace.start(launch), graph.time[end], reached[end]});
        }
        for (auto& [process, works] : of_process_) {
            radix_sort(works, [](const Work& work) { return radix_key(work.launched); });
            for (std::size_t i = 1; i < works.size(); ++i) {
                works[i].end = std::max(works[i].end, works[i - 1].end);
                works[i].new_end = std::max(works[i].new_end, works[i - 1].new_end);
            }
        }
    }

    struct Work {
        Nanos launched = 0;
        Nanos end = INT64_MIN;
        Nanos new_end = INT64_MIN;
    };
    Work before(uint32_t process, Nanos t) const {
        const auto works = of_process_.find(process);
        if (works == of_process_.end()) return {};
        const auto after = std::ranges::lower_bound(works->second, t, {}, &Work::launched);
        return after == works->second.begin() ? Work() : *(after - 1);
    }

  private:
    std::map<uint32_t, std::vector<Work>> of_process_;
};

PathCost cost_of(const Trace& trace, const PathSegment& segment) {
    return {segment.part, segment.slice ? trace.name_id(segment.slice) : StringPool::none};
}

// The length of the parts of the paths that the change affects.
Nanos path_time(const TraceContext& context, const Change& change,
                const std::vector<StepPath>& paths) {
    const Trace& trace = context.trace();
    const DependencyGraph& graph = context.get<DependencyGraph>();
    const NodeChanges of_change(context, change);
    Nanos time = 0;
    for (const StepPath& path : paths) {
        for (const PathSegment& segment : segments_of(context, path)) {
            if (change.cost) {
                if (cost_of(trace, segment) == *change.cost) time += segment.range.length();
                continue;
            }
            if (!segment.slice) continue;
            uint32_t node = kNone;
            if (segment.part == PathPart::op || segment.part == PathPart::call ||
                segment.part == PathPart::loading) {
                node = graph.begin_of(segment.slice);
                if (node != kNone) ++node;  // the edge from its begin to the next node
            } else {
                const uint32_t row = find_row(trace.gpu_activities.slice, segment.slice);
                if (row == kNoRow) continue;
                const bool begins =
                    segment.part == PathPart::launch || segment.part == PathPart::gap;
                node = graph.activity[row] + (begins ? 0 : 1);
                const uint8_t wanted = segment.part == PathPart::launch ? kFreeLaunch : kNoGap;
                if (begins && !(of_change[node] & wanted)) continue;
            }
            if (node != kNone && of_change[node]) time += segment.range.length();
        }
    }
    return time;
}

// The time by which each window would be shorter, in ns.
std::vector<double> saved_by_window(const TraceContext& context,
                                    const std::vector<StepWindow>& windows, const Change& change) {
    const DependencyGraph& graph = context.get<DependencyGraph>();
    const std::vector<Nanos> reached = replay(context, change);
    // After the change, another activity may be the last of a step.
    std::vector<Nanos> last(graph.steps.size(), INT64_MIN);
    for (uint32_t row = 0; row < graph.activity.size(); ++row)
        if (const uint32_t step = graph.step_of_activity[row]; step != kNone)
            last[step] = std::max(last[step], reached[graph.activity[row] + 1]);
    const Trace& trace = context.trace();
    const Backlog backlog(context, reached);
    std::vector<double> saved;
    for (const StepWindow& window : windows) {
        const Nanos begin = moved(graph, reached, window.lane, window.cpu.begin);
        Nanos end = moved(graph, reached, window.lane, window.cpu.end);
        if (window.step != kNoRow)
            end = std::max(end, last[window.step]);
        else
            for (const uint32_t node : ends_in(context, window)) end = std::max(end, reached[node]);
        // If the host runs ahead, the wait for GPU work left over from before the step does not
        // count: it makes no step longer.
        const Backlog::Work before =
            window.lane == SliceRef::no_index
                ? Backlog::Work()
                : backlog.before(trace.lanes[window.lane].process, window.cpu.begin);
        const Nanos own = window.end - std::max(window.cpu.begin, before.end);
        const Nanos new_own = end - std::max(begin, before.new_end);
        saved.push_back(static_cast<double>(own - new_own));
    }
    return saved;
}

// If the GPU is behind the steps, or the host ahead, a window reaches over the work of other steps.
Nanos length_of(const TraceContext& context, const StepWindow& window) {
    const Nanos whole = window.end - window.cpu.begin;
    if (window.step == kNoRow) return whole;
    const DeviceSteps& device_steps = context.get<DeviceSteps>();
    const StepPace pace = device_steps.pace[context.get<Steps>().all[window.step].process];
    const bool behind = pace == StepPace::behind || pace == StepPace::ahead;
    return behind ? device_steps.time(context.get<Steps>(), window.step) : whole;
}

// Rows of activities that were launched inside any of the calls.
std::vector<uint32_t> launched_inside(const TraceContext& context,
                                      const std::vector<SliceRef>& calls) {
    const DependencyGraph& graph = context.get<DependencyGraph>();
    const std::vector<SliceRef>& launch_of = context.get<Attribution>().launch;
    std::vector<uint8_t> inside(graph.time.size(), 0);
    for (const SliceRef call : calls)
        if (const uint32_t begin = graph.begin_of(call); begin != kNone)
            std::fill(inside.begin() + begin, inside.begin() + graph.end_of(call) + 1, 1);
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row < graph.activity.size(); ++row) {
        const SliceRef launch = launch_of[row];
        if (launch && graph.begin_of(launch) != kNone && inside[graph.begin_of(launch)])
            rows.push_back(row);
    }
    return rows;
}

// Includes nested calls; only the outermost ones change the result.
template <typename Fits>
Change gather(const TraceContext& context, ChangeOf kind, const Fits& fits) {
    const Trace& trace = context.trace();
    Change change;
    if (kind == ChangeOf::kernels) {
        for (uint32_t row = 0; row < trace.gpu_activities.slice.size(); ++row)
            if (fits(trace.name_id(trace.gpu_activities.slice[row])))
                change.activities.push_back(row);
        return change;
    }
    // Operators, calls and data loaders.
    const DependencyGraph& graph = context.get<DependencyGraph>();
    for (LaneId lane = 0; lane < graph.call_begin.size(); ++lane)
        for (uint32_t i = 0; i < graph.call_begin[lane].size(); ++i)
            if (const SliceRef call{lane, i};
                graph.call_begin[lane][i] != kNone && fits(trace.name_id(call)))
                change.calls.push_back(call);
    change.activities = launched_inside(context, change.calls);
    return change;
}

}  // namespace

std::string_view change_name(ChangeKind kind) {
    constexpr std::array<std::string_view, 4> names = {"faster", "fused away", "launch-free",
                                                       "CUDA graph"};
    return names[static_cast<std::size_t>(kind)];
}

std::vector<Nanos> replay(const TraceContext& context, const Change& change) {
    const DependencyGraph& graph = context.get<DependencyGraph>();
    const NodeChanges changes(context, change);
    std::vector<Nanos> reached(graph.time.size());
    for (const DependencyGraph::Piece& piece : graph.order) {
        const DependencyRow& row = graph.rows[piece.row];
        auto listed =
            std::lower_bound(graph.listed.begin() + row.listed, graph.listed.end(), piece.begin,
                             [](const ListedNode& l, uint32_t node) { return l.node < node; });
        for (uint32_t node = piece.begin; node < piece.end; ++node) {
            if (listed == graph.listed.end() || listed->node != node) {
                reached[node] =
                    node == row.begin
                        ? graph.time[node]
                        : reached[node - 1] + changed(graph.time[node] - graph.time[node - 1],
                                                      static_cast<PathPart>(graph.part[node]),
                                                      changes[node], change);
                continue;
            }
            Nanos latest = INT64_MIN;
            for (uint32_t i = listed->first; i < listed->first + listed->count; ++i) {
                const Dependency& one = graph.dependencies[i];
                latest =
                    std::max(latest, one.from == node
                                         ? graph.time[node]
                                         : reached[one.from] + changed(one, changes[node], change));
            }
            reached[node] = latest;
            ++listed;
        }
    }
    return reached;
}

std::string missing_edges(const TraceContext& context) {
    std::size_t streams = 0;
    for (const GpuDevice& device : context.get<GpuDevices>().all) streams += device.streams.size();
    if (context.get<DependencyGraph>().has_sync_events || streams < 2) return {};
    return "The file has no synchronisation events, so waits of one stream for another are not "
           "known and count as gaps. PyTorch records them with enable_cuda_sync_events.";
}

WhatIf what_if(const TraceContext& context, const TableQuery& query, const Change& change) {
    const std::vector<StepWindow> windows = windows_in(context, query);
    WhatIf result;
    result.steps = windows.size();
    if (windows.empty()) return result;
    double saved = 0;
    for (const double of_window : saved_by_window(context, windows, change)) saved += of_window;
    for (const StepWindow& window : windows)
        result.step_ns += static_cast<double>(length_of(context, window));
    result.new_step_ns = result.step_ns - saved;
    result.path_ns =
        static_cast<double>(path_time(context, change, *shared_critical_paths(context, query)));
    const auto steps = static_cast<double>(windows.size());
    result.step_ns /= steps;
    result.new_step_ns /= steps;
    result.path_ns /= steps;
    return result;
}

std::vector<double> saved_by_step(const TraceContext& context, const Change& change) {
    const std::vector<StepWindow> windows = windows_in(context, {});
    const std::vector<double> saved = saved_by_window(context, windows, change);
    std::vector<double> by_step(context.get<Steps>().all.size());
    for (std::size_t i = 0; i < windows.size(); ++i)
        if (windows[i].step != kNoRow) by_step[windows[i].step] = saved[i];
    return by_step;
}

Result<Change> change_of(const TraceContext& context, ChangeOf kind,
                         const std::string& expression) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    const re2::RE2 pattern(expression, options);
    const auto wrong = [](std::string text) {
        return Error{ErrorCode::usage, Error::no_offset, std::move(text)};
    };
    if (!pattern.ok())
        return wrong(
            fmt::format("\"{}\" is not a regular expression: {}.", expression, pattern.error()));
    const Trace& trace = context.trace();
    std::vector<int8_t> fits(trace.strings.size(), -1);
    Change change = gather(context, kind, [&](StringId id) {
        if (fits[id] < 0) {
            const std::string_view name = trace.strings[id];
            fits[id] = re2::RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), pattern);
        }
        return fits[id] == 1;
    });
    if (change.activities.empty() && change.calls.empty())
        return wrong(fmt::format("No {} has a name that \"{}\" fits.",
                                 kind == ChangeOf::kernels ? "kernel" : "operator", expression));
    return change;
}

Change change_like(const TraceContext& context, SliceRef slice) {
    const Trace& trace = context.trace();
    const bool on_gpu = find_row(trace.gpu_activities.slice, slice) != kNoRow;
    const StringId name = trace.name_id(slice);
    return gather(context, on_gpu ? ChangeOf::kernels : ChangeOf::operators,
                  [&](StringId id) { return id == name; });
}

}  // namespace lanescope
