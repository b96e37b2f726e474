#include "core/session/file_changes.h"

#include <doctest/doctest.h>

using namespace lanescope;

namespace {

constexpr FileStamp kOne = {1, 100, 5, 0};
constexpr FileStamp kLonger = {1, 200, 6, 0};
constexpr FileStamp kReplaced = {2, 100, 5, 0};

}  // namespace

TEST_CASE("an unchanged file is never reported, even after many checks") {
    FileChanges changes(kOne);
    CHECK_FALSE(changes.is_unsettled());
    for (const bool rested : {false, true, true, false}) {
        CHECK_FALSE(changes.look(kOne, rested));
        CHECK_FALSE(changes.is_unsettled());
    }
}

TEST_CASE("a change is reported once, after a rest without another change") {
    FileChanges changes(kOne);
    CHECK_FALSE(changes.look(kLonger, false));
    CHECK(changes.is_unsettled());
    CHECK(changes.look(kLonger, true));
    CHECK_FALSE(changes.is_unsettled());
    CHECK_FALSE(changes.look(kLonger, true));
    CHECK_FALSE(changes.look(kLonger, false));
}

TEST_CASE("a change without a notification is found by polling, and reported after a rest") {
    FileChanges changes(kOne);
    CHECK_FALSE(changes.look(kLonger, true));
    CHECK(changes.is_unsettled());
    CHECK(changes.look(kLonger, true));
}

TEST_CASE("a growing file is reported after the last write") {
    FileChanges changes(kOne);
    FileStamp stamp = kOne;
    for (int i = 0; i < 20; ++i) {
        stamp.size += 10;
        stamp.nanos += 1;
        CHECK_FALSE(changes.look(stamp, i % 2 == 0));
        if (i % 3 == 0) CHECK_FALSE(changes.look(stamp, false));
        CHECK(changes.is_unsettled());
    }
    CHECK(changes.look(stamp, true));
}

TEST_CASE("a removed file is not reported; a new file in its place is reported") {
    FileChanges changes(kOne);
    for (const bool rested : {false, true, true}) {
        CHECK_FALSE(changes.look(std::nullopt, rested));
        CHECK_FALSE(changes.is_unsettled());
    }
    CHECK_FALSE(changes.look(kReplaced, false));
    CHECK(changes.look(kReplaced, true));
    // Removed in the middle of a change: that change is not reported.
    CHECK_FALSE(changes.look(kLonger, false));
    CHECK_FALSE(changes.look(std::nullopt, false));
    CHECK_FALSE(changes.is_unsettled());
    CHECK_FALSE(changes.look(kReplaced, true));
    CHECK_FALSE(changes.is_unsettled());
}

TEST_CASE("a change that is undone is not reported") {
    FileChanges changes(kOne);
    CHECK_FALSE(changes.look(kLonger, false));
    CHECK_FALSE(changes.look(kOne, false));
    CHECK_FALSE(changes.is_unsettled());
    CHECK_FALSE(changes.look(kOne, true));
}
