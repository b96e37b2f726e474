// Finds the function that each call of a trace belongs to. A part of make_function_tree().
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/operator_index.h"
#include "core/base/flat_map.h"
#include "core/insight/compare/function_tree.h"
#include "core/insight/compare/share_sums.h"

namespace lanescope {

// The steps of one process, by time.
struct StepsOfProcess {
    uint32_t process = 0;
    uint32_t first = 0;  // index of the first sample
    std::vector<TimeRange> steps;

    static constexpr uint32_t none = ~uint32_t{0};
    // The step with this time, none if it is in no step; `near`: where to begin to look.
    uint32_t at(Nanos t, uint32_t& near) const;
};

class FunctionNodes {
  public:
    FunctionNodes(const TraceContext& context, std::span<const StringId> marks);

    // Calls of a thread of that process.
    void add_thread(LaneId lane, const StepsOfProcess& steps);
    // The function that contains a call; the step if the call is in none.
    uint32_t node_of(SliceRef call) const {
        const Column<uint32_t>& nodes = node_of_[call.lane];
        return nodes.empty() ? 0 : nodes[call.index];
    }
    // The function of GPU work: the operator that launched it, else a node of its own.
    uint32_t node_of_work(SliceRef work, SliceRef launch, SliceRef op, Nanos first);
    // Whether a call in this function is work, and not only a frame around work.
    bool works(uint32_t node, EventClass event_class) const;

    FunctionNode& node(uint32_t i) { return nodes_[i]; }
    StringId name_id(uint32_t node) const { return name_of_[node]; }
    ShareSums& sums() { return sums_; }
    // Sorts children and drops nothing; afterwards the object is empty.
    FunctionTree take();

  private:
    struct Name {
        uint64_t label = 0;  // 0: not read yet
        uint64_t base = 0;
        bool marks_step = false;
    };

    const Name& name(StringId id);
    FunctionKind kind_of(EventClass event_class, bool in_op) const;
    uint32_t enter(uint32_t parent, FunctionKind kind, StringId name, StringId shapes);
    void count(uint32_t node, SliceRef slice, Nanos start, Nanos duration,
               const StepsOfProcess& steps, uint32_t& near);

    const Trace& trace_;
    std::span<const CallTree> trees_;
    const OperatorIndex& index_;
    bool has_operators_ = false;
    std::vector<Name> names_;                // by StringId
    std::vector<Column<uint32_t>> node_of_;  // by lane and slice
    FlatMap<uint32_t> shaped_names_;         // by name, shapes and kind
    FlatMap<uint32_t> by_parent_;            // by parent and shaped name
    std::vector<FunctionNode> nodes_;
    std::vector<StringId> name_of_;  // by node
    std::vector<StringId> shapes_of_;
    std::vector<Nanos> longest_;
    ShareSums sums_;
};

}  // namespace lanescope
