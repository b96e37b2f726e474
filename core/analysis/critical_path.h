// The critical path of each step: the chain of calls, launches and GPU activities that its time is
// made of, each waiting for the one before.
#pragma once

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

struct StepPath {
    uint32_t step = kNoRow;  // of Steps::all; kNoRow: all of the trace, which has no steps
    TimeRange range;
    std::vector<PathSegment> segments;             // in order of time; they fill the range
    std::array<Nanos, kPathPartCount> parts = {};  // by PathPart; they add up to the range
};

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
