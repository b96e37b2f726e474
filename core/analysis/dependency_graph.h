// DependencyGraph: what every call and GPU activity of a trace waited for, so that a step's time
// can be followed back, and worked out anew when parts of it took less.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/column.h"
#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

// What a stretch of a path is.
enum class PathPart : uint8_t {
    kernel,           // a kernel that is no collective's
    communication,    // a collective's kernel
    copy,             // a copy or set on the device
    launch,           // from the begin of a launch call to that of what it launched
    gap,              // between two activities of a stream
    op,               // the CPU in an operator
    call,             // the CPU in a runtime or driver call
    synchronisation,  // from the end of what was waited for on
    loading,          // the CPU in a data loader
    program,          // the CPU outside all of these
    unknown,          // nothing recorded tells what was waited for
};
inline constexpr std::size_t kPathPartCount = 11;
std::string_view path_part_name(PathPart part);

// The begin or end of a call or GPU activity waits for others. A wait lasts `weight` from them on.
struct Dependency {
    uint32_t from = 0;  // a node
    PathPart part = PathPart::program;
    Nanos weight = 0;
};

// The nodes of a thread or stream follow each other; each waits for the one before, unless `listed`
// says otherwise.
struct DependencyRow {
    uint32_t begin = 0;
    uint32_t end = 0;
    uint32_t listed = 0;  // of DependencyGraph::listed: the first of this row
    LaneId lane = 0;      // of a thread
    bool is_stream = false;
};

// A node with dependencies of its own, the one that it waited for longest first.
struct ListedNode {
    uint32_t node = 0;
    uint32_t first = 0;  // of DependencyGraph::dependencies
    uint32_t count = 0;
};

// From a step's begin on the CPU to its end there, or to that of the last activity launched in it.
struct StepWindow {
    uint32_t step = kNoRow;  // of Steps::all; kNoRow: there are none
    uint32_t process = 0;
    TimeRange cpu;
    LaneId lane = SliceRef::no_index;  // on which it stands; none: no thread has calls
    uint32_t last = ~uint32_t{0};      // node at which its activities have ended; none: it has none
    Nanos end = 0;
};

struct DependencyGraph {
    static constexpr uint32_t none = ~uint32_t{0};

    Column<Nanos> time;      // by node; never earlier than what it waits for
    Column<uint32_t> slice;  // what went on until the node: index in its lane, or of a stream the
                             // row of Trace::gpu_activities; none: nothing that is recorded
    Column<uint8_t> part;    // likewise, a PathPart
    std::vector<DependencyRow> rows;
    std::vector<ListedNode> listed;  // by node
    std::vector<Dependency> dependencies;
    // By row of Trace::gpu_activities: the node of its begin. That of its end follows.
    std::vector<uint32_t> activity;
    std::vector<uint32_t> step_of_activity;  // of steps, by its launch; none: of none
    // By lane and index: nodes of the begin and end of a call; none, or no column: not in the
    // graph.
    std::vector<Column<uint32_t>> call_begin;
    std::vector<Column<uint32_t>> call_end;
    std::vector<uint32_t> row_of_lane;  // of rows; none: not a thread with calls
    std::vector<StepWindow> steps;      // as Steps::all; of no steps one of the whole trace
    // Pieces of rows in an order in which all that a node waits for comes before it.
    struct Piece {
        uint32_t row = 0;
        uint32_t begin = 0;
        uint32_t end = 0;
    };
    std::vector<Piece> order;
    Nanos least_launch = 0;  // the shortest that was seen where nothing else held the activity up
    Nanos least_gap = 0;
    bool has_sync_events = false;  // the file tells which stream waited for which

    uint32_t begin_of(SliceRef call) const {
        return call_begin[call.lane].empty() ? none : call_begin[call.lane][call.index];
    }
    uint32_t end_of(SliceRef call) const {
        return call_end[call.lane].empty() ? none : call_end[call.lane][call.index];
    }
    const DependencyRow& row_of(uint32_t node) const;
    // The last node of a thread at `t` or before; none: it has none.
    uint32_t last_node(LaneId lane, Nanos t) const;
    // Of a node of a row that is given; empty: it waits for the one before alone.
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
};

// Operators, runtime calls and data loaders on CPU threads, and all GPU activities. Edges: a call
// after the one before and inside the one around it; an activity after its launch call, the one
// before on its stream, and what its stream was told to wait for; the end of a waiting call after
// what it waits for; and autograd's threads after the thread that runs the forward pass, and back.
DependencyGraph dependency_graph(const TraceContext& context);

}  // namespace lanescope
