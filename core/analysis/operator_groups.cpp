#include "core/analysis/operator_groups.h"

#include "core/analysis/lane_view.h"
#include "core/analysis/torch_flops.h"

namespace lanescope {

namespace {

constexpr std::string_view kBetweenFrames = "; ";

std::string_view text_of(const Trace& trace, const Column<StringId>& column, uint32_t row) {
    if (row == TorchEvent::none || column.empty()) return {};
    return trace.strings[column[row]];
}

}  // namespace

OperatorGroups::OperatorGroups(const TraceContext& context, OperatorsBy by)
    : context_(context), by_(by) {}

std::vector<std::string> OperatorGroups::texts() && {
    return std::move(texts_);
}

uint32_t OperatorGroups::group_of_text(std::string text) {
    if (text.empty()) return 0;
    const auto [found, added] =
        group_of_text_.try_emplace(std::move(text), static_cast<uint32_t>(texts_.size()));
    if (added) texts_.push_back(found->first);
    return found->second;
}

uint32_t OperatorGroups::of_shape(const TorchEvent& event) {
    const Column<StringId>& dims = context_.trace().operators.input_dims;
    const StringId id = event.operator_row == TorchEvent::none || dims.empty()
                            ? StringId{0}
                            : dims[event.operator_row];
    const auto [known, added] = group_of_key_.try_emplace(id, 0);
    if (added) {
        const auto shapes = parse_shapes(context_.trace().strings[id]);
        known->second = group_of_text(shapes ? spell_shapes(*shapes)
                                             : std::string(context_.trace().strings[id]));
    }
    return known->second;
}

// A text for every chain of frames: the innermost first for stacks, the innermost alone for
// modules.
void OperatorGroups::walk_frames(LaneId lane) {
    const Trace& trace = context_.trace();
    const CallTree& tree = context_.call_trees()[lane];
    const LaneView view(trace.lanes[lane]);
    walked_ = lane;
    frames_.assign(tree.parent.size(), 0);
    for (uint32_t i = 0; i < frames_.size(); ++i) {
        const uint32_t above = tree.parent[i] == CallTree::none ? 0 : frames_[tree.parent[i]];
        frames_[i] = above;
        if (trace.categories[view.category(i)].event_class != EventClass::python) continue;
        const StringId name = view.name(i);
        const bool is_module = (trace.name_traits[name] & kModuleFrame) != 0;
        if (by_ == OperatorsBy::module && !is_module) continue;
        const uint32_t outer = by_ == OperatorsBy::stack ? above : 0;
        const auto [known, added] =
            group_of_key_.try_emplace(uint64_t{outer} << 32 | name, uint32_t{0});
        if (added) {
            std::string text(trace.strings[name]);
            if (outer != 0) text += std::string(kBetweenFrames) + texts_[outer];
            known->second = group_of_text(std::move(text));
        }
        frames_[i] = known->second;
    }
}

uint32_t OperatorGroups::of_frames(const TorchEvent& event) {
    const Operators& ops = context_.trace().operators;
    const std::string_view recorded =
        text_of(context_.trace(), by_ == OperatorsBy::stack ? ops.call_stack : ops.module_hierarchy,
                event.operator_row);
    if (!recorded.empty()) return group_of_text(std::string(recorded));
    if (context_.call_trees()[event.slice.lane].parent.empty()) return 0;
    if (walked_ != event.slice.lane) walk_frames(event.slice.lane);
    return frames_[event.slice.index];
}

uint32_t OperatorGroups::group_of(const TorchEvent& event) {
    const Trace& trace = context_.trace();
    const Lane& lane = trace.lanes[event.slice.lane];
    switch (by_) {
        case OperatorsBy::name:
            return 0;
        case OperatorsBy::shape:
            return of_shape(event);
        case OperatorsBy::stack:
        case OperatorsBy::module:
            return of_frames(event);
        case OperatorsBy::step: {
            const uint32_t step = context_.steps().at(lane.process, event.start);
            if (step == kNoRow) return 0;
            const auto [known, added] = group_of_key_.try_emplace(step, 0);
            if (added) known->second = group_of_text(step_label(trace, context_.steps(), step));
            return known->second;
        }
        case OperatorsBy::thread: {
            const auto [known, added] = group_of_key_.try_emplace(event.slice.lane, 0);
            if (added) known->second = group_of_text(std::string(trace.strings[lane.name]));
            return known->second;
        }
    }
    return 0;
}

}  // namespace lanescope
