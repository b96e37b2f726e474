#include "core/analysis/critical_path/dependency_graph.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/analysis/critical_path/dependency_streams.h"
#include "core/analysis/critical_path/dependency_threads.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/step_finders.h"
#include "core/analysis/structure/steps.h"
#include "core/base/radix_sort.h"

namespace lanescope {

namespace {

// The dependencies of a node keep their order, with the binding one first.
void list_dependencies(std::vector<LooseDependency> loose, DependencyGraph& graph) {
    radix_sort(loose, [](const LooseDependency& one) { return uint64_t{one.to}; });
    graph.dependencies.reserve(loose.size());
    for (const LooseDependency& one : loose) {
        if (graph.listed.empty() || graph.listed.back().node != one.to)
            graph.listed.push_back({one.to, static_cast<uint32_t>(graph.dependencies.size()), 0});
        ++graph.listed.back().count;
        graph.dependencies.push_back(one.dependency);
    }
    for (DependencyRow& row : graph.rows)
        row.listed = static_cast<uint32_t>(
            std::ranges::lower_bound(graph.listed, row.begin, {}, &ListedNode::node) -
            graph.listed.begin());
}

// Advances along each row until a node waits for another row that has not advanced far enough.
class Ordering {
  public:
    explicit Ordering(DependencyGraph& graph) : graph_(graph), waiting_(graph.rows.size()) {
        for (const DependencyRow& row : graph.rows) {
            reached_.push_back(row.begin);
            listed_.push_back(row.listed);
        }
    }

    void work_out() {
        for (uint32_t row = 0; row < graph_.rows.size(); ++row) ready_.push_back(row);
        for (;;) {
            while (!ready_.empty()) {
                const uint32_t row = ready_.back();
                ready_.pop_back();
                advance(row);
            }
            if (!cut_circle()) return;
        }
    }

  private:
    void advance(uint32_t row) {
        const DependencyRow& limits = graph_.rows[row];
        const uint32_t begin = reached_[row];
        while (reached_[row] < limits.end) {
            uint32_t stop = limits.end;
            const uint32_t next = listed_[row];
            if (next < graph_.listed.size() && graph_.listed[next].node < limits.end)
                stop = graph_.listed[next].node;
            reached_[row] = stop;
            if (stop == limits.end) break;
            const uint32_t on = missing(row, graph_.listed[next]);
            if (on != DependencyGraph::none) {
                waiting_[on].push_back(row);
                break;
            }
            reached_[row] = stop + 1;
            ++listed_[row];
        }
        if (reached_[row] == begin) return;
        graph_.order.push_back({row, begin, reached_[row]});
        ready_.insert(ready_.end(), waiting_[row].begin(), waiting_[row].end());
        waiting_[row].clear();
    }

    // A row that has not reached what the node waits for.
    uint32_t missing(uint32_t row, const ListedNode& node) const {
        for (uint32_t i = node.first; i < node.first + node.count; ++i) {
            const uint32_t from = graph_.dependencies[i].from;
            const auto source_row =
                static_cast<uint32_t>(&graph_.row_of(from) - graph_.rows.data());
            if (source_row != row && from >= reached_[source_row]) return source_row;
        }
        return DependencyGraph::none;
    }

    // Events at the same time can wait for each other in a cycle: the earliest of them continues
    // without its missing dependencies. False: nothing waits.
    bool cut_circle() {
        uint32_t first = DependencyGraph::none;
        for (uint32_t row = 0; row < graph_.rows.size(); ++row) {
            if (reached_[row] == graph_.rows[row].end) continue;
            if (first == DependencyGraph::none ||
                graph_.time[reached_[row]] < graph_.time[reached_[first]])
                first = row;
        }
        if (first == DependencyGraph::none) return false;
        ListedNode& node = graph_.listed[listed_[first]];
        for (uint32_t i = node.first; i < node.first + node.count; ++i) {
            Dependency& one = graph_.dependencies[i];
            const auto source_row =
                static_cast<uint32_t>(&graph_.row_of(one.from) - graph_.rows.data());
            if (source_row != first && one.from >= reached_[source_row])
                one = {node.node, PathPart::unknown, 0};  // waits for itself: no effect
        }
        for (std::vector<uint32_t>& rows : waiting_) std::erase(rows, first);
        ready_.push_back(first);
        return true;
    }

