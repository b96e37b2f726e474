#include "core/insight/compare/function_nodes.h"

#include <algorithm>

#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/steps.h"
#include "core/insight/compare/function_names.h"

namespace lanescope {

namespace {

constexpr Nanos kNeverInAStep = INT64_MAX;

}  // namespace

uint32_t StepsOfProcess::at(Nanos t, uint32_t& near) const {
    if (near >= steps.size() || t < steps[near].begin)
        near = static_cast<uint32_t>(
            std::ranges::lower_bound(steps, t, std::less_equal<>(), &TimeRange::end) -
            steps.begin());
    while (near < steps.size() && steps[near].end <= t) ++near;
    return near < steps.size() && steps[near].begin <= t ? near : none;
}

FunctionNodes::FunctionNodes(const TraceContext& context, std::span<const StringId> marks)
    : trace_(context.trace()),
      trees_(context.get<CallTrees>().by_lane),
      index_(context.get<OperatorIndex>()),
      has_operators_(std::ranges::any_of(
          trace_.categories,
          [](const Category& category) { return category.event_class == EventClass::op; })),
      names_(trace_.strings.size()),
      node_of_(trace_.lanes.size()),
      nodes_(1),
      name_of_(1),
      shapes_of_(1),
      longest_(1) {
    for (const StringId mark : marks) names_[mark].marks_step = true;
    nodes_[0].label = nodes_[0].base = hash_of_name("");
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

// Hashes only serve to compare traces; here ids tell functions apart.
uint32_t FunctionNodes::enter(uint32_t parent, FunctionKind kind, StringId name_id,
                              StringId shapes) {
    const uint64_t label = name(name_id).label;
    const uint64_t key =
        (label ^ (uint64_t{shapes} * 0x9E3779B97F4A7C15ULL)) + static_cast<uint64_t>(kind);
    const uint32_t shaped =
        shaped_names_.try_emplace(key, static_cast<uint32_t>(shaped_names_.size())).first;
    const auto next = static_cast<uint32_t>(nodes_.size());
    const uint32_t found = by_parent_.try_emplace(uint64_t{parent} << 32U | shaped, next).first;
    if (found != next) return found;
    FunctionNode node;
    node.kind = kind;
    node.parent = parent;
    node.label = label;
    node.base = names_[name_id].base;
    node.shape = shapes == 0 ? 0 : hash_of_name(trace_.strings[shapes]);
    node.first = kNeverInAStep;
    nodes_.push_back(std::move(node));
    name_of_.push_back(name_id);
    shapes_of_.push_back(shapes);
    longest_.push_back(-1);
    return found;
}

void FunctionNodes::count(uint32_t node, SliceRef slice, Nanos start, Nanos duration,
                          const StepsOfProcess& steps, uint32_t& near) {
    const uint32_t step = steps.at(start, near);
    if (step == StepsOfProcess::none) return;
    ++sums_.of(node, steps.first + step).calls;
    if (nodes_[node].first == kNeverInAStep) nodes_[node].first = start - steps.steps[step].begin;
    if (duration <= longest_[node]) return;
    longest_[node] = duration;
    nodes_[node].longest = slice;
}

void FunctionNodes::add_thread(LaneId lane, const StepsOfProcess& steps) {
    const CallTree& calls = trees_[lane];
    const LaneView view(trace_.lanes[lane]);
    const bool has_shapes = !trace_.operators.input_dims.empty();
    Column<uint32_t>& node_of = node_of_[lane];
    node_of = Column<uint32_t>::filled(calls.parent.size(), 0);
    uint32_t next_step = 0;  // the first that begins after the call does
    uint32_t near = 0;
    for (const uint32_t i : calls.order) {
        const uint32_t above = calls.parent[i] == CallTree::none ? 0 : node_of[calls.parent[i]];
        node_of[i] = above;
        const Nanos start = view.start(i);
        while (next_step < steps.steps.size() && steps.steps[next_step].begin <= start) ++next_step;
        // A call around the begin of a step is no part of the step.
        if (next_step < steps.steps.size() && steps.steps[next_step].begin < view.end(i)) continue;
        const StringId name_id = view.name(i);
        const EventClass event_class = trace_.event_class(name_id, view.category(i));
        const FunctionKind kind = kind_of(event_class, nodes_[above].kind == FunctionKind::op);
        if (kind == FunctionKind::step || name(name_id).marks_step) continue;
        StringId shapes = 0;
        if (has_shapes && kind == FunctionKind::op)
            if (const uint32_t row = index_.row({lane, i}); row != kNoRow)
                shapes = trace_.operators.input_dims[row];
        node_of[i] = enter(above, kind, name_id, shapes);
        count(node_of[i], {lane, i}, start, view.duration(i), steps, near);
    }
}

uint32_t FunctionNodes::node_of_work(SliceRef work, SliceRef launch, SliceRef op, Nanos first) {
    uint32_t around = launch ? node_of(launch) : 0;
    if (around == 0 && op) around = node_of(op);
    if (nodes_[around].kind == FunctionKind::op) return around;
    if (nodes_[around].kind == FunctionKind::runtime) around = nodes_[around].parent;
    const uint32_t node = enter(around, launch ? FunctionKind::kernel : FunctionKind::no_launch,
                                trace_.name_id(work), 0);
    nodes_[node].first = std::min(nodes_[node].first, first);
    if (const Nanos duration = trace_.duration(work); duration > longest_[node]) {
        longest_[node] = duration;
        nodes_[node].longest = work;
    }
    return node;
}

bool FunctionNodes::works(uint32_t node, EventClass event_class) const {
    if (nodes_[node].kind == FunctionKind::op) return true;
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
    for (uint32_t i = 1; i < nodes_.size(); ++i) {
        nodes_[i].name = function_name(trace_.strings[name_of_[i]]);
        nodes_[i].shapes = trace_.strings[shapes_of_[i]];
        nodes_[nodes_[i].parent].children.push_back(i);
    }
    for (FunctionNode& node : nodes_)
        std::ranges::stable_sort(node.children, {}, [&](uint32_t i) { return nodes_[i].first; });
    tree.nodes = std::move(nodes_);
    sums_.finish(tree);
    return tree;
}

}  // namespace lanescope
