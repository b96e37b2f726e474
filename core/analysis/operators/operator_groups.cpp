#include "core/analysis/operators/operator_groups.h"

#include <algorithm>

#include "core/analysis/operators/torch_flops.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/steps.h"

namespace lanescope {

namespace {

constexpr std::string_view kBetweenFrames = "; ";

}  // namespace

uint32_t TextGroups::group_of(std::string text) {
    if (text.empty()) return 0;
    const auto [found, added] =
        known_.try_emplace(std::move(text), static_cast<uint32_t>(texts_.size()));
    if (added) texts_.push_back(found->first);
    return found->second;
}

OperatorGroups::OperatorGroups(const TraceContext& context, OperatorsBy grouping)
    : trace_(context.trace()),
      index_(context.get<OperatorIndex>()),
      trees_(context.get<CallTrees>().by_lane),
      grouping_(grouping) {
    frames_.resize(trace_.lanes.size());
}

bool OperatorGroups::has_any(const TraceContext& context, OperatorsBy grouping) {
    const Trace& trace = context.trace();
    const bool has_frames = std::ranges::any_of(trace.categories, [](const Category& category) {
        return category.event_class == EventClass::python;
    });
    switch (grouping) {
        case OperatorsBy::name:
            return false;
        case OperatorsBy::shape:
            return !trace.operators.input_dims.empty();
        case OperatorsBy::stack:
            return has_frames || !trace.operators.call_stack.empty();
        case OperatorsBy::module:
            return has_frames || !trace.operators.module_hierarchy.empty();
        case OperatorsBy::step:
            return !context.get<Steps>().all.empty();
        case OperatorsBy::thread:
            return true;
    }
    return true;
}

// Calls `text_of()` for an id's first event.
template <typename TextOf>
uint32_t OperatorGroups::group_of_id(StringId id, const TextOf& text_of) {
    if (id >= group_of_id_.size()) group_of_id_.resize(id + std::size_t{1}, kNoRow);
    if (group_of_id_[id] == kNoRow) group_of_id_[id] = texts_.group_of(std::string(text_of()));
    return group_of_id_[id];
}

StringId OperatorGroups::argument_of(const Column<StringId>& column,
                                     const TorchEvent& event) const {
    if (column.empty()) return 0;
    const uint32_t row = index_.row(event.slice);
    return row == kNoRow ? StringId{0} : column[row];
}

uint32_t OperatorGroups::of_shape(const TorchEvent& event) {
    const StringId id = argument_of(trace_.operators.input_dims, event);
    return group_of_id(id, [&] {
        const auto shapes = parse_shapes(trace_.strings[id]);
        return shapes ? spell_shapes(*shapes) : std::string(trace_.strings[id]);
    });
}

// A text for every chain of frames: all frames innermost first for stacks, only the innermost for
// modules.
std::vector<uint32_t> OperatorGroups::walk_frames(LaneId lane) {
    const CallTree& tree = trees_[lane];
    const LaneView view(trace_.lanes[lane]);
    std::vector<uint32_t> frames(tree.parent.size(), 0);
    for (uint32_t i = 0; i < frames.size(); ++i) {
        const uint32_t above = tree.parent[i] == CallTree::none ? 0 : frames[tree.parent[i]];
        frames[i] = above;
        if (trace_.categories[view.category(i)].event_class != EventClass::python) continue;
        const StringId name = view.name(i);
        const bool is_module = (trace_.name_traits[name] & kModuleFrame) != 0;
        if (grouping_ == OperatorsBy::module && !is_module) continue;
        const uint32_t outer = grouping_ == OperatorsBy::stack ? above : 0;
        const auto [known, added] =
            group_of_chain_.try_emplace(uint64_t{outer} << 32 | name, uint32_t{0});
        if (added) {
            std::string text(trace_.strings[name]);
            if (outer != 0) text += std::string(kBetweenFrames) + texts_[outer];
            known = texts_.group_of(std::move(text));
        }
        frames[i] = known;
    }
    return frames;
}

uint32_t OperatorGroups::of_frames(const TorchEvent& event) {
    const Operators& ops = trace_.operators;
    const StringId recorded =
        argument_of(grouping_ == OperatorsBy::stack ? ops.call_stack : ops.module_hierarchy, event);
    if (recorded != 0) return group_of_id(recorded, [&] { return trace_.strings[recorded]; });
    const LaneId lane = event.slice.lane;
    if (trees_[lane].parent.empty()) return 0;
    if (frames_[lane].empty()) frames_[lane] = walk_frames(lane);
    return frames_[lane][event.slice.index];
}

uint32_t OperatorGroups::group_of(const TorchEvent& event) {
    return grouping_ == OperatorsBy::shape ? of_shape(event) : of_frames(event);
}

}  // namespace lanescope
