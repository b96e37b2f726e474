#include "ui/features/passes.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/analysis/structure/forward_backward.h"
#include "ui/timeline/navigation.h"

namespace lanescope {

namespace {

// Which operator is the backward pass of which; computed from all operators on first use.
struct Pairs {
    TracePtr trace;                                 // may be a snapshot of a load
    std::shared_ptr<const ForwardBackward> result;  // null: not known yet
};

SliceRef other_pass(const ForwardBackward& pairs, SliceRef op) {
    const SliceRef forward = pairs.forward_of(op);
    return forward ? forward : pairs.backward_within(op);
}

// Shows the other pass of the slice or, if it has none, of the innermost operator around or behind
// the slice that has one.
void show_other_pass(const ForwardBackward& pairs, SliceRef from, Frame& frame) {
    std::vector<SliceRef> chain = origin_chain(frame.timeline.trace(), from);
    std::reverse(chain.begin(), chain.end());
    chain.insert(chain.begin(), from);
    for (const SliceRef op : chain) {
        if (const SliceRef other = other_pass(pairs, op)) {
            select_slice(frame.timeline, other);
            return;
        }
    }
    frame.notify("No operator of the other pass is known for this: both need a sequence number.");
}

}  // namespace

std::span<const Action> PassesFeature::actions() const {
    static constexpr Action kActions[] = {Action::forward_backward};
    return kActions;
}

void PassesFeature::act(Action /*action*/, Frame& frame) {
    const SliceRef from = frame.timeline.selected;
    if (!from || !frame.timeline.index || !frame.trace) {
        frame.notify("Select an operator, or what it launched, to go to its other pass.");
        return;
    }
    const TracePtr trace = frame.timeline.index->trace;
    Pairs& pairs = frame.trace->state.get<Pairs>();
    if (pairs.trace == trace) {
        if (pairs.result) show_other_pass(*pairs.result, from, frame);
        return;
    }
    pairs = {trace, nullptr};
    frame.jobs.ask(
        frame.trace->key("passes"),
        [trace] { return std::make_shared<const ForwardBackward>(*trace); },
        [&frame, &pairs, trace, from](std::shared_ptr<const ForwardBackward> result) {
            frame.pacing.wake();
            if (!frame.timeline.index || frame.timeline.index->trace != trace) return;
            pairs.result = std::move(result);
            show_other_pass(*pairs.result, from, frame);
        });
}

}  // namespace lanescope
