// From a forward operator to the one that runs its backward, and back.
#include <algorithm>
#include <vector>

#include "ui/app/app.h"
#include "ui/timeline/navigation.h"

namespace lanescope {

namespace {

SliceRef other_pass(const ForwardBackward& pairs, SliceRef op) {
    const SliceRef forward = pairs.forward_of(op);
    return forward ? forward : pairs.backward_within(op);
}

}  // namespace

// Pairs are computed from all operators in the background, on first use.
void App::go_to_other_pass() {
    const SliceRef from = timeline_.selected;
    if (!from || !timeline_.index) {
        notify("Select an operator, or what it launched, to go to its other pass.", now_);
        return;
    }
    if (passes_.of == timeline_.index->trace) {
        if (passes_.pairs) show_other_pass(from);
        return;
    }
    passes_ = {timeline_.index->trace, nullptr};
    worker_.post([this, trace = passes_.of, from] {
        auto pairs = std::make_shared<const ForwardBackward>(*trace);
        return [this, trace, from, pairs = std::move(pairs)] {
            pacing_.wake();
            if (passes_.of != trace || !timeline_.index || timeline_.index->trace != trace) return;
            passes_.pairs = pairs;
            show_other_pass(from);
        };
    });
}

// For the slice itself, or else for the innermost operator that it comes from.
void App::show_other_pass(SliceRef from) {
    std::vector<SliceRef> chain = origin_chain(timeline_.trace(), from);
    std::reverse(chain.begin(), chain.end());
    chain.insert(chain.begin(), from);
    for (const SliceRef op : chain) {
        if (const SliceRef other = other_pass(*passes_.pairs, op)) {
            select_slice(timeline_, other);
            return;
        }
    }
    notify("No operator of the other pass is known for this: both need a sequence number.", now_);
}

}  // namespace lanescope
