#include "core/analysis/critical_path/critical_path.h"

#include <algorithm>

#include "core/analysis/structure/attribution.h"

namespace lanescope {

namespace {

class PathWalk {
  public:
    explicit PathWalk(const TraceContext& context)
        : trace_(context.trace()), graph_(context.get<DependencyGraph>()) {}

    StepPath walk(const StepWindow& window) {
        path_ = StepPath();
        path_.step = window.step;
        path_.range = {window.cpu.begin, window.end};
        if (window.lane != SliceRef::no_index) path_.lane = window.lane;
        row_ = nullptr;
        reached_ = window.end;
        back_.clear();
        back_.reserve(nodes_in(window));
        uint32_t node = DependencyGraph::none;
        if (window.last != DependencyGraph::none && graph_.time[window.last] >= window.cpu.end) {
            node = window.last;
        } else if (window.lane != SliceRef::no_index) {
            node = graph_.last_node(window.lane, window.cpu.end);
            if (node != DependencyGraph::none) add_rest(node);
        }
        while (node != DependencyGraph::none && graph_.time[node] > path_.range.begin)
            node = step_back(node);
        if (reached_ > path_.range.begin)
            add({DependencyGraph::none, DependencyGraph::none, PathPart::unknown, false}, nullptr);
        path_.links.assign(back_.rbegin(), back_.rend());
        return std::move(path_);
    }

  private:
    // An upper bound of the path's length along the step's own thread.
    std::size_t nodes_in(const StepWindow& window) const {
        if (window.lane == SliceRef::no_index) return 0;
        const uint32_t first = graph_.last_node(window.lane, window.cpu.begin);
        const uint32_t last = graph_.last_node(window.lane, window.cpu.end);
        return first == DependencyGraph::none || last == DependencyGraph::none ? 0 : last - first;
    }

    // The part from a thread's last node to the step's end: the activity until the next node, if
    // there is one.
    void add_rest(uint32_t node) {
        const DependencyRow& row = graph_.row_of(node);
        if (node + 1 < row.end)
            add({node, node + 1, static_cast<PathPart>(graph_.part[node + 1]), false}, &row);
        else
            add({node, DependencyGraph::none, PathPart::program, false}, nullptr);
    }

    // Nodes are mostly visited in descending order: caches the row and the position in its list.
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

    // Adds the link to the node that this node waited for, and returns that node; none: it waited
    // for nothing.
    uint32_t step_back(uint32_t node) {
        const std::span<const Dependency> listed = dependencies_of(node);
        const DependencyRow& row = *row_;
        if (listed.empty()) return node == row.begin ? DependencyGraph::none : run_back(node);
        const Nanos end = graph_.time[node];
        const Dependency* tight = &listed.front();
        for (const Dependency& one : listed)
            if (one.from != node && graph_.time[one.from] + one.weight == end) {
                tight = &one;
                break;
            }
        if (tight->from == node) return DependencyGraph::none;  // it is part of a cycle
        add({tight->from, node, tight->part, true}, &row);
        return tight->from;
    }

    // Steps back over all nodes that wait only for their predecessor: up to the next listed node,
    // the first of the row, or the step's begin.
    uint32_t run_back(uint32_t node) {
        const DependencyRow& row = *row_;
        const uint32_t stop = place_ == row.listed ? row.begin : graph_.listed[place_ - 1].node;
        for (; node > stop && graph_.time[node] > path_.range.begin; --node)
            add({node - 1, node, static_cast<PathPart>(graph_.part[node]), false}, &row);
        return node;
    }

    // Links are added from last to first; consecutive links of the same slice become one. `row`:
    // the row of the link's node `to`.
    void add(const PathLink& link, const DependencyRow* row) {
        const Nanos begin = link.from == DependencyGraph::none
                                ? path_.range.begin
                                : std::max(graph_.time[link.from], path_.range.begin);
        if (begin >= reached_) return;
        path_.parts[static_cast<std::size_t>(link.part)] += reached_ - begin;
        reached_ = begin;
        if (!back_.empty() && row == row_of_back_ && continues(link, back_.back())) {
            back_.back().from = link.from;
            return;
        }
        back_.push_back(link);
        row_of_back_ = row;
    }

    // Whether both links belong to one row of the table.
    bool continues(const PathLink& link, const PathLink& next) const {
        if (next.part != link.part || next.waits != link.waits) return false;
        if (link.to == DependencyGraph::none) return true;
        if (graph_.slice[next.to] != graph_.slice[link.to]) return false;
        return !link.waits ||
               graph_.slice_of(trace_, next.from) == graph_.slice_of(trace_, link.from);
    }

    const Trace& trace_;
    const DependencyGraph& graph_;
    const DependencyRow* row_ = nullptr;  // row of the node visited last
    // Index in graph_.listed: one after the last entry that does not come after the node.
    std::size_t place_ = 0;
    StepPath path_;
    Nanos reached_ = 0;                           // begin of the link that was added last
    std::vector<PathLink> back_;                  // the path's links from last to first
    const DependencyRow* row_of_back_ = nullptr;  // row of the last added link's node `to`
};

}  // namespace

std::vector<StepWindow> windows_in(const TraceContext& context, const TableQuery& query) {
    const DependencyGraph& graph = context.get<DependencyGraph>();
    std::vector<StepWindow> windows;
    for (const StepWindow& window : graph.steps)
        if (!query.range || query.range->contains(window.cpu.begin)) windows.push_back(window);
    if (!windows.empty() || !query.range || graph.steps.empty()) return windows;
    const StepWindow& any = graph.steps.front();
    StepWindow window{kNoRow, any.process, *query.range, any.lane};
    window.end = query.range->end;
    for (const uint32_t end : ends_in(context, window))
        if (window.last == DependencyGraph::none || graph.time[end] > graph.time[window.last])
            window.last = end;
    if (window.last != DependencyGraph::none)
        window.end = std::max(window.end, graph.time[window.last]);
    windows.push_back(window);
    return windows;
}

std::vector<uint32_t> ends_in(const TraceContext& context, const StepWindow& window) {
    const Trace& trace = context.trace();
    const DependencyGraph& graph = context.get<DependencyGraph>();
    const std::vector<SliceRef>& launch_of = context.get<Attribution>().launch;
    std::vector<uint32_t> ends;
    for (uint32_t row = 0; row < graph.activity.size(); ++row) {
        const bool inside = [&] {
            if (window.step != kNoRow) return graph.step_of_activity[row] == window.step;
            const SliceRef call = launch_of[row];
            return call && trace.lanes[call.lane].process == window.process &&
                   window.cpu.contains(trace.start(call));
        }();
        if (inside) ends.push_back(graph.activity[row] + 1);
    }
    return ends;
}

std::vector<PathSegment> segments_of(const TraceContext& context, const StepPath& path) {
    PathSegments all(context, path);
    std::vector<PathSegment> segments;
    segments.reserve(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) segments.push_back(all.at(i));
    return segments;
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
    if (!query.range) return context.get<CriticalPaths>().all;
    return std::make_shared<const std::vector<StepPath>>(critical_paths(context, query));
}

CriticalPaths CriticalPaths::compute(const TraceContext& context) {
    return {std::make_shared<const std::vector<StepPath>>(critical_paths(context, {}))};
}

}  // namespace lanescope
