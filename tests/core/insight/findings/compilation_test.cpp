// kernel-compilation, on small traces with known answers.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/insight/findings/rule.h"
#include "tests/core/insight/trace_events.h"

using namespace lanescope;
using lanescope::testing::Events;

namespace {

constexpr const char* kJitRun = "triton/runtime/jit.py(709): run";
constexpr const char* kJitCompile = "/opt/triton/runtime/jit.py(838): _do_compile";

std::vector<Finding> compilation_findings(const Events& events) {
    return find_all(TraceContext(events.load()), {}, {}).all;
}

const Finding* finding_named(const std::vector<Finding>& findings, std::string_view rule) {
    const auto at = std::ranges::find(findings, rule, &Finding::rule);
    return at == findings.end() ? nullptr : &*at;
}

// The GPU works to 100 µs, and from 500 to 600 µs.
Events gap_of_400us() {
    Events events;
    events.kernel("first", 1, 10, 100);
    events.kernel("second", 480, 500, 600);
    return events;
}

}  // namespace

TEST_CASE("the caller in the same file counts with the compiler") {
    Events events = gap_of_400us();
    events.call("python_function", "model.py(1): forward", 90, 490);
    events.call("python_function", "/opt/triton/runtime/jit.py(419): <lambda>", 120, 460);
    events.call("python_function", "/opt/triton/runtime/jit.py(709): run", 150, 450);
    events.call("python_function", kJitCompile, 200, 400);
    events.call("python_function", "/opt/triton/compiler/compiler.py(222): compile", 210, 390);
    const auto findings = compilation_findings(events);
    const Finding* const finding = finding_named(findings, "kernel-compilation");
    REQUIRE(finding);
    CHECK(*finding->cost == 300'000);
    CHECK(finding->title.find("a kernel is compiled") != std::string::npos);
    REQUIRE(finding->places.size() == 1);
    CHECK(finding->places[0].name == "/opt/triton/runtime/jit.py(709): run");
    CHECK(finding->places[0].range.length() == 300'000);
    CHECK(finding->evidence[0].text == "before second");
    CHECK(finding->evidence[0].value == 300'000);
}

TEST_CASE("compilation in warm-up is part of what the first steps cost") {
    Events events;
    events.step(0, 0, 3000);
    events.kernel("other", 10, 20, 900);
    events.call("python_function", kJitCompile, 1000, 2500);
    events.kernel("compiled", 2600, 2700, 2990);
    for (int i = 1; i < 6; ++i) {
        events.step(i, 2000 + 1000.0 * i, 3000 + 1000.0 * i);
        events.kernel("other", 2001 + 1000.0 * i, 2005 + 1000.0 * i, 2990 + 1000.0 * i);
    }
    const auto findings = compilation_findings(events);
    const Finding* const finding = finding_named(findings, "kernel-compilation");
    REQUIRE(finding);
    CHECK(*finding->cost == 1'500'000);
    CHECK(finding->part_of == "first-step-costs");
    CHECK(finding->times.empty());  // no part of the steady steps
    CHECK(finding->share == doctest::Approx(1.5 / 7.97).epsilon(1e-3));
    const Finding* const first = finding_named(findings, "first-step-costs");
    REQUIRE(first);
    CHECK(first->evidence[0].value == 1'500'000);
}

TEST_CASE("what is no compilation that the GPU waits for") {
    SUBCASE("a launch of a compiled kernel") {
        Events events = gap_of_400us();
        events.call("python_function", kJitRun, 120, 450);
        CHECK_FALSE(finding_named(compilation_findings(events), "kernel-compilation"));
    }
    SUBCASE("the GPU works meanwhile") {
        Events events;
        events.kernel("first", 1, 10, 500);
        events.kernel("second", 480, 500, 600);
        events.call("python_function", kJitCompile, 200, 400);
        CHECK_FALSE(finding_named(compilation_findings(events), "kernel-compilation"));
    }
    SUBCASE("another function of the same name") {
        Events events = gap_of_400us();
        events.call("python_function", "re.py(249): compile", 120, 450);
        events.call("python_function", "my_triton/runtime/jit.py(838): _do_compile", 120, 450);
        CHECK_FALSE(finding_named(compilation_findings(events), "kernel-compilation"));
    }
    SUBCASE("torch.compile, which annotates itself") {
        Events events = gap_of_400us();
        events.call("user_annotation", "_compile.compile_inner (dynamo_timed)", 110, 470);
        events.call("python_function", kJitCompile, 120, 450);
        CHECK_FALSE(finding_named(compilation_findings(events), "kernel-compilation"));
    }
}
