// The critical path of each step: the chain of calls, launches and GPU activities that determines
// the step's time, each waiting for the one before.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/critical_path/dependency_graph.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct CriticalPathTableRow> kCriticalPathTable;
extern const TableOf<struct PathNameTableRow> kCriticalPathByNameTable;
extern const TableOf<struct PathSegmentTableRow> kCriticalPathBySegmentTable;

struct PathSegment {
    TimeRange range;
    PathPart part = PathPart::program;
    SliceRef slice;   // what ran or was launched; for the program: its frame or annotation
    SliceRef before;  // a launch's call; for a gap or wait, what it followed
    LaneId lane = 0;  // on which it is spent
};

// A path's segment in compact form, as nodes of the graph: there are nearly as many as calls.
struct PathLink {
    uint32_t from = DependencyGraph::none;  // begin; none: the begin of the path
    // End; the node's slice ran until then; none: nothing ran.
    uint32_t to = DependencyGraph::none;
    PathPart part = PathPart::program;
    bool waits = false;  // waited for what ran until `from`
};

struct StepPath {
    uint32_t step = kNoRow;  // row of Steps::all; kNoRow: the whole trace, if it has no steps
    TimeRange range;
    LaneId lane = 0;                               // lane of the time that is in no slice
    std::vector<PathLink> links;                   // sorted by time; they fill the range
    std::array<Nanos, kPathPartCount> parts = {};  // by PathPart; the sum is the range
};

// Converts links of a path to segments; the path must outlive this object. Fastest in order.
class PathSegments {
  public:
    PathSegments(const TraceContext& context, const StepPath& path)
        : PathSegments(context.trace(), context.get<DependencyGraph>(), path) {}
    PathSegments(const Trace& trace, const DependencyGraph& graph, const StepPath& path)
        : trace_(trace), graph_(graph), path_(path) {}

    std::size_t size() const { return path_.links.size(); }
    PathSegment at(std::size_t i) {
        const PathLink& link = path_.links[i];
        PathSegment segment;
        segment.range.begin = i == next_ ? next_begin_ : begin_of(i);
        next_ = i + 1;
        next_begin_ = next_ < size() ? begin_of(next_) : path_.range.end;
        segment.range.end = next_begin_;
        segment.part = link.part;
        segment.lane = path_.lane;
        if (link.to != DependencyGraph::none) {
            // Most consecutive links belong to the same row.
            if (!row_ || link.to < row_->begin || link.to >= row_->end)
                row_ = &graph_.row_of(link.to);
            segment.slice = graph_.slice_of(trace_, *row_, link.to);
            segment.lane = row_->is_stream ? segment.slice.lane : row_->lane;
        }
        if (link.waits) segment.before = graph_.slice_of(trace_, link.from);
        return segment;
    }

  private:
    Nanos begin_of(std::size_t i) const {
        const uint32_t from = path_.links[i].from;
        return from == DependencyGraph::none ? path_.range.begin
                                             : std::max(graph_.time[from], path_.range.begin);
    }

    const Trace& trace_;
    const DependencyGraph& graph_;
    const StepPath& path_;
    // State after the last link: its row, the next link, and where that begins.
    const DependencyRow* row_ = nullptr;
    std::size_t next_ = ~std::size_t{0};
    Nanos next_begin_ = 0;
};

std::vector<PathSegment> segments_of(const TraceContext& context, const StepPath& path);

// The windows of the steps that begin in the range; if none does, the range itself.
std::vector<StepWindow> windows_in(const TraceContext& context, const TableQuery& query);
// The ends of activities launched in a window, as nodes of the graph.
std::vector<uint32_t> ends_in(const TraceContext& context, const StepWindow& window);

// Traces back from the step's end to its begin, always along the longest wait.
StepPath critical_path(const TraceContext& context, const StepWindow& window);
std::vector<StepPath> critical_paths(const TraceContext& context, const TableQuery& query);

// The critical paths of the whole trace.
struct CriticalPaths {
    std::shared_ptr<const std::vector<StepPath>> all;

    static CriticalPaths compute(const TraceContext& context);
};
// The paths in the query's range; without a range, the shared ones of the whole trace.
std::shared_ptr<const std::vector<StepPath>> shared_critical_paths(const TraceContext& context,
                                                                   const TableQuery& query);

Table critical_path_table(const TraceContext& context, const TableQuery& query);
// What is on the paths of all steps, summed by part and name.
Table critical_path_by_name_table(const TraceContext& context, const TableQuery& query);
// One row for each segment.
Table critical_path_by_segment_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
