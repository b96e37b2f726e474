#include "core/analysis/structure/forward_backward.h"

namespace lanescope {

namespace {

bool is_backward(const Operators& ops, uint32_t row) {
    return !ops.forward_thread.empty() && ops.forward_thread[row] != kNoValue &&
           ops.forward_thread[row] > 0;
}

}  // namespace

ForwardBackward::ForwardBackward(const Trace& trace) : trace_(&trace) {
    const Operators& ops = trace.operators;
    if (ops.sequence.empty()) return;
    for (uint32_t row = 0; row < ops.slice.size(); ++row) {
        if (ops.sequence[row] < 0) continue;  // includes kNoValue
        const SliceRef slice = ops.slice[row];
        Pair& pair = pairs_[{trace.lanes[slice.lane].process, ops.sequence[row]}];
        if (is_backward(ops, row)) {
            if (!pair.backward || trace.start(slice) < trace.start(pair.backward))
                pair.backward = slice;
        } else if (!pair.forward || trace.start(slice) >= trace.start(pair.forward)) {
            pair.forward = slice;
        }
    }
}

const ForwardBackward::Pair* ForwardBackward::find(uint32_t row) const {
    const Operators& ops = trace_->operators;
    if (row == kNoRow || ops.sequence.empty() || ops.sequence[row] == kNoValue) return nullptr;
    const auto found = pairs_.find({trace_->lanes[ops.slice[row].lane].process, ops.sequence[row]});
    return found == pairs_.end() ? nullptr : &found->second;
}

SliceRef ForwardBackward::forward_of(SliceRef backward) const {
    return forward_of_row(find_row(trace_->operators.slice, backward));
}

SliceRef ForwardBackward::forward_of_row(uint32_t row) const {
    if (row == kNoRow || !is_backward(trace_->operators, row)) return {};
    const Pair* const pair = find(row);
    return pair ? pair->forward : SliceRef{};
}

SliceRef ForwardBackward::backward_of(SliceRef forward) const {
    const Pair* const pair = find(find_row(trace_->operators.slice, forward));
    return pair && pair->forward == forward ? pair->backward : SliceRef{};
}

SliceRef ForwardBackward::backward_within(SliceRef op) const {
    const Pair* const pair = find(find_row(trace_->operators.slice, op));
    if (!pair || !pair->forward || pair->forward.lane != op.lane) return {};
    const bool inside = trace_->start(pair->forward) >= trace_->start(op) &&
                        trace_->slice_end(pair->forward) <= trace_->slice_end(op);
    return inside ? pair->backward : SliceRef{};
}

}  // namespace lanescope
