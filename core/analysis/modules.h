// Modules: the model's architecture as a tree, and what each part of it costs.
#pragma once

#include <vector>

#include "core/analysis/tables.h"
#include "core/models/count.h"

namespace lanescope {

extern const TableSpec kModulesTable;

// A part of the model: a module called from one place of the tree, or an annotation. Sums are of
// the node and all below it; what is named self is without those below.
struct ModuleNode {
    StringId name = 0;
    uint32_t parent = kNoRow;  // smaller than its own place
    uint32_t depth = 0;
    int64_t calls = 0;
    Nanos cpu = 0;
    Nanos cpu_self = 0;
    Nanos device = 0;           // activities launched inside, and by backward operators of those
    Nanos device_self = 0;      // inside
    Nanos device_backward = 0;  // that of backward operators
    Count flop, bytes;          // of modelled work, backward too
    bool has_flop = false, has_bytes = false;
    int64_t allocated_bytes = 0;  // taken on devices (on the CPU without any) while it ran
    int64_t parameters = 0;       // of weights and biases that shapes tell of; in one call
    SliceRef longest;
};

struct ModuleTree {
    bool of_annotations = false;  // the file has no module frames
    bool has_memory = false;
    Nanos all_device = 0;           // of all activities in the range
    Nanos all_cpu = 0;              // of outermost nodes
    std::vector<ModuleNode> nodes;  // each before those inside it, in the order of their first call
};

// Calls that begin in the range.
ModuleTree module_tree(const TraceContext& context, const TableQuery& query);

Table modules_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
