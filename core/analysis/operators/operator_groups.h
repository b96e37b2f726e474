// Grouping of an operators table's rows, in addition to their names.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/analysis/operators/operators.h"
#include "core/analysis/operators/torch_events.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/operator_index.h"
#include "core/base/flat_map.h"

namespace lanescope {

// Numbers texts from 1 in order of first use; 0 is the empty text.
class TextGroups {
  public:
    uint32_t group_of(std::string text);
    const std::string& operator[](uint32_t group) const { return texts_[group]; }
    std::vector<std::string> texts() && { return std::move(texts_); }

  private:
    std::unordered_map<std::string, uint32_t> known_;
    std::vector<std::string> texts_{std::string()};
};

// Groups by shape, stack or module.
class OperatorGroups {
  public:
    // Whether a trace has the data for this grouping; without it all events are in group 0.
    static bool has_any(const TraceContext& context, OperatorsBy grouping);

    OperatorGroups(const TraceContext& context, OperatorsBy grouping);

    // Index in texts(); 0: none.
    uint32_t group_of(const TorchEvent& event);
    std::vector<std::string> texts() && { return std::move(texts_).texts(); }

  private:
    template <typename TextOf>
    uint32_t group_of_id(StringId id, const TextOf& text_of);
    StringId argument_of(const Column<StringId>& column, const TorchEvent& event) const;
    uint32_t of_shape(const TorchEvent& event);
    uint32_t of_frames(const TorchEvent& event);
    std::vector<uint32_t> walk_frames(LaneId lane);

    const Trace& trace_;
    const OperatorIndex& index_;
    std::span<const CallTree> trees_;
    OperatorsBy grouping_;
    TextGroups texts_;
    std::vector<uint32_t> group_of_id_;  // by text id; kNoRow: not yet looked up
    FlatMap<uint32_t> group_of_chain_;   // by the group of the outer frames and a frame's name
    std::vector<std::vector<uint32_t>> frames_;  // by lane and index: group of the enclosing frames
};

}  // namespace lanescope
