#include "ui/timeline/class_filter.h"

#include <doctest/doctest.h>

#include "tests/core/trace_maker.h"

using namespace lanescope;

TEST_CASE("a click selects one class, a click on another selects that one, a second click none") {
    SlotSet chosen;
    choose_class(chosen, 3, false);
    CHECK((chosen.count() == 1 && chosen[3]));
    choose_class(chosen, 5, false);
    CHECK((chosen.count() == 1 && chosen[5]));
    choose_class(chosen, 3, true);
    CHECK((chosen.count() == 2 && chosen[3]));
    choose_class(chosen, 5, false);
    CHECK((chosen.count() == 1 && chosen[5]));
    choose_class(chosen, 5, false);
    CHECK(chosen.none());
    choose_class(chosen, 5, true);
    choose_class(chosen, 5, true);
    CHECK(chosen.none());
}

TEST_CASE("the slices of selected classes are found in all chunks") {
    TraceMaker maker;
    maker.process("1", "python");
    std::vector<TestSlice> first;
    std::vector<TestSlice> second;
    for (int i = 0; i < 100; ++i) {
        first.push_back({i * 10, 5, "a", i % 3 == 0 ? "cuda_runtime" : "cpu_op"});
        second.push_back({2000 + i * 10, 5, "a", i % 5 == 0 ? "kernel" : "cpu_op"});
    }
    maker.lane({first, second});
    maker.counter({0}, {1});
    maker.trace().content = {0, 3000};
    const TracePtr trace = maker.finish();
    const ViewIndexPtr index = build_view_index(trace);
    SlotSet chosen;
    chosen.set(static_cast<std::size_t>(EventClass::runtime));
    CHECK(find_classes(*index, chosen)->matches.count == 34);
    chosen.set(static_cast<std::size_t>(EventClass::kernel));
    const FoundPtr both = find_classes(*index, chosen);
    CHECK(both->matches.count == 54);
    for (uint32_t i = 0; i < 200; ++i) {
        const EventClass kind = trace->event_class(SliceRef{0, i});
        CHECK(both->matches.test({0, i}) == (kind != EventClass::op));
    }
    CHECK(find_classes(*index, {})->matches.count == 0);
}
