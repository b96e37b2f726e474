#include "core/insight/compare/function_nodes.h"

#include <algorithm>

#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/steps.h"
#include "core/insight/compare/function_names.h"

namespace lanescope {

namespace {

constexpr Nanos kNeverInAStep = INT64_MAX;

}  // namespace

uint32_t StepsOfProcess::at(const std::vector<TimeRange>& ranges, Nanos t, uint32_t& near) {
    if (near >= ranges.size() || t < ranges[near].begin)
        near = static_cast<uint32_t>(
            std::ranges::lower_bound(ranges, t, std::less_equal<>(), &TimeRange::end) -
            ranges.begin());
    while (near < ranges.size() && ranges[near].end <= t) ++near;
    return near < ranges.size() && ranges[near].begin <= t ? near : none;
}

FunctionNodes::FunctionNodes(const TraceContext& context, std::span<const StringId> marks)
    : trace_(context.trace()),
      trees_(context.get<CallTrees>().by_lane),
      index_(context.get<OperatorIndex>()),
      has_operators_(std::ranges::any_of(
          trace_.categories,
          [](const Category& category) { return category.event_class == EventClass::op; })),
      has_shapes_(!trace_.operators.input_dims.empty()),
      names_(trace_.strings.size()),
      node_of_(trace_.lanes.size()),
      known_(1) {
    for (const StringId mark : marks) names_[mark].marks_step = true;
}

const FunctionNodes::Name& FunctionNodes::name(StringId id) {
    Name& name = names_[id];
    if (name.label != 0) return name;
    const std::string text = function_name(trace_.strings[id]);
    name.label = hash_of_name(text);
    name.base = hash_of_name(name_of_any_instance(text));
    name.marks_step = name.marks_step || profiler_step_index(text) >= 0;
    return name;
}

// FunctionKind::step: it belongs to the function around it.
FunctionKind FunctionNodes::kind_of(EventClass event_class, bool in_op) const {
    switch (event_class) {
        case EventClass::op:
        case EventClass::communication:
            return FunctionKind::op;
        case EventClass::module:
            return FunctionKind::module;
        case EventClass::runtime:
        case EventClass::sync:
        case EventClass::overhead:
            return in_op ? FunctionKind::step : FunctionKind::runtime;
        case EventClass::python:
            return has_operators_ ? FunctionKind::step : FunctionKind::call;
        case EventClass::annotation:
        case EventClass::kernel:
        case EventClass::memory:
        case EventClass::other:
            return FunctionKind::call;
    }
    return FunctionKind::call;
}

uint32_t FunctionNodes::enter(uint32_t parent, FunctionKind kind, StringId name_id,
                              StringId shapes) {
    uint32_t& expected = known_[known_[parent].last_below].follower;
    uint32_t found = expected;
    const Known& known = known_[found];
    if (found == 0 || known.parent != parent || known.name != name_id || known.shapes != shapes ||
        known.kind != kind) {
        found = look_up(parent, kind, name_id, shapes);
        known_[known_[parent].last_below].follower = found;
    }
    known_[parent].last_below = found;
    return found;
}

uint32_t FunctionNodes::look_up(uint32_t parent, FunctionKind kind, StringId name_id,
                                StringId shapes) {
    const uint64_t label = name(name_id).label;
    const uint64_t key =
        (label ^ (uint64_t{shapes} * 0x9E3779B97F4A7C15ULL)) + static_cast<uint64_t>(kind);
    const uint32_t shaped =
        shaped_names_.try_emplace(key, static_cast<uint32_t>(shaped_names_.size())).first;
    const auto next = static_cast<uint32_t>(known_.size());
    const uint32_t found = by_parent_.try_emplace(uint64_t{parent} << 32U | shaped, next).first;
    if (found == next) {
        Known known;
        known.parent = parent;
        known.name = name_id;
        known.shapes = shapes;
        known.kind = kind;
        known.first = kNeverInAStep;
        known_.push_back(known);
    }
    return found;
}

uint32_t FunctionNodes::enter_call(uint32_t above, SliceRef call, StringId name_id,
                                   CategoryId category) {
    const EventClass event_class = trace_.event_class(name_id, category);
    const FunctionKind kind = kind_of(event_class, known_[above].kind == FunctionKind::op);
    if (kind == FunctionKind::step || name(name_id).marks_step) return above;
    StringId shapes = 0;
    if (has_shapes_ && kind == FunctionKind::op)
        if (const uint32_t row = index_.row(call); row != kNoRow)
            shapes = trace_.operators.input_dims[row];
    return enter(above, kind, name_id, shapes);
}

// Work may run in a step though it was launched outside of all.
uint32_t FunctionNodes::find_outside(SliceRef call) {
    const CallTree& calls = trees_[call.lane];
    Column<uint32_t>& nodes = node_of_[call.lane];
    const LaneView view(trace_.lanes[call.lane]);
    std::vector<uint32_t> unknown;
    uint32_t i = call.index;
    for (; i != CallTree::none && nodes[i] == kOutside; i = calls.parent[i]) unknown.push_back(i);
    uint32_t above = i == CallTree::none ? 0 : nodes[i];
    for (std::size_t k = unknown.size(); k-- > 0;) {
        above = enter_call(above, {call.lane, unknown[k]}, view.name(unknown[k]),
                           view.category(unknown[k]));
        nodes[unknown[k]] = above;
    }
    return above;
}

void FunctionNodes::add_thread(LaneId lane, const StepsOfProcess& steps,
                               std::vector<uint32_t>& inside) {
    const CallTree& calls = trees_[lane];
    const LaneView view(trace_.lanes[lane]);
    Column<uint32_t>& node_of = node_of_[lane];
    node_of = Column<uint32_t>::filled(calls.parent.size(), kOutside);
    inside.reserve(calls.order.size());
    uint32_t near = 0;
    uint32_t near_divided = 0;
    for (const uint32_t i : calls.order) {
        const Nanos start = view.start(i);
        const Nanos end = view.end(i);
        if (steps.at(start, near_divided) != StepsOfProcess::none ||
            (near_divided < steps.steps.size() && steps.steps[near_divided].begin < end))
            inside.push_back(i);
        const uint32_t step = steps.on_host(start, near);
        // `near` is the step with the begin of the call, or the next one.
        const uint32_t next = step == StepsOfProcess::none ? near : step + 1;
        if (step == StepsOfProcess::none &&
            (next >= steps.host.size() || end <= steps.host[next].begin))
            continue;
        const uint32_t caller = calls.parent[i];
        const uint32_t above = caller == CallTree::none ? 0 : this->node_of({lane, caller});
        // A call around the begin of a step is no part of the step.
        if (next < steps.host.size() && steps.host[next].begin < end) {
            node_of[i] = above;
            continue;
        }
        const uint32_t node = enter_call(above, {lane, i}, view.name(i), view.category(i));
        node_of[i] = node;
        if (node == above || step == StepsOfProcess::none) continue;
        ++sums_.of(node, steps.first + step).calls;
        Known& known = known_[node];
        if (known.first == kNeverInAStep) known.first = start - steps.host[step].begin;
        if (end - start > known.longest) {
            known.longest = end - start;
            known.slice = {lane, i};
        }
    }
}

uint32_t FunctionNodes::node_of_work(SliceRef work, SliceRef launch, SliceRef op, Nanos first) {
    uint32_t around = launch ? node_of(launch) : 0;
    if (around == 0 && op) around = node_of(op);
    if (known_[around].kind == FunctionKind::op) return around;
    if (known_[around].kind == FunctionKind::runtime) around = known_[around].parent;
    const uint32_t node = look_up(around, launch ? FunctionKind::kernel : FunctionKind::no_launch,
                                  trace_.name_id(work), 0);
    Known& known = known_[node];
    known.first = std::min(known.first, first);
    if (const Nanos duration = trace_.duration(work); duration > known.longest) {
        known.longest = duration;
        known.slice = work;
    }
    return node;
}

bool FunctionNodes::works(uint32_t node, EventClass event_class) const {
    if (known_[node].kind == FunctionKind::op) return true;
    switch (event_class) {
        case EventClass::python:
        case EventClass::module:
        case EventClass::annotation:
        case EventClass::overhead:
            return false;
        default:
            return true;
    }
}

FunctionTree FunctionNodes::take() {
    FunctionTree tree;
    tree.nodes.resize(known_.size());
    tree.nodes[0].label = tree.nodes[0].base = hash_of_name("");
    for (uint32_t i = 1; i < known_.size(); ++i) {
        const Known& known = known_[i];
        const Name& name_of_node = name(known.name);
        FunctionNode& node = tree.nodes[i];
        node.kind = known.kind;
        node.parent = known.parent;
        node.label = name_of_node.label;
        node.base = name_of_node.base;
        node.shapes = trace_.strings[known.shapes];
        node.shape = known.shapes == 0 ? 0 : hash_of_name(node.shapes);
        node.name = function_name(trace_.strings[known.name]);
        node.first = known.first;
        node.longest = known.slice;
        tree.nodes[node.parent].children.push_back(i);
    }
    sums_.finish(tree);
    return tree;
}

}  // namespace lanescope
