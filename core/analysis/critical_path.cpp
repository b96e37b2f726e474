#include "core/analysis/critical_path.h"

#include <algorithm>

namespace lanescope {

namespace {

constexpr uint32_t kNone = DependencyGraph::none;

class PathWalk {
  public:
    explicit PathWalk(const TraceContext& context)
        : trace_(context.trace()), graph_(context.dependencies()) {}

    StepPath walk(const StepWindow& window) {
        begin_ = window.cpu.begin;
        row_ = nullptr;
        back_.clear();
        back_.reserve(nodes_in(window));
        uint32_t node = kNone;
        if (window.last != kNone && graph_.time[window.last] >= window.cpu.end) {
            node = window.last;
        } else if (window.lane != SliceRef::no_index) {
            node = graph_.last_node(window.lane, window.cpu.end);
            if (node != kNone)
                add({{graph_.time[node], window.cpu.end},
                     part_behind(node),
                     slice_behind(node),
                     {},
                     window.lane});
        }
        while (node != kNone && graph_.time[node] > begin_) node = step_back(node);
        const Nanos reached = back_.empty() ? window.end : back_.back().range.begin;
        if (reached > begin_)
            add({{begin_, reached},
                 PathPart::unknown,
                 {},
                 {},
                 window.lane == SliceRef::no_index ? 0 : window.lane});
        StepPath path{window.step, {begin_, window.end}, {back_.rbegin(), back_.rend()}};
        for (const PathSegment& segment : back_)
            path.parts[static_cast<std::size_t>(segment.part)] += segment.range.length();
        return path;
    }

  private:
    // As many as a path along the step's own thread has at most.
    std::size_t nodes_in(const StepWindow& window) const {
        if (window.lane == SliceRef::no_index) return 0;
        const uint32_t first = graph_.last_node(window.lane, window.cpu.begin);
        const uint32_t last = graph_.last_node(window.lane, window.cpu.end);
        return first == kNone || last == kNone ? 0 : last - first;
    }

    // What goes on between a node of a thread and the next.
    PathPart part_behind(uint32_t node) const {
        return node + 1 < graph_.row_of(node).end ? static_cast<PathPart>(graph_.part[node + 1])
                                                  : PathPart::program;
    }
    SliceRef slice_behind(uint32_t node) const {
        return node + 1 < graph_.row_of(node).end ? graph_.slice_of(trace_, node + 1) : SliceRef{};
    }

    // Nodes mostly follow each other backwards: the row and the place in its list are kept.
    std::span<const Dependency> dependencies_of(uint32_t node) {
        const std::vector<ListedNode>& listed = graph_.listed;
        if (!row_ || node < row_->begin || node >= row_->end) {
            row_ = &graph_.row_of(node);
            const auto first = listed.begin() + row_->listed;
            const auto end = row_ + 1 == graph_.rows.data() + graph_.rows.size()
                                 ? listed.end()
                                 : listed.begin() + row_[1].listed;
            place_ = static_cast<std::size_t>(
                std::ranges::upper_bound(first, end, node, {}, &ListedNode::node) - listed.begin());
        }
        while (place_ > row_->listed && listed[place_ - 1].node > node) --place_;
        if (place_ == row_->listed || listed[place_ - 1].node != node) return {};
        return graph_.listed_dependencies(listed[place_ - 1]);
    }

    // Adds the way to what a node waited for, and gives that; none: it waited for nothing.
    uint32_t step_back(uint32_t node) {
        const std::span<const Dependency> listed = dependencies_of(node);
        const DependencyRow& row = *row_;
        if (listed.empty()) return node == row.begin ? kNone : run_back(node);
        const Nanos end = graph_.time[node];
        const Dependency* tight = &listed.front();
        for (const Dependency& one : listed)
            if (one.from != node && graph_.time[one.from] + one.weight == end) {
                tight = &one;
                break;
            }
        if (tight->from == node) return kNone;  // of a circle
        const SliceRef slice = graph_.slice_of(trace_, row, node);
        add({{graph_.time[tight->from], end},
             tight->part,
             slice,
             graph_.slice_of(trace_, tight->from),
             row.is_stream ? slice.lane : row.lane});
        return tight->from;
    }

