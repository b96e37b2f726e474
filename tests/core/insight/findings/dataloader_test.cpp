// The cost of dataloader-wait, by what-if.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "core/insight/findings/rule.h"
#include "core/insight/what_if/what_if.h"
#include "tests/core/insight/trace_events.h"

using namespace lanescope;
using lanescope::testing::Events;

namespace {

// Five steps of 1 ms; in each the loader takes `loading` µs, and the GPU works 300 µs afterwards.
Events loading_steps(double loading, int thread_of_loader = 1) {
    Events events;
    for (int i = 0; i < 5; ++i) {
        const double begin = 1000.0 * i;
        events.step(i, begin, begin + 1000);
        events.on_thread(thread_of_loader, "user_annotation",
                         "enumerate(DataLoader)#_SingleProcess.__next__", begin + 10,
                         begin + 10 + loading);
        events.kernel("work", begin + loading + 20, begin + loading + 30, begin + loading + 330);
        events.call("cuda_runtime", "cudaDeviceSynchronize", begin + loading + 40,
                    begin + loading + 332);
    }
    return events;
}

const Finding* loader_of(const std::vector<Finding>& findings) {
    const auto at = std::ranges::find(findings, "dataloader-wait", &Finding::rule);
    return at == findings.end() ? nullptr : &*at;
}

}  // namespace

TEST_CASE("the loader costs what the steps would be shorter by") {
    const auto findings = find_all(TraceContext(loading_steps(500).load()), {}, {}).all;
    const Finding* const finding = loader_of(findings);
    REQUIRE(finding);
    CHECK(finding->cost_kind == CostKind::saved);
    CHECK(static_cast<double>(*finding->cost) == doctest::Approx(5 * 500'000).epsilon(0.02));
    CHECK(total_length(finding->times) <= *finding->cost);
    CHECK(*finding->cost_per_step * 5 == doctest::Approx(static_cast<double>(*finding->cost)));
}

TEST_CASE("a loader for which the launching thread does not wait costs time, possibly") {
    const auto findings = find_all(TraceContext(loading_steps(500, 2).load()), {}, {}).all;
    const Finding* const finding = loader_of(findings);
    REQUIRE(finding);
    CHECK(finding->cost_kind == CostKind::time);
    CHECK(finding->confidence == Confidence::possible);
    CHECK(*finding->cost == 5 * 500'000);
}

TEST_CASE("the steps' savings add up to what-if's") {
    const TraceContext context(loading_steps(400).load());
    const Result<Change> change = change_of(context, ChangeOf::operators, "DataLoader");
    REQUIRE(change);
    const std::vector<double> by_step = saved_by_step(context, *change);
    REQUIRE(by_step.size() == 5);
    const WhatIf all = what_if(context, {}, *change);
    CHECK(std::accumulate(by_step.begin(), by_step.end(), 0.0) ==
          doctest::Approx(all.saved_ns() * 5));
    CHECK(by_step[2] == doctest::Approx(200'000).epsilon(0.01));  // half of the loader's time
}
