// The critical path of each step: the chain of calls, launches and GPU activities that its time is
// made of, each waiting for the one before.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "core/analysis/dependency_graph.h"
#include "core/analysis/tables.h"

namespace lanescope {

extern const TableSpec kCriticalPathTable, kCriticalPathByNameTable, kCriticalPathBySegmentTable;

struct PathSegment {
    TimeRange range;
    PathPart part = PathPart::program;
    SliceRef slice;   // what ran, or was launched; of the program the frame or annotation
    SliceRef before;  // of a launch its call; of a gap and a wait what it followed
    LaneId lane = 0;  // on which it is spent
};

// A segment as a path keeps it, in nodes of the graph: there are nearly as many as calls.
struct PathLink {
    uint32_t from = DependencyGraph::none;  // at which it begins; none: where the path does
    uint32_t to = DependencyGraph::none;    // what went on until there is its slice; none: nothing
    PathPart part = PathPart::program;
    bool waits = false;  // for what went on until `from`
};

struct StepPath {
    uint32_t step = kNoRow;  // of Steps::all; kNoRow: all of the trace, which has no steps
    TimeRange range;
    LaneId lane = 0;                               // of what is in no slice
    std::vector<PathLink> links;                   // in order of time; they fill the range
    std::array<Nanos, kPathPartCount> parts = {};  // by PathPart; they add up to the range
};

// The segments of a path, which must outlive it; quickest one after the other.
class PathSegments {
  public:
    PathSegments(const TraceContext& context, const StepPath& path)
        : trace_(context.trace()), graph_(context.dependencies()), path_(path) {}

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
            // Most follow each other in one row.
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
    // Of the link that was last: its row, the next link, and where that begins.
    const DependencyRow* row_ = nullptr;
    std::size_t next_ = ~std::size_t{0};
    Nanos next_begin_ = 0;
};

std::vector<PathSegment> segments_of(const TraceContext& context, const StepPath& path);

// Of the steps that begin in the range; where none does, of the range itself.
std::vector<StepWindow> windows_in(const TraceContext& context, const TableQuery& query);
// Ends of what was launched in a window, as nodes of the graph.
std::vector<uint32_t> ends_in(const TraceContext& context, const StepWindow& window);

// Followed back from where the step ends to its begin, always to what was waited for longest.
StepPath critical_path(const TraceContext& context, const StepWindow& window);
std::vector<StepPath> critical_paths(const TraceContext& context, const TableQuery& query);
// The same; of the whole trace those that the context keeps.
std::shared_ptr<const std::vector<StepPath>> shared_critical_paths(const TraceContext& context,
                                                                   const TableQuery& query);

Table critical_path_table(const TraceContext& context, const TableQuery& query);
// What is on the paths of all steps, by what it is and its name.
Table critical_path_by_name_table(const TraceContext& context, const TableQuery& query);
// Segment by segment.
Table critical_path_by_segment_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