    // The same along all nodes from here back that wait for the one before alone: to the next that
    // is listed, the first of the row, or where the step begins.
    uint32_t run_back(uint32_t node) {
        const DependencyRow& row = *row_;
        const uint32_t stop = place_ == row.listed ? row.begin : graph_.listed[place_ - 1].node;
        for (; node > stop && graph_.time[node] > begin_; --node) {
            const SliceRef slice = graph_.slice_of(trace_, row, node);
            add({{graph_.time[node - 1], graph_.time[node]},
                 static_cast<PathPart>(graph_.part[node]),
                 slice,
                 {},
                 row.is_stream ? slice.lane : row.lane});
        }
        return node;
    }

    // From the last to the first; what follows on the same is one.
    void add(PathSegment segment) {
        segment.range.begin = std::max(segment.range.begin, begin_);
        if (segment.range.length() <= 0) return;
        if (!back_.empty()) {
            PathSegment& next = back_.back();
            if (next.part == segment.part && next.slice == segment.slice &&
                next.before == segment.before && next.lane == segment.lane) {
                next.range.begin = segment.range.begin;
                return;
            }
        }
        back_.push_back(segment);
    }

    const Trace& trace_;
    const DependencyGraph& graph_;
    Nanos begin_ = 0;                     // of the step
    const DependencyRow* row_ = nullptr;  // of the node that was last
    std::size_t place_ = 0;               // of graph_.listed: behind the last that is not after it
    std::vector<PathSegment> back_;       // of the step's path, from the last to the first
};

}  // namespace

std::vector<StepWindow> windows_in(const TraceContext& context, const TableQuery& query) {
    const DependencyGraph& graph = context.dependencies();
    std::vector<StepWindow> windows;
    for (const StepWindow& window : graph.steps)
        if (!query.range || query.range->contains(window.cpu.begin)) windows.push_back(window);
    if (!windows.empty() || !query.range || graph.steps.empty()) return windows;
    const StepWindow& any = graph.steps.front();
    StepWindow window{kNoRow, any.process, *query.range, any.lane};
    window.end = query.range->end;
    for (const uint32_t end : ends_in(context, window))
        if (window.last == kNone || graph.time[end] > graph.time[window.last]) window.last = end;
    if (window.last != kNone) window.end = std::max(window.end, graph.time[window.last]);
    windows.push_back(window);
    return windows;
}

std::vector<uint32_t> ends_in(const TraceContext& context, const StepWindow& window) {
    const Trace& trace = context.trace();
    const DependencyGraph& graph = context.dependencies();
    std::vector<uint32_t> ends;
    for (uint32_t row = 0; row < graph.activity.size(); ++row) {
        const bool inside = [&] {
            if (window.step != kNoRow) return graph.step_of_activity[row] == window.step;
            const SliceRef call = context.attribution().launch[row];
            return call && trace.lanes[call.lane].process == window.process &&
                   window.cpu.contains(trace.start(call));
        }();
        if (inside) ends.push_back(graph.activity[row] + 1);
    }
    return ends;
}

StepPath critical_path(const TraceContext& context, const StepWindow& window) {
    return PathWalk(context).walk(window);
}

std::vector<StepPath> critical_paths(const TraceContext& context, const TableQuery& query) {
    std::vector<StepPath> paths;
    PathWalk walk(context);
    for (const StepWindow& window : windows_in(context, query)) paths.push_back(walk.walk(window));
    return paths;
}

std::shared_ptr<const std::vector<StepPath>> shared_critical_paths(const TraceContext& context,
                                                                   const TableQuery& query) {
    if (!query.range) return context.critical_paths();
    return std::make_shared<const std::vector<StepPath>>(critical_paths(context, query));
}

}  // namespace lanescope
