#include "core/analysis/gpu/step_bound.h"

#include <doctest/doctest.h>

using namespace lanescope;

namespace {

BoundTimes times_of(Nanos busy, Nanos communication, Nanos loading, Nanos overhead) {
    return {1000, busy, communication, loading, overhead};
}

}  // namespace

TEST_CASE("the first bound that holds is a step's, from its threshold on") {
    CHECK(step_bound(times_of(0, 0, 300, 700)) == StepBound::input);
    CHECK(step_bound(times_of(0, 0, 299, 700)) == StepBound::overhead);
    CHECK(step_bound(times_of(850, 300, 0, 150)) == StepBound::communication);
    CHECK(step_bound(times_of(850, 299, 0, 150)) == StepBound::overhead);
    CHECK(step_bound(times_of(850, 299, 0, 149)) == StepBound::device);
    CHECK(step_bound(times_of(700, 0, 299, 0)) == StepBound::device);
    CHECK(step_bound(times_of(699, 0, 299, 2)) == StepBound::mixed);
    CHECK(step_bound(times_of(0, 0, 0, 0)) == StepBound::mixed);
    CHECK(step_bound({}) == StepBound::unknown);
    CHECK(step_bound_name(StepBound::mixed) == "mixed");
    CHECK(step_bound_name(StepBound::unknown).empty());
}

TEST_CASE("a mixed step names its two largest parts") {
    CHECK(largest_parts_text(times_of(550, 0, 60, 100)) == "GPU work 55.0 %, other idle 29.0 %");
    CHECK(largest_parts_text(times_of(500, 290, 250, 100)) ==
          "communication 29.0 %, data loading 25.0 %");
    CHECK(largest_parts_text(times_of(690, 0, 0, 149)) == "GPU work 69.0 %, other idle 16.1 %");
    CHECK(largest_parts_text(times_of(500, 0, 297, 149)) == "GPU work 50.0 %, data loading 29.7 %");
}

TEST_CASE("sums of steps have a bound too") {
    BoundTimes sum = times_of(900, 0, 0, 100);
    sum += times_of(700, 0, 0, 300);
    CHECK(sum.whole == 2000);
    CHECK(sum.busy == 1600);
    CHECK(step_bound(sum) == StepBound::overhead);
}
