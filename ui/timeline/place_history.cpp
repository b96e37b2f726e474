#include "ui/timeline/place_history.h"

namespace lanescope {

namespace {

bool is_same(const VisitedPlace& a, const VisitedPlace& b) {
    return a.selected == b.selected && nearly_same(a.view, b.view);
}

// Whether the two places differ only in that the selection was dismissed.
bool only_dismissed(const VisitedPlace& before, const VisitedPlace& now) {
    return before.selected && !now.selected && nearly_same(before.view, now.view);
}

}  // namespace

void PlaceHistory::begin(const VisitedPlace& place) {
    if (places_.size() > 1) return;
    places_ = {place};
    at_ = 0;
}

void PlaceHistory::note(const VisitedPlace& place) {
    if (!places_.empty()) {
        if (is_same(places_[at_], place) || only_dismissed(places_[at_], place)) return;
        places_.resize(at_ + 1);
    }
    places_.push_back(place);
    if (places_.size() > kMaxPlaces) places_.erase(places_.begin());
    at_ = places_.size() - 1;
}

std::optional<VisitedPlace> PlaceHistory::back(const VisitedPlace& now) {
    note(now);
    if (only_dismissed(places_[at_], now)) return places_[at_];
    if (at_ == 0) return std::nullopt;
    return places_[--at_];
}

std::optional<VisitedPlace> PlaceHistory::forward() {
    if (at_ + 1 >= places_.size()) return std::nullopt;
    return places_[++at_];
}

void PlaceHistory::forget_slices() {
    for (VisitedPlace& place : places_) place.selected = {};
}

}  // namespace lanescope
