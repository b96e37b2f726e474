// throttling and cpu-contention, and findings of programs without a GPU.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "core/capture/sampling/sample_writer.h"
#include "core/ingest/load.h"
#include "core/insight/findings/rule.h"
#include "tests/core/insight/trace_events.h"
#include "tests/core/memory_file.h"
#include "tests/core/spool_maker.h"

using namespace lanescope;
using lanescope::testing::Events;
using lanescope::testing::SpoolMaker;

namespace {

constexpr Nanos kMs = 1'000'000;

std::vector<Finding> machine_findings(const Events& events) {
    return find_all(TraceContext(events.load()), {}, {}).all;
}

const Finding* machine_finding(const std::vector<Finding>& findings, std::string_view rule) {
    const auto at = std::ranges::find(findings, rule, &Finding::rule);
    return at == findings.end() ? nullptr : &*at;
}

// The GPU works for 10 ms without a break.
Events busy_for_10ms() {
    Events events;
    for (int i = 0; i < 10; ++i)
        events.kernel("work", 1000.0 * i, 1000.0 * i + 10, 1000.0 * i + 1010);
    return events;
}

// A clock of 1000 that is at `low` from 4 to 8 ms.
Events clock_that_falls(const std::string& name, double low) {
    Events events = busy_for_10ms();
    events.counter(name, 0, 300);  // before the GPU wakes up
    events.counter(name, 1000, 1000);
    events.counter(name, 4010, low);
    events.counter(name, 8010, 1000);
    return events;
}

// A thread that runs, and waits for 3 of 10 ms while others run or in a call.
std::vector<Finding> findings_of_waits(bool is_preempted) {
    SpoolMaker maker;
    SampleWriter writer(maker.file(), kMs);
    const Nanos zero =
        std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
    writer.tie_clock();
    const auto add = [&](PerfKind kind, Nanos time, bool preempted) {
        PerfRecord record;
        record.kind = kind;
        record.time = zero + time;
        record.pid = record.tid = 17;
        record.is_preempted = preempted;
        if (kind == PerfKind::sample) record.frames = {0x10010};
        writer.take(record);
    };
    add(PerfKind::sample, kMs, false);
    add(PerfKind::switched_out, 3 * kMs, is_preempted);
    add(PerfKind::switched_in, 6 * kMs, false);
    add(PerfKind::sample, 10 * kMs, false);
    writer.tie_clock();
    writer.seal();
    maker.recording->finish();
    const auto trace = load_trace(maker.path());
    REQUIRE(trace);
    return find_all(TraceContext(*trace), {}, {}).all;
}

// Writes the calls and kernels of process 900, whose thread 901 + n launches the work of GPU n,
// after `zero`. The GPUs work until 2 ms and from 8 to 10 ms.
void write_two_gpus(SpoolMaker& maker, Nanos zero) {
    SpoolStream& facts = maker.stream(kSpoolFacts, 1, 900, 900);
    SpoolStream& stream = maker.stream(kSpoolEvents, 1, 900, 900);
    SpoolProcess process = {};
    process.pid = 900;
    maker.write(facts, kSpoolProcess, process, "train");
    SpoolClock clock = {};
    clock.ticks = maker.now();
    clock.ns = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
    maker.write(facts, kSpoolClock, clock);
    for (uint32_t i = 0; i < 4; ++i) {
        SpoolCall call = {};
        SpoolKernel kernel = {};
        kernel.start = zero + (i < 2 ? 0 : 8 * kMs);
        kernel.end = kernel.start + 2 * kMs;
        kernel.device = i % 2;
        kernel.stream = 7;
        kernel.correlation = i + 1;
        call.start = kernel.start - 10'000;
        call.end = kernel.start - 5'000;
        call.tid = 901 + i % 2;
        call.correlation = i + 1;
        call.api = kSpoolRuntimeApi;
        maker.write(stream, kSpoolCall, call, "cudaLaunchKernel");
        maker.write(stream, kSpoolKernel, kernel, "work");
    }
    maker.seal(stream);
    maker.seal(facts);
}

}  // namespace

TEST_CASE("a clock that falls while the GPU works costs its share of the time") {
    const auto findings = machine_findings(clock_that_falls("GPU 0 SM clock (MHz)", 600));
    const Finding* const finding = machine_finding(findings, "throttling");
    REQUIRE(finding);
    CHECK(static_cast<double>(*finding->cost) == doctest::Approx(1'600'000).epsilon(1e-3));
    CHECK(finding->title.find("60.0 %") != std::string::npos);
    CHECK(finding->confidence == Confidence::likely);
    CHECK(finding->places.size() == 1);
}

