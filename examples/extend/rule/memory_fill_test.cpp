#include "examples/extend/rule/memory_fill.h"

#include <doctest/doctest.h>

#include "core/ingest/load.h"
#include "tests/core/insight/trace_events.h"

using namespace lanescope;
using lanescope::testing::Events;

namespace {

// The findings of the rule in a trace without steps, whose window is the device's span.
std::vector<Finding> fills_in(const TracePtr& trace) {
    const TraceContext context(trace);
    const TableQuery query;
    const Summary summary = summarise_bounds(context, query);
    const auto& devices = context.get<GpuDevices>().all;
    REQUIRE(summary.devices.size() == 1);
    REQUIRE(devices.size() == 1);
    DeviceWindow window;
    window.summary = &summary.devices[0];
    window.work = &devices[0];
    window.times = {span_of(devices[0].work)};
    window.length = total_length(window.times);
    return run_rule<MemoryFillRule>({context, query, summary, {&window, 1}}, Thresholds());
}

}  // namespace

TEST_CASE("memory-fill: the time of fills is the cost, where they do not overlap") {
    Events events;
    events.call("cpu_op", "aten::zeros", 5, 30);
    events.kernel("Memset (Device)", 10, 20, 60, "gpu_memset");
    events.kernel("Memset (Device)", 16, 50, 80, "gpu_memset");
    events.kernel("gemm", 40, 100, 120);
    const auto findings = fills_in(events.load());
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].cost == 60'000);
    CHECK(findings[0].share == doctest::Approx(0.6));
    CHECK(findings[0].severity == Severity::high);
    REQUIRE(findings[0].places.size() == 2);
    CHECK(findings[0].places[0].range.length() == 40'000);
    REQUIRE_FALSE(findings[0].evidence.empty());
    CHECK(findings[0].evidence[0].text.find("aten::zeros") != std::string::npos);
}

TEST_CASE("memory-fill: a program that fills no memory has no finding") {
    Events events;
    events.kernel("gemm", 10, 20, 60);
    events.kernel("Memcpy HtoD (Pageable -> Device)", 40, 60, 90, "gpu_memcpy");
    CHECK(fills_in(events.load()).empty());
}

TEST_CASE("memory-fill: the sample's nine fills are found") {
    const auto trace = load_trace(LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz");
    REQUIRE(trace);
    const auto findings = fills_in(*trace);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].cost == 78'567);  // as `lanescope table kernels` adds them up
    CHECK(findings[0].title == "The GPU fills memory for 78.57 µs");
}
