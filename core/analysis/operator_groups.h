// What the rows of an operators table are told apart by, besides their names.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/analysis/operators.h"
#include "core/analysis/steps.h"
#include "core/base/flat_map.h"

namespace lanescope {

class OperatorGroups {
  public:
    // Whether a trace has anything to tell its rows apart by; without it all are of group 0.
    static bool has_any(const TraceContext& context, OperatorsBy by);

    OperatorGroups(const TraceContext& context, OperatorsBy by);

    // Row of texts(); 0: none.
    uint32_t group_of(const TorchEvent& event);
    std::vector<std::string> texts() &&;

  private:
    uint32_t group_of_text(std::string text);
    template <typename TextOf>
    uint32_t group_of_number(std::size_t number, const TextOf& text_of);
    uint32_t of_shape(const TorchEvent& event);
    uint32_t of_frames(const TorchEvent& event);
    std::vector<uint32_t> walk_frames(LaneId lane);

    const Trace& trace_;
    std::span<const CallTree> trees_;
    const Steps& steps_;
    StepCursor step_;
    OperatorsBy by_;
    std::unordered_map<std::string, uint32_t> group_of_text_;
    std::vector<uint32_t> group_of_number_;  // by text id, step or lane; kNoRow: not asked yet
    FlatMap<uint32_t> group_of_chain_;       // by the group of the outer frames and a frame's name
    std::vector<std::string> texts_{std::string()};
    std::vector<std::vector<uint32_t>> frames_;  // by lane and index: group of the frames around
};

}  // namespace lanescope