    DependencyGraph& graph_;
    std::vector<uint32_t> reached_;  // by row: the first node that is not done
    // By row: first entry in DependencyGraph::listed that is not done.
    std::vector<uint32_t> listed_;
    std::vector<std::vector<uint32_t>> waiting_;  // by row: rows that wait for it
    std::vector<uint32_t> ready_;
};

// By lane: number of operators and runtime calls of CPU threads.
std::vector<std::size_t> calls_of_lanes(const Trace& trace) {
    std::vector<std::size_t> calls(trace.lanes.size(), 0);
    for (const SliceRef op : trace.operators.slice) ++calls[op.lane];
    for (const SliceRef call : trace.runtime_calls.slice) ++calls[call.lane];
    for (LaneId lane = 0; lane < calls.size(); ++lane)
        if (!is_cpu_thread(trace, trace.lanes[lane])) calls[lane] = 0;
    return calls;
}

// The thread with most calls, of a process or of all processes; none: no thread has calls.
LaneId busiest_lane(const Trace& trace, const std::vector<std::size_t>& calls,
                    std::optional<uint32_t> process) {
    LaneId busiest = SliceRef::no_index;
    for (LaneId lane = 0; lane < calls.size(); ++lane) {
        if (calls[lane] == 0 || (process && trace.lanes[lane].process != *process)) continue;
        if (busiest == SliceRef::no_index || calls[lane] > calls[busiest]) busiest = lane;
    }
    return busiest;
}

std::vector<StepWindow> step_windows(const TraceContext& context) {
    const Trace& trace = context.trace();
    const std::vector<std::size_t> calls = calls_of_lanes(trace);
    std::vector<StepWindow> windows;
    const std::vector<Step>& steps = context.get<Steps>().all;
    for (uint32_t i = 0; i < steps.size(); ++i) {
        const SliceRef own = steps[i].mark;
        const bool called = own && calls[own.lane] > 0;
        // On the thread, such a step ends with its mark: its end is that of work on the GPU.
        const TimeRange cpu = steps[i].by_work
                                  ? TimeRange{steps[i].range.begin, trace.slice_end(own)}
                                  : steps[i].range;
        windows.push_back({i, steps[i].process, cpu,
                           called ? own.lane : busiest_lane(trace, calls, steps[i].process)});
    }
    if (!windows.empty()) return windows;
    const LaneId lane = busiest_lane(trace, calls, std::nullopt);
    if (lane != SliceRef::no_index)
        windows.push_back({kNoRow, trace.lanes[lane].process, trace.content, lane});
    return windows;
}

// Extends each step's window to the end of the activities that were launched in it.
void close_windows(const TraceContext& context, DependencyGraph& graph) {
    const std::vector<SliceRef>& launch_of = context.get<Attribution>().launch;
    const std::vector<uint32_t>& step_of_work = context.get<DeviceSteps>().step_of_work;
    for (StepWindow& window : graph.steps) window.end = window.cpu.end;
    graph.step_of_activity.assign(graph.activity.size(), DependencyGraph::none);
    for (uint32_t row = 0; row < graph.activity.size(); ++row) {
        if (!launch_of[row] || graph.steps.empty()) continue;
        const uint32_t step = graph.steps.front().step == kNoRow ? 0 : step_of_work[row];
        if (step == kNoRow) continue;
        graph.step_of_activity[row] = step;
        StepWindow& window = graph.steps[step];
        const uint32_t end = graph.activity[row] + 1;
        if (window.last == DependencyGraph::none || graph.time[end] > graph.time[window.last])
            window.last = end;
        window.end = std::max(window.end, graph.time[end]);
    }
}

// Two nodes for each call and activity, and one or two for the begin and end of each step on each
// thread.
void reserve_nodes(const TraceContext& context, DependencyGraph& graph) {
    std::size_t nodes = 2 * context.trace().gpu_activities.slice.size() + 4 * graph.steps.size();
    for (const CallTree& tree : context.get<CallTrees>().by_lane) nodes += 2 * tree.parent.size();
    graph.time.reserve(nodes);
    graph.slice.reserve(nodes);
    graph.part.reserve(nodes);
}

}  // namespace

std::string_view path_part_name(PathPart part) {
    constexpr std::array<std::string_view, kPathPartCount> names = {
        "kernel", "communication",   "copy",         "launch",  "gap",    "operator",
        "call",   "synchronisation", "data loading", "program", "unknown"};
    return names[static_cast<std::size_t>(part)];
}

const DependencyRow& DependencyGraph::row_of(uint32_t node) const {
    return *(std::ranges::upper_bound(rows, node, {}, &DependencyRow::begin) - 1);
}

uint32_t DependencyGraph::last_node(LaneId lane, Nanos t) const {
    if (row_of_lane[lane] == none) return none;
    const DependencyRow& row = rows[row_of_lane[lane]];
    const Nanos* const after =
        std::upper_bound(time.begin() + row.begin, time.begin() + row.end, t);
    return after == time.begin() + row.begin ? none
                                             : static_cast<uint32_t>(after - time.begin()) - 1;
}

std::span<const Dependency> DependencyGraph::dependencies_of(const DependencyRow& row,
                                                             uint32_t node) const {
    const auto found = std::lower_bound(listed.begin() + row.listed, listed.end(), node,
                                        [](const ListedNode& l, uint32_t n) { return l.node < n; });
    if (found == listed.end() || found->node != node) return {};
    return listed_dependencies(*found);
}

SliceRef DependencyGraph::slice_of(const Trace& trace, uint32_t node) const {
    return slice_of(trace, row_of(node), node);
}

DependencyGraph DependencyGraph::compute(const TraceContext& context) {
    DependencyGraph graph;
    graph.has_sync_events = !context.trace().synchronisations.slice.empty();
    graph.steps = step_windows(context);
    reserve_nodes(context, graph);
    std::vector<LooseDependency> loose;
    const OuterNodes outer = add_threads(context, graph);
    add_hand_overs(context, outer, graph, loose);
    add_streams(context, graph, loose);
    add_waits(context, graph, loose);
    list_dependencies(std::move(loose), graph);
    Ordering(graph).work_out();
    close_windows(context, graph);
    return graph;
}

}  // namespace lanescope
