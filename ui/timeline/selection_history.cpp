#include "ui/timeline/selection_history.h"

namespace lanescope {

void SelectionHistory::note(SliceRef selected) {
    if (!selected || (!slices_.empty() && slices_[at_] == selected)) return;
    if (!slices_.empty()) slices_.resize(at_ + 1);
    slices_.push_back(selected);
    if (slices_.size() > kMaxSlices) slices_.erase(slices_.begin());
    at_ = slices_.size() - 1;
}

SliceRef SelectionHistory::back(SliceRef selected) {
    if (slices_.empty()) return {};
    if (!selected) return slices_[at_];
    return at_ == 0 ? SliceRef{} : slices_[--at_];
}

SliceRef SelectionHistory::forward() {
    return at_ + 1 < slices_.size() ? slices_[++at_] : SliceRef{};
}

}  // namespace lanescope
