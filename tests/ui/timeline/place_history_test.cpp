#include "ui/timeline/place_history.h"

#include <doctest/doctest.h>

using namespace lanescope;

namespace {

// A view of a second that begins at this second.
VisitedPlace place(int second, SliceRef selected = {}) {
    Viewport view;
    view.start = Nanos{second} * 1'000'000'000;
    view.span = 1e9;
    view.width = 1000;
    return {view, selected};
}

bool is_at(const std::optional<VisitedPlace>& found, const VisitedPlace& expected) {
    return found && found->selected == expected.selected && found->view == expected.view;
}

const SliceRef kA{0, 1};
const SliceRef kB{0, 2};

}  // namespace

TEST_CASE("places and selections are one history, and a new place discards the later ones") {
    PlaceHistory history;
    history.note(place(0));
    history.note(place(0));
    history.note(place(0, kA));
    history.note(place(5, kB));
    history.note(place(7, kB));
    CHECK(is_at(history.back(place(7, kB)), place(5, kB)));
    CHECK(is_at(history.back(place(5, kB)), place(0, kA)));
    CHECK(is_at(history.back(place(0, kA)), place(0)));
    CHECK(!history.back(place(0)));
    CHECK(is_at(history.forward(), place(0, kA)));
    history.note(place(0, kA));  // as the window does once it is there
    CHECK(is_at(history.forward(), place(5, kB)));
    history.note(place(9));
    CHECK(!history.forward());
    CHECK(is_at(history.back(place(9)), place(5, kB)));
}

TEST_CASE("going back from a place that was not noted leads to the last one that was") {
    PlaceHistory history;
    history.note(place(0));
    history.note(place(1));
    CHECK(is_at(history.back(place(2)), place(1)));
    CHECK(is_at(history.forward(), place(2)));
}

TEST_CASE("going back after dismissing the selection selects it again") {
    PlaceHistory history;
    history.note(place(0));
    history.note(place(1, kA));
    history.note(place(1));
    CHECK(is_at(history.back(place(1)), place(1, kA)));
    CHECK(is_at(history.back(place(1, kA)), place(0)));
}

TEST_CASE("the first place follows a growing trace until the user moves") {
    PlaceHistory history;
    history.begin(place(0));
    history.begin(place(3));
    history.note(place(4));
    history.begin(place(8));
    CHECK(is_at(history.back(place(4)), place(3)));
    CHECK(!history.back(place(3)));
}

TEST_CASE("places outlive slices that have other numbers") {
    PlaceHistory history;
    history.note(place(0, kA));
    history.note(place(1, kB));
    history.forget_slices();
    CHECK(is_at(history.back(place(1)), place(0)));
}

TEST_CASE("a long history forgets its first places") {
    PlaceHistory history;
    for (int i = 0; i < 600; ++i) history.note(place(i));
    int steps = 0;
    for (int at = 599; history.back(place(at)); --at) ++steps;
    CHECK(steps == static_cast<int>(PlaceHistory::kMaxPlaces) - 1);
}
