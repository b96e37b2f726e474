#include "core/view/bulk.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

constexpr Nanos kDay = 86'400'000'000'000;

// `count` slices of 1 µs, one every 10 µs from `from` on.
std::vector<TestSlice> work(Nanos from, int count) {
    std::vector<TestSlice> slices;
    for (int i = 0; i < count; ++i) slices.push_back({from + Nanos{i} * 10'000, 1'000});
    return slices;
}

TracePtr make_trace(const std::vector<TestSlice>& first, const std::vector<TestSlice>& second) {
    TraceMaker maker;
    maker.process("1", "test");
    maker.lane({first});
    maker.lane({second});
    TimeRange& content = maker.trace().content;
    content = {first.front().start, first.front().start};
    for (const auto& slices : {first, second})
        for (const TestSlice& slice : slices)
            content = {std::min(content.begin, slice.start),
                       std::max(content.end, slice.start + slice.duration)};
    return maker.finish();
}

}  // namespace

TEST_CASE("the first view shows everything, unless almost all work is in a small part of it") {
    const TracePtr even = make_trace(work(0, 500), work(2'000'000, 500));
    CHECK(bulk_of(*even) == even->content);

    for (const Nanos stray : {Nanos{0}, 3 * kDay}) {
        const TracePtr far_off = make_trace(work(kDay, 5'000), {{stray, 1'000}});
        const TimeRange bulk = bulk_of(*far_off);
        // At most one in a hundred may be left out at either end.
        CHECK(bulk.begin >= kDay);
        CHECK(bulk.begin <= kDay + 5'000 / 100 * 10'000);
        CHECK(bulk.end >= kDay + (5'000 - 5'000 / 100 - 1) * 10'000);
        CHECK(bulk.end <= kDay + 5'000 * 10'000);
    }

    // More than one in a hundred are no outliers, and few slices mean nothing.
    const TracePtr two_days = make_trace(work(0, 100), work(kDay, 5'000));
    CHECK(bulk_of(*two_days) == two_days->content);
    const TracePtr few = make_trace(work(kDay, 150), {{0, 1'000}});
    CHECK(bulk_of(*few) == few->content);
    // A slice over the whole time is at neither end.
    const TracePtr within = make_trace(work(kDay, 5'000), {{0, 3 * kDay}});
    CHECK(bulk_of(*within).length() < kDay);
    CHECK(bulk_of(Trace()) == TimeRange{});
}

TEST_CASE("a bulk estimated from a part of the slices is almost the same") {
    const TracePtr large = make_trace(work(kDay, 400'000), {{0, 1'000}});
    const TimeRange bulk = bulk_of(*large);
    const double whole = 400'000 * 10'000.0;
    CHECK(static_cast<double>(bulk.begin - kDay) == doctest::Approx(whole / 100).epsilon(0.01));
    CHECK(static_cast<double>(bulk.end - kDay) == doctest::Approx(whole * 0.99).epsilon(0.01));
}
