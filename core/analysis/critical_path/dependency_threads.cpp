#include "core/analysis/critical_path/dependency_threads.h"

#include <algorithm>

#include "core/analysis/structure/autograd_threads.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/step_finders.h"
#include "core/analysis/structure/steps.h"

namespace lanescope {

namespace {

constexpr Nanos kNever = INT64_MAX;

// Which of a thread's slices are in the graph.
class CallKinds {
  public:
    explicit CallKinds(const Trace& trace) : trace_(trace) {
        loads_.resize(trace.strings.size());
        steps_.resize(trace.strings.size());
        for (StringId id = 0; id < loads_.size(); ++id) {
            loads_[id] = is_data_loading(trace.strings[id]);
            steps_[id] = profiler_step_index(trace.strings[id]) >= 0;
        }
    }

    // `unknown`: not in the graph.
    PathPart part_of(StringId name, CategoryId category) const {
        const EventClass base = trace_.categories[category].event_class;
        if (base == EventClass::runtime) return PathPart::call;
        if (base != EventClass::op && base != EventClass::annotation) return PathPart::unknown;
        if (loads_[name]) return PathPart::loading;
        // Old files record the profiler's steps as operators; nothing waits for a whole step.
        if (steps_[name]) return PathPart::unknown;
        return base == EventClass::op ? PathPart::op : PathPart::unknown;
    }

  private:
    const Trace& trace_;
    std::vector<bool> loads_;
    std::vector<bool> steps_;
};

// Walks over a thread in order of time, and adds a node at each begin and end. A call that outlives
// its parent is cut at the parent's end.
class ThreadWalk {
  public:
    ThreadWalk(const Trace& trace, LaneId lane, const CallKinds& kinds, DependencyGraph& graph,
               OuterNodes& outer)
        : view_(trace.lanes[lane]),
          kinds_(kinds),
          graph_(graph),
          call_begin_(graph.call_begin[lane]),
          call_end_(graph.call_end[lane]),
          outer_begin_(outer.begin[lane]),
          outer_end_(outer.end[lane]) {
        for (const StepWindow& step : graph.steps) {
            if (step.lane != lane) continue;
            marks_.push_back(step.cpu.begin);
            marks_.push_back(step.cpu.end);
        }
        std::ranges::sort(marks_);
        marks_.push_back(kNever);
    }

    void walk(const CallTree& tree) {
        const auto count = static_cast<uint32_t>(tree.parent.size());
        call_begin_ = Column<uint32_t>::filled(count, DependencyGraph::none);
        call_end_ = Column<uint32_t>::filled(count, DependencyGraph::none);
        for (const uint32_t i : tree.order) {
            const PathPart part = kinds_.part_of(view_.name(i), view_.category(i));
            if (part == PathPart::unknown) continue;
            const Nanos start = std::max(view_.start(i), last_);
            while (!open_.empty() && open_.back().end <= start) close();
            if (marks_[next_mark_] <= start) mark_until(start);
            if (open_.empty()) outer_begin_.push_back(next());
            call_begin_[i] = next();
            // Python frames and annotations are not in the graph, but they show what the program
            // was doing.
            around_ = open_.empty() ? tree.parent[i] : DependencyGraph::none;
            add(start);
            around_ = DependencyGraph::none;
            const Nanos end = std::max(start, view_.end(i));
            // Everything inside a data loader counts as loading.
            const bool loading = !open_.empty() && open_.back().part == PathPart::loading;
            open_.push_back({open_.empty() ? end : std::min(end, open_.back().end), i,
                             loading ? PathPart::loading : part});
        }
        while (!open_.empty()) close();
        if (count > 0) mark_until(kNever - 1);
    }

  private:
    struct Open {
        Nanos end = 0;
        uint32_t index = 0;
        PathPart part = PathPart::op;
    };

    uint32_t next() const { return static_cast<uint32_t>(graph_.time.size()); }

    void add(Nanos t) {
        graph_.time.push_back(t);
        graph_.slice.push_back(open_.empty() ? around_ : open_.back().index);
        graph_.part.push_back(
            static_cast<uint8_t>(open_.empty() ? PathPart::program : open_.back().part));
        last_ = t;
    }

    void close() {
        if (marks_[next_mark_] < open_.back().end) mark_until(open_.back().end - 1);
        call_end_[open_.back().index] = next();
        add(std::max(open_.back().end, last_));
        open_.pop_back();
        if (open_.empty()) outer_end_.push_back(next() - 1);
    }