TEST_CASE("clocks that are no throttling") {
    const auto throttles = [](const Events& events) {
        return machine_finding(machine_findings(events), "throttling") != nullptr;
    };
    CHECK_FALSE(throttles(clock_that_falls("GPU 0 SM clock (MHz)", 950)));  // a little lower
    CHECK_FALSE(throttles(clock_that_falls("GPU 0 memory clock (MHz)", 600)));
    CHECK_FALSE(throttles(clock_that_falls("cpu_frequency 0", 600)));
    CHECK_FALSE(throttles(clock_that_falls("GPU 1 SM clock (MHz)", 600)));  // of another GPU
    CHECK_FALSE(throttles(clock_that_falls("GPU 99999999999 SM clock (MHz)", 600)));
    CHECK_FALSE(throttles(clock_that_falls("gpu freq request_mhz", 600)));
    CHECK_FALSE(throttles(busy_for_10ms()));
    // The clock falls while the GPU has nothing to do.
    Events idle;
    idle.kernel("first", 0, 10, 4000).kernel("second", 8000, 8010, 12'000);
    idle.counter("gpu_clock", 5, 1000).counter("gpu_clock", 4005, 300);
    idle.counter("gpu_clock", 8005, 1000);
    CHECK_FALSE(throttles(idle));
}

TEST_CASE("a thread that could run waits for a processor") {
    const auto findings = findings_of_waits(true);
    const Finding* const finding = machine_finding(findings, "cpu-contention");
    REQUIRE(finding);
    CHECK(static_cast<double>(*finding->cost) == doctest::Approx(3 * kMs).epsilon(0.01));
    CHECK(finding->share > 0.2);
    CHECK(finding->device == Finding::kNoDevice);
    // A thread that is blocked waits for something else.
    CHECK_FALSE(machine_finding(findings_of_waits(false), "cpu-contention"));
}

TEST_CASE("each GPU has the waits of the thread that launches its work") {
    SpoolMaker maker;
    const Nanos zero =
        std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
    write_two_gpus(maker, zero);
    SampleWriter writer(maker.file(), kMs);
    writer.tie_clock();
    const auto add = [&](PerfKind kind, uint32_t tid, Nanos time) {
        PerfRecord record;
        record.kind = kind;
        record.time = zero + time;
        record.pid = 900;
        record.tid = tid;
        record.is_preempted = kind == PerfKind::switched_out;
        if (kind == PerfKind::sample) record.frames = {0x10010};
        writer.take(record);
    };
    // Thread 903 launches nothing.
    for (const uint32_t tid : {901U, 902U, 903U}) add(PerfKind::sample, tid, kMs);
    for (const uint32_t tid : {901U, 902U, 903U}) add(PerfKind::switched_out, tid, 3 * kMs);
    add(PerfKind::switched_in, 902, 5 * kMs);
    add(PerfKind::switched_in, 901, 6 * kMs);
    add(PerfKind::switched_in, 903, 7 * kMs);
    for (const uint32_t tid : {901U, 902U, 903U}) add(PerfKind::sample, tid, 9 * kMs);
    writer.tie_clock();
    writer.seal();
    maker.recording->finish();
    const auto trace = load_trace(maker.path());
    REQUIRE(trace);
    auto findings = find_all(TraceContext(*trace), {}, {}).all;
    std::erase_if(findings, [](const Finding& one) { return one.rule != "cpu-contention"; });
    REQUIRE(findings.size() == 2);
    for (const Finding& finding : findings) {
        const Nanos waited = finding.device == 0 ? 3 * kMs : 2 * kMs;
        CHECK(static_cast<double>(*finding.cost) ==
              doctest::Approx(static_cast<double>(waited)).epsilon(0.02));
        CHECK(finding.evidence.size() == 1);
        REQUIRE(finding.places.size() == 1);
        const Lane& lane = (*trace)->lanes[finding.places[0].lane];
        CHECK((*trace)->strings[lane.tid] == (finding.device == 0 ? "901" : "902"));
    }
}

TEST_CASE("without a GPU: steps that take longer, and the time in the loader") {
    Events events;
    double begin = 0;
    for (int i = 0; i < 12; ++i) {
        const double length = i == 7 ? 3000 : 1000;
        events.step(i, begin, begin + length);
        events.call("user_annotation", "enumerate(DataLoader)#_MultiProcessing.__next__", begin + 1,
                    begin + 301);
        events.call("cpu_op", "aten::mm", begin + 400, begin + 900);
        begin += length;
    }
    const auto findings = machine_findings(events);
    const Finding* const odd = machine_finding(findings, "step-outlier");
    REQUIRE(odd);
    CHECK(*odd->cost == 2'000'000);
    CHECK(odd->title == "ProfilerStep#7 takes longer than the median of 1 ms: 2 ms more");
    const Finding* const loader = machine_finding(findings, "dataloader-wait");
    REQUIRE(loader);
    CHECK(*loader->cost == 12 * 300'000);
    CHECK(loader->cost_kind == CostKind::time);
    CHECK(loader->share == doctest::Approx(3.6 / 14));
}

TEST_CASE("a device of XLA's profiler is not said to have no work") {
    const testing::MemoryFile file(
        R"({"traceEvents":[{"ph":"M","name":"process_name","pid":1,"args":{"name":"/device:GPU:0"}},)"
        R"({"ph":"X","name":"fusion.1","pid":1,"tid":2,"ts":1,"dur":5}]})");
    const auto trace = load_trace(file.path());
    REQUIRE(trace);
    const auto findings = find_all(TraceContext(*trace), {}, {}).all;
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].evidence[0].text.starts_with("the work of /device:GPU:0 is shown"));
}

TEST_CASE("a GPU that a program only touches loses nothing by being idle") {
    Events events = busy_for_10ms();
    events.kernel("copy", 100, 110, 120, "gpu_memcpy", 1);
    events.kernel("copy", 9000, 9010, 9020, "gpu_memcpy", 1);
    const Findings found = find_all(TraceContext(events.load()), {}, {});
    REQUIRE(found.windows.size() == 2);
    CHECK_FALSE(found.windows[0].is_minor);
    CHECK(found.windows[1].is_minor);
    for (const Finding& finding : found.all) CHECK(finding.device != 1);
}
