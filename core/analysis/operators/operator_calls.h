// The work of a trace's operators, computed once for each distinct set of arguments.
#pragma once

#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/structure/call_tree.h"
#include "core/models/operator_work.h"

namespace lanescope {

// An operator with one set of arguments.
struct OperatorCall {
    StringId name = 0;
    StringId dims = 0;
    StringId types = 0;
    StringId strides = 0;
    StringId concrete = 0;
    StringId gigabytes = 0;  // Inductor's estimates for the kernel
    StringId flop = 0;
    StringId parent_dims = 0;  // of the enclosing operator, if the model needs it
    StringId batch = 0;        // of the enclosing annotation, likewise
    DataType hint = DataType::unknown;
    bool strides_misfit = false;  // the strides do not match the shapes, and are ignored
    Modelled modelled;
};

// Not thread-safe.
class OperatorCalls {
  public:
    OperatorCalls(const Trace& trace, std::span<const CallTree> trees);

    // The index in calls() of an operator, given its row of Trace::operators. `launch`: the call
    // that launched the operator's work, if known. Annotations around the launch of a graph replay
    // belong to the operators above the launch.
    uint32_t of_row(uint32_t row, SliceRef launch = {});
    // The same with the type from a kernel's name, if the arguments have none.
    uint32_t with_hint(uint32_t call, DataType hint);
    const OperatorCall& operator[](uint32_t call) const { return calls_[call]; }
    std::vector<OperatorCall> take() && { return std::move(calls_); }

  private:
    using Key = std::array<uint32_t, 10>;
    struct HashOfKey {
        std::size_t operator()(const Key& key) const;
    };

    uint32_t find_or_make(const OperatorCall& call);
    Modelled work_of_call(OperatorCall& call);
    void gather_outputs();
    uint32_t parent_row(SliceRef op) const;
    StringId batch_around(SliceRef call) const;

    const Trace& trace_;
    std::span<const CallTree> trees_;
    std::vector<uint32_t> by_row_;  // kNoRow: not asked yet
    std::vector<uint8_t> needs_;  // by StringId: bits of what its model needs; 0: not yet looked up
    std::vector<OperatorCall> calls_;
    std::unordered_map<Key, uint32_t, HashOfKey> found_;
    // The result's shape by the shapes of x and w: backward passes record what forward calls do
    // not.
    std::map<std::pair<Shape, Shape>, Shape> outputs_;
    bool outputs_known_ = false;
};

}  // namespace lanescope