    // Steps begin and end at nodes of their own.
    void mark_until(Nanos t) {
        for (; marks_[next_mark_] <= t; ++next_mark_) {
            const Nanos at = std::max(marks_[next_mark_], last_);
            const bool outer = open_.empty();
            if (outer) outer_begin_.push_back(next());
            add(at);
            if (!outer) continue;
            outer_end_.push_back(next());
            add(at);
        }
    }

    LaneView view_;
    const CallKinds& kinds_;
    DependencyGraph& graph_;
    Column<uint32_t>& call_begin_;
    Column<uint32_t>& call_end_;
    std::vector<uint32_t>& outer_begin_;
    std::vector<uint32_t>& outer_end_;
    std::vector<Nanos> marks_;  // ascending, ended by kNever
    std::size_t next_mark_ = 0;
    uint32_t around_ = DependencyGraph::none;
    std::vector<Open> open_;
    Nanos last_ = INT64_MIN;
};

class HandOver {
  public:
    HandOver(const OuterNodes& outer, DependencyGraph& graph, std::vector<LooseDependency>& loose)
        : outer_(outer), graph_(graph), loose_(loose) {}

    void add(LaneId lane, std::span<const LaneId> others) {
        std::vector<std::size_t> next(others.size(), 0);  // by other lane: its next end
        const std::vector<uint32_t>& begins = outer_.begin[lane];
        for (std::size_t i = 0; i < begins.size(); ++i) {
            const Nanos start = graph_.time[begins[i]];
            const Nanos own = i == 0 ? INT64_MIN : graph_.time[begins[i] - 1];
            uint32_t best = DependencyGraph::none;
            for (std::size_t o = 0; o < others.size(); ++o) {
                const std::vector<uint32_t>& ends = outer_.end[others[o]];
                std::size_t& at = next[o];
                while (at < ends.size() && graph_.time[ends[at]] <= start) ++at;
                if (at == 0 || graph_.time[ends[at - 1]] <= own) continue;
                const bool idle =
                    at == ends.size() || graph_.time[outer_.begin[others[o]][at]] >= start;
                if (idle && (best == DependencyGraph::none ||
                             graph_.time[ends[at - 1]] > graph_.time[best]))
                    best = ends[at - 1];
            }
            if (best == DependencyGraph::none) continue;
            loose_.push_back({begins[i], {best, PathPart::program, start - graph_.time[best]}});
            if (i > 0) loose_.push_back({begins[i], {begins[i] - 1, PathPart::program, 0}});
        }
    }

  private:
    const OuterNodes& outer_;
    DependencyGraph& graph_;
    std::vector<LooseDependency>& loose_;
};

}  // namespace

OuterNodes add_threads(const TraceContext& context, DependencyGraph& graph) {
    const Trace& trace = context.trace();
    const CallKinds kinds(trace);
    OuterNodes outer;
    outer.begin.resize(trace.lanes.size());
    outer.end.resize(trace.lanes.size());
    graph.call_begin.resize(trace.lanes.size());
    graph.call_end.resize(trace.lanes.size());
    graph.row_of_lane.assign(trace.lanes.size(), DependencyGraph::none);
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        if (!is_cpu_thread(trace, trace.lanes[lane])) continue;
        const auto begin = static_cast<uint32_t>(graph.time.size());
        ThreadWalk(trace, lane, kinds, graph, outer).walk(context.get<CallTrees>().by_lane[lane]);
        const auto end = static_cast<uint32_t>(graph.time.size());
        if (begin == end) continue;
        graph.row_of_lane[lane] = static_cast<uint32_t>(graph.rows.size());
        graph.rows.push_back({.begin = begin, .end = end, .lane = lane});
    }
    return outer;
}

void add_hand_overs(const TraceContext& context, const OuterNodes& outer, DependencyGraph& graph,
                    std::vector<LooseDependency>& loose) {
    const Trace& trace = context.trace();
    const std::vector<Runs> runs = what_lanes_run(trace);
    HandOver hand_over(outer, graph, loose);
    std::vector<LaneId> others;
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        if (graph.row_of_lane[lane] == DependencyGraph::none || runs[lane] == Runs::no_operators)
            continue;
        const Runs other_side = runs[lane] == Runs::backward ? Runs::operators : Runs::backward;
        others.clear();
        for (LaneId other = 0; other < trace.lanes.size(); ++other)
            if (graph.row_of_lane[other] != DependencyGraph::none && runs[other] == other_side &&
                trace.lanes[other].process == trace.lanes[lane].process)
                others.push_back(other);
        if (!others.empty()) hand_over.add(lane, others);
    }
}

}  // namespace lanescope
