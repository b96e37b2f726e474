#include "ui/features/undo_history.h"

#include <utility>

namespace lanescope {

namespace {

constexpr std::string_view kView = "view";

// Names the first part in which two states differ; empty if they are equal.
std::string_view difference(const UndoableState& a, const UndoableState& b) {
    if (a.notes != b.notes) return "notes";
    if (a.lanes != b.lanes) return "lanes";
    if (a.layout != b.layout) return "layout";
    return nearly_same(a.view, b.view) ? "" : kView;
}

}  // namespace

void UndoHistory::note(const UndoableState& state, uint64_t inputs, double now) {
    const std::string_view what = now_ ? difference(*now_, state) : std::string_view();
    if (now_ && what.empty()) {
        restored_ = false;
        inputs_ = inputs;
        return;
    }
    const bool by_user = now_ && inputs != inputs_ && !restored_;
    const bool goes_on =
        what == kView && !past_.empty() && past_.back().what == kView && now - moved_at_ < kOneMove;
    if (what == kView) moved_at_ = now;
    if (by_user && !goes_on) {
        past_.push_back({std::move(*now_), what});
        if (past_.size() > kMaxSteps) past_.erase(past_.begin());
    }
    if (by_user) future_.clear();
    now_ = state;
    inputs_ = inputs;
    restored_ = false;
}

std::optional<UndoHistory::Step> UndoHistory::take(std::vector<Step>& from, std::vector<Step>& to) {
    if (from.empty() || !now_) return std::nullopt;
    Step step = std::move(from.back());
    from.pop_back();
    to.push_back({std::move(*now_), step.what});
    now_ = step.state;
    restored_ = true;
    return step;
}

std::optional<UndoHistory::Step> UndoHistory::undo() {
    return take(past_, future_);
}

std::optional<UndoHistory::Step> UndoHistory::redo() {
    return take(future_, past_);
}

}  // namespace lanescope
