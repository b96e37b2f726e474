// What the rows of an operators table are told apart by, besides their names.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/analysis/operators.h"

namespace lanescope {

class OperatorGroups {
  public:
    OperatorGroups(const TraceContext& context, OperatorsBy by);

    // Row of texts(); 0: none. Called with the events of one lane after those of another.
    uint32_t group_of(const TorchEvent& event);
    std::vector<std::string> texts() &&;

  private:
    uint32_t group_of_text(std::string text);
    uint32_t of_shape(const TorchEvent& event);
    uint32_t of_frames(const TorchEvent& event);
    void walk_frames(LaneId lane);

    const TraceContext& context_;
    OperatorsBy by_;
    std::unordered_map<std::string, uint32_t> group_of_text_;
    std::unordered_map<uint64_t, uint32_t> group_of_key_;  // of text ids, steps, lanes
    std::vector<std::string> texts_{std::string()};
    LaneId walked_ = SliceRef::no_index;
    std::vector<uint32_t> frames_;  // by index in the walked lane: group of the frames around it
};

}  // namespace lanescope
