#include "core/analysis/operators/operator_calls.h"

#include <algorithm>

#include "core/analysis/structure/call_tree.h"

namespace lanescope {

namespace {

// What a model needs besides the operator's own arguments.
constexpr uint8_t kAsked = 1;
constexpr uint8_t kParent = 2;
constexpr uint8_t kBatch = 4;

StringId text_at(const Column<StringId>& column, uint32_t row) {
    return column.empty() ? 0 : column[row];
}

}  // namespace

std::size_t OperatorCalls::HashOfKey::operator()(const Key& key) const {
    uint64_t hash = 0;
    for (const uint32_t word : key) hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL + (hash >> 29U);
    return hash;
}

OperatorCalls::OperatorCalls(const Trace& trace, std::span<const CallTree> trees)
    : trace_(trace),
      trees_(trees),
      by_row_(trace.operators.slice.size(), kNoRow),
      needs_(trace.strings.size(), 0) {}

uint32_t OperatorCalls::parent_row(SliceRef op) const {
    const auto& parents = trees_[op.lane].parent;
    const uint32_t parent = op.index < parents.size() ? parents[op.index] : CallTree::none;
    return parent == CallTree::none ? kNoRow : find_row(trace_.operators.slice, {op.lane, parent});
}

StringId OperatorCalls::batch_around(SliceRef call) const {
    if (!call) return 0;
    const auto& parents = trees_[call.lane].parent;
    if (call.index >= parents.size()) return 0;
    for (uint32_t i = parents[call.index]; i != CallTree::none; i = parents[i])
        if (gives_batch(trace_.name({call.lane, i}))) return trace_.name_id({call.lane, i});
    return 0;
}

uint32_t OperatorCalls::of_row(uint32_t row, SliceRef launch) {
    if (by_row_[row] != kNoRow) return by_row_[row];
    const Operators& ops = trace_.operators;
    OperatorCall call;
    call.name = trace_.name_id(ops.slice[row]);
    call.dims = text_at(ops.input_dims, row);
    call.types = text_at(ops.input_types, row);
    call.strides = text_at(ops.input_strides, row);
    call.concrete = text_at(ops.concrete_inputs, row);
    call.gigabytes = text_at(ops.kernel_gigabytes, row);
    call.flop = text_at(ops.kernel_flop, row);
    uint8_t& needs = needs_[call.name];
    if (needs == 0) {
        const std::string_view name = trace_.strings[call.name];
        needs = kAsked | (needs_parent(name) ? kParent : 0) | (needs_batch(name) ? kBatch : 0);
    }
    const bool replayed = trace_.lanes[ops.slice[row].lane].kind == LaneKind::replay;
    if ((needs & kBatch) != 0) call.batch = batch_around(replayed ? launch : ops.slice[row]);
    if ((needs & kParent) != 0) {
        const uint32_t parent = parent_row(ops.slice[row]);
        if (parent != kNoRow) call.parent_dims = text_at(ops.input_dims, parent);
    }
    return by_row_[row] = find_or_make(call);
}

uint32_t OperatorCalls::with_hint(uint32_t call, DataType hint) {
    if (calls_[call].modelled.why != NoModel::no_type || hint == DataType::unknown) return call;
    OperatorCall hinted = calls_[call];
    hinted.hint = hint;
    return find_or_make(hinted);
}

uint32_t OperatorCalls::find_or_make(const OperatorCall& call) {
    const Key key = {call.name,     call.dims,
                     call.types,    call.strides,
                     call.concrete, call.gigabytes,
                     call.flop,     call.parent_dims,
                     call.batch,    static_cast<uint32_t>(call.hint)};
    const auto [at, added] = found_.try_emplace(key, static_cast<uint32_t>(calls_.size()));
    if (added) {
        OperatorCall& made = calls_.emplace_back(call);
        made.modelled = work_of_call(made);
    }
    return at->second;
}

Modelled OperatorCalls::work_of_call(OperatorCall& call) {
    const StringPool& strings = trace_.strings;
    const KernelEstimate estimate = parse_estimate(strings[call.gigabytes], strings[call.flop]);
    if (!has_rule(strings[call.name]) && !estimate.any()) return {{}, NoModel::no_rule};
    if (call.dims == 0) return {{}, NoModel::no_shapes};
    const auto inputs = parse_inputs(
        {strings[call.dims], strings[call.types], strings[call.strides], strings[call.concrete]});
    if (!inputs) return {{}, why_unread(strings[call.dims])};
    call.strides_misfit = std::ranges::any_of(*inputs, &Input::strides_misfit);
    Call asked(strings[call.name], *inputs);
    asked.hint = call.hint;
    asked.estimate = estimate;
    std::optional<std::vector<Input>> parent;
    if (call.parent_dims != 0) parent = parse_inputs({strings[call.parent_dims], {}, {}, {}});
    if (parent) asked.parent = *parent;
    if (call.batch != 0) asked.batch = strings[call.batch];
    if (!asked.has_values() && inputs->size() > 1) {
        if (!outputs_known_) gather_outputs();
        const auto at = outputs_.find({(*inputs)[0].shape, (*inputs)[1].shape});
        if (at != outputs_.end()) asked.output = &at->second;
    }
    return work_of(asked);
}

// Files written before 2023 have no strides, but backward passes record all three shapes.
void OperatorCalls::gather_outputs() {
    outputs_known_ = true;
    struct Backward {
        std::string_view name;
        std::size_t x, grad;
    };
    constexpr std::array kBackward = {Backward{"aten::cudnn_convolution_backward", 0, 1},
                                      Backward{"aten::convolution_backward", 1, 0}};
    const Operators& ops = trace_.operators;
    if (ops.input_dims.empty()) return;
    for (const Backward& backward : kBackward) {
        const StringId name = trace_.strings.find(backward.name);
        if (name == StringPool::none) continue;
        std::vector<bool> seen(trace_.strings.size());
        for (uint32_t row = 0; row < ops.slice.size(); ++row) {
            const StringId dims = ops.input_dims[row];
            if (dims == 0 || seen[dims] || trace_.name_id(ops.slice[row]) != name) continue;
            seen[dims] = true;
            auto shapes = parse_dims(trace_.strings[dims]);
            if (!shapes || shapes->size() < 3) continue;
            outputs_.try_emplace({(*shapes)[backward.x].shape, (*shapes)[2].shape},
                                 (*shapes)[backward.grad].shape);
        }
    }
}

}  // namespace lanescope
