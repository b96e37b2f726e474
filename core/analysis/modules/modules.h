// Modules: the model's architecture as a tree, and the cost of each part.
#pragma once

#include <vector>

#include "core/analysis/context.h"
#include "core/models/count.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct ModuleTableRow> kModulesTable;

// A part of the model: a module called from one place in the tree, or an annotation. Sums include
// all descendants; values named self do not.
struct ModuleNode {
    StringId name = 0;
    uint32_t parent = kNoRow;  // index of the parent, smaller than its own
    uint32_t depth = 0;
    int64_t calls = 0;
    int64_t replayed_calls = 0;  // captured calls above replays of graphs; they took no CPU time
    Nanos cpu = 0;
    Nanos cpu_self = 0;
    Nanos device = 0;           // activities launched inside, including their backward operators
    Nanos device_self = 0;      // inside
    Nanos device_backward = 0;  // time of backward operators
    Count flop, bytes;          // of modelled work, including the backward pass
    bool has_flop = false, has_bytes = false;
    Nanos modelled_device = 0;  // part of `device` that has a floor
    double floor_ns = 0;        // sum of these floors
    double lost_ns = 0;         // time beyond the floors
    bool uncertain = false;     // a floor depends on an unconfirmed figure
    // Allocated on devices (on the CPU if there are none) while it ran.
    int64_t allocated_bytes = 0;
    int64_t parameters = 0;  // weights and biases with recorded shapes; in one call
    SliceRef longest;
};

struct ModuleTree {
    bool of_annotations = false;  // the file has no module frames
    bool has_memory = false;
    Nanos all_device = 0;           // of all activities in the range
    Nanos all_cpu = 0;              // of outermost nodes
    std::vector<ModuleNode> nodes;  // in preorder, by first call
};

// Counts calls that begin in the range.
ModuleTree module_tree(const TraceContext& context, const TableQuery& query);

Table modules_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
