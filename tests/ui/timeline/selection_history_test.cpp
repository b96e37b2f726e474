#include "ui/timeline/selection_history.h"

#include <doctest/doctest.h>

using namespace lanescope;

TEST_CASE("selections go back and forward, and a new one discards the later ones") {
    SelectionHistory history;
    CHECK(!history.back({}));
    CHECK(!history.forward());
    const SliceRef a{0, 1};
    const SliceRef b{0, 2};
    const SliceRef c{1, 3};
    history.note(a);
    history.note(a);
    history.note(b);
    history.note({});
    history.note(c);
    CHECK(history.back(c) == b);
    CHECK(history.back(b) == a);
    CHECK(!history.back(a));
    CHECK(history.forward() == b);
    history.note(b);  // as the window does after a selection
    CHECK(history.forward() == c);
    CHECK(!history.forward());
    CHECK(history.back(c) == b);
    history.note(a);
    CHECK(!history.forward());
    CHECK(history.back(a) == b);
}

TEST_CASE("with nothing selected, back selects the last selection") {
    SelectionHistory history;
    history.note({0, 1});
    history.note({0, 2});
    CHECK(history.back({}) == SliceRef{0, 2});
    CHECK(history.back({0, 2}) == SliceRef{0, 1});
}

TEST_CASE("a long history discards its oldest selections") {
    SelectionHistory history;
    for (uint32_t i = 0; i < SelectionHistory::kMaxSlices + 10; ++i) history.note({0, i});
    SliceRef at{0, SelectionHistory::kMaxSlices + 9};
    uint32_t steps = 0;
    while (const SliceRef before = history.back(at)) {
        CHECK(before.index + 1 == at.index);
        at = before;
        ++steps;
    }
    CHECK(steps == SelectionHistory::kMaxSlices - 1);
}
