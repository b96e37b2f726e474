// The nodes of replayed graphs: the n-th kernel, copy or set of a graph, over all its replays.
#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/statistics/distribution.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct GraphNodeTableRow> kKernelsByNodeTable;

struct GraphNode {
    uint32_t graph = 0;             // graphs are numbered by their first replay, from 1
    uint32_t node = 0;              // place in the replay by begin, from 1
    uint32_t layer = 0;             // number of its layer from 1, by repetition; 0: in none
    uint32_t position = 0;          // place in the layer, from 1
    std::vector<uint32_t> members;  // rows of Trace::gpu_activities, one for each replay, by time
    Distribution durations;
    double drift = 0;  // see drift() of distribution.h
    SliceRef longest;
};

// By graph and node. Two replays are of the same graph if their kernels, copies and sets have the
// same names in the same order.
std::vector<GraphNode> graph_nodes(const TraceContext& context, const TableQuery& query);

// The graph nodes of a trace.
struct GraphNodes {
    std::vector<GraphNode> all;
    // By row of Trace::gpu_activities; kNoRow: not launched by a graph.
    std::vector<uint32_t> of_row;

    // The node of a kernel, copy or set; null: not launched by a graph.
    const GraphNode* of(const Trace& trace, SliceRef slice) const;

    static GraphNodes compute(const TraceContext& context);
};

Table kernels_by_node_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
