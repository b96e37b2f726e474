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
    uint32_t first = 0;            // index of the first sample
    std::vector<TimeRange> steps;  // the times that are divided
    std::vector<TimeRange> host;   // of their calls

    static constexpr uint32_t none = ~uint32_t{0};
    // The step with this time, none if it is in no step; `near`: where to begin to look. If it is
    // in none, `near` is the next one.
    uint32_t at(Nanos t, uint32_t& near) const { return at(steps, t, near); }
    uint32_t on_host(Nanos t, uint32_t& near) const { return at(host, t, near); }

  private:
    static uint32_t at(const std::vector<TimeRange>& ranges, Nanos t, uint32_t& near);
};

class FunctionNodes {
  public:
    FunctionNodes(const TraceContext& context, std::span<const StringId> marks);

    // Calls of a thread of that process. Adds to `inside` those that run in a step, in preorder.
    void add_thread(LaneId lane, const StepsOfProcess& steps, std::vector<uint32_t>& inside);
    // The function that contains a call; the step if the call is in none.
    uint32_t node_of(SliceRef call) {
        const Column<uint32_t>& nodes = node_of_[call.lane];
        if (nodes.empty()) return 0;
        return nodes[call.index] == kOutside ? find_outside(call) : nodes[call.index];
    }
    // Returns the function of GPU work: the operator that launched the work, or a node for work
    // without an operator.
    uint32_t node_of_work(SliceRef work, SliceRef launch, SliceRef op, Nanos first);
    // Whether a call in this function is work, and not only a frame around work.
    bool works(uint32_t node, EventClass event_class) const;

    FunctionKind kind(uint32_t node) const { return known_[node].kind; }
    StringId name_id(uint32_t node) const { return known_[node].name; }
    ShareSums& sums() { return sums_; }
    FunctionTree take();

  private:
    struct Name {
        uint64_t label = 0;  // 0: not read yet
        uint64_t base = 0;
        bool marks_step = false;
    };

    struct Known {
        uint32_t parent = 0;
        StringId name = 0;
        StringId shapes = 0;
        FunctionKind kind = FunctionKind::step;
        // Steps repeat themselves: the function entered last below this one, and the one that was
        // entered after this one below the same function.
        uint32_t last_below = 0;
        uint32_t follower = 0;  // 0: none
        Nanos first = 0;
        Nanos longest = -1;
        SliceRef slice;  // the longest
    };
    static constexpr uint32_t kOutside = ~uint32_t{0};  // of all steps: not looked up yet

    const Name& name(StringId id);
    FunctionKind kind_of(EventClass event_class, bool in_op) const;
    // Returns the function of a call. `caller`: the function of the call around it.
    uint32_t enter_call(uint32_t above, SliceRef call, StringId name, CategoryId category);
    uint32_t enter(uint32_t parent, FunctionKind kind, StringId name, StringId shapes);
    uint32_t look_up(uint32_t parent, FunctionKind kind, StringId name, StringId shapes);
    uint32_t find_outside(SliceRef call);

    const Trace& trace_;
    std::span<const CallTree> trees_;
    const OperatorIndex& index_;
    bool has_operators_ = false;
    bool has_shapes_ = false;
    std::vector<Name> names_;                // by StringId
    std::vector<Column<uint32_t>> node_of_;  // by lane and slice
    FlatMap<uint32_t> shaped_names_;         // by name, shapes and kind
    FlatMap<uint32_t> by_parent_;            // by parent and shaped name
    std::vector<Known> known_;               // by node
    ShareSums sums_;
};

}  // namespace lanescope
