// DependencyGraph: what every call and GPU activity of a trace waited for. Allows a step's time to
// be traced back, and to be recomputed with parts of it shortened.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/column.h"
#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

// The kind of a path's segment.
enum class PathPart : uint8_t {
    kernel,           // a kernel, except those of collectives
    communication,    // a collective's kernel
    copy,             // a copy or set on the device
    launch,           // from the begin of a launch call to the begin of the activity
    gap,              // between two activities of a stream
    op,               // the CPU in an operator
    call,             // the CPU in a runtime or driver call
    synchronisation,  // after the end of what was waited for
    loading,          // the CPU in a data loader
    program,          // the CPU outside of all these
    unknown,          // no record says what was waited for
};
inline constexpr std::size_t kPathPartCount = 11;
std::string_view path_part_name(PathPart part);

// A dependency of a call's or activity's begin or end. The wait takes `weight` after the
// dependency.
struct Dependency {
    uint32_t from = 0;  // a node
    PathPart part = PathPart::program;
    Nanos weight = 0;
};

// Nodes of a thread or stream are consecutive; each waits only for its predecessor unless it is in
// `listed`.
struct DependencyRow {
    uint32_t begin = 0;
    uint32_t end = 0;
    uint32_t listed = 0;  // the row's first entry in DependencyGraph::listed
    LaneId lane = 0;      // only for rows of threads
    bool is_stream = false;
};

// A node with explicit dependencies; the one that it waited for longest comes first.
struct ListedNode {
    uint32_t node = 0;
    uint32_t first = 0;  // in DependencyGraph::dependencies
    uint32_t count = 0;
};

// From a step's begin on the CPU to its end there, or to the end of the last activity launched in
// it.
struct StepWindow {
    uint32_t step = kNoRow;  // row of Steps::all; kNoRow: the trace has no steps
    uint32_t process = 0;
    TimeRange cpu;
    LaneId lane = SliceRef::no_index;  // the step's lane; none: no thread has calls
    // The node at which its activities have ended; none: no activities.
    uint32_t last = ~uint32_t{0};
    Nanos end = 0;
};

// Contains operators, runtime calls and data loaders on CPU threads, and all GPU activities. Edges:
// a call waits for the previous call, and for the begin of its parent; an activity for its launch
// call, for the previous activity on its stream, and for events that its stream waits for; the
// end of a waiting call for the work that it waits for; autograd's threads for the thread of the
// forward pass, and vice versa.
struct DependencyGraph {
    static constexpr uint32_t none = ~uint32_t{0};

    Column<Nanos> time;      // by node; never earlier than its dependencies
    Column<uint32_t> slice;  // what ran until the node: index in its lane; for a stream the
                             // row of Trace::gpu_activities; none: nothing recorded
    Column<uint8_t> part;    // what ran until the node: a PathPart
    std::vector<DependencyRow> rows;
    std::vector<ListedNode> listed;  // by node
    std::vector<Dependency> dependencies;
    // By row of Trace::gpu_activities: the node of its begin. The node of its end follows.
    std::vector<uint32_t> activity;
    std::vector<uint32_t> step_of_activity;  // index in steps, by its launch; none: not in a step
    // By lane and index: nodes of a call's begin and end; none, or no column: not in the graph.
    std::vector<Column<uint32_t>> call_begin;
    std::vector<Column<uint32_t>> call_end;
    std::vector<uint32_t> row_of_lane;  // index in rows; none: not a thread with calls
    std::vector<StepWindow> steps;      // like Steps::all; without steps, one for the whole trace
    // Parts of rows, in an order in which every node comes after its dependencies.
    struct Piece {
        uint32_t row = 0;
        uint32_t begin = 0;
        uint32_t end = 0;
    };
    std::vector<Piece> order;
    Nanos shortest_launch = 0;  // shortest launch latency of an activity that nothing else delayed
    Nanos shortest_gap = 0;
    bool has_sync_events = false;  // the file records which stream waited for which

    uint32_t begin_of(SliceRef call) const {
        return call_begin[call.lane].empty() ? none : call_begin[call.lane][call.index];
    }
    uint32_t end_of(SliceRef call) const {
        return call_end[call.lane].empty() ? none : call_end[call.lane][call.index];
    }
    const DependencyRow& row_of(uint32_t node) const;
    // The last node of a thread at or before `t`; none: there is none.
    uint32_t last_node(LaneId lane, Nanos t) const;
    // The dependencies of a node of the given row; empty: it only waits for its predecessor.
    std::span<const Dependency> dependencies_of(const DependencyRow& row, uint32_t node) const;
    std::span<const Dependency> listed_dependencies(const ListedNode& node) const {
        return std::span(dependencies).subspan(node.first, node.count);
    }
    SliceRef slice_of(const Trace& trace, uint32_t node) const;
    SliceRef slice_of(const Trace& trace, const DependencyRow& row, uint32_t node) const {
        if (slice[node] == none) return {};
        return row.is_stream ? trace.gpu_activities.slice[slice[node]]
                             : SliceRef{row.lane, slice[node]};
    }

    static DependencyGraph compute(const TraceContext& context);
};

}  // namespace lanescope
