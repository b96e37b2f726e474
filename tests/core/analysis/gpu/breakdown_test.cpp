#include "core/analysis/gpu/breakdown.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>

#include "core/analysis/structure/attribution.h"
#include "tests/core/analysis/hta_conventions.h"
#include "tests/core/analysis/hta_truth.h"
#include "tests/core/real_traces.h"
#include "tests/core/trace_maker.h"

namespace lanescope {
namespace {

using nlohmann::json;

json truth_of(const char* tool) {
    const std::string path = testing::real_trace(std::string("truth/") + tool);
    if (path.empty()) return {};
    std::ifstream file(path);
    return json::parse(file);
}

std::vector<GpuWork> all_work(const Trace& trace) {
    std::vector<GpuWork> work;
    for (const GpuDevice& device : gpu_devices(trace))
        work.insert(work.end(), device.work.begin(), device.work.end());
    return work;
}

// TraceLens leaves out activities whose launch call is not in the file. If flows have Kineto's name
// of 2022, it only finds the launches of CUDA graphs.
std::vector<GpuWork> launches_for_tracelens(const TraceContext& context, std::vector<GpuWork> work,
                                            bool graphs_alone) {
    std::erase_if(work, [&](const GpuWork& w) {
        const SliceRef call = context.get<Attribution>().launch[w.row];
        return !call || (graphs_alone && context.trace().name(call) != "cudaGraphLaunch");
    });
    return work;
}

// By correlation alone, regardless of the rank.
std::vector<GpuWork> without_last_step(const Trace& trace, std::vector<GpuWork> work) {
    const Nanos last = testing::last_step_of_hta(trace);
    if (last == std::numeric_limits<Nanos>::max()) return work;
    std::set<int64_t> launched;
    for (uint32_t row = 0; row < trace.runtime_calls.slice.size(); ++row)
        if (testing::in_whole_micros(trace, trace.runtime_calls.slice[row]).begin < last)
            launched.insert(trace.runtime_calls.correlation[row]);
    std::erase_if(work, [&](const GpuWork& w) {
        return !launched.contains(trace.gpu_activities.correlation[w.row]);
    });
    return work;
}

// The possible error of a tool that stores microseconds as doubles, for so many events.
double double_error_ns(const Trace& trace, std::size_t events) {
    const double micros = static_cast<double>(trace.end) / 1000;
    const double step = std::nextafter(micros, INFINITY) - micros;
    return 1000 * step * static_cast<double>(events);
}

// TraceLens' gpu_timeline by its definition, from one begin or end to the next: sets count as
// computing; communication is exposed beside copies, and copies only beside nothing.
TimeBreakdown timeline_by_definition(const Trace& trace) {
    std::map<Nanos, std::array<int, 3>> changes;  // of running computing, communication, copies
    for (const SliceRef slice : trace.gpu_activities.slice) {
        std::size_t kind = trace.name(slice).starts_with("Memcpy") ? 2 : 0;
        if (trace.name(slice).starts_with("nccl")) kind = 1;
        ++changes[trace.start(slice)][kind];
        --changes[trace.slice_end(slice)][kind];
    }
    TimeBreakdown time;
    std::array<int, 3> running = {};
    Nanos before = changes.begin()->first;
    for (const auto& [at, change] : changes) {
        const Nanos length = at - before;
        const auto [computes, communicates, copies] = running;
        time.span += length;
        (computes || communicates || copies ? time.busy : time.idle) += length;
        if (computes) time.compute += length;
        if (communicates) time.communication += length;
        if (copies) time.memory += length;
        if (communicates && !computes) time.exposed_communication += length;
        if (copies && !computes && !communicates) time.exposed_memory += length;
        for (std::size_t kind = 0; kind < 3; ++kind) running[kind] += change[kind];
        before = at;
    }
    return time;
}

void check_definition_of_tracelens(const Trace& trace) {
    const TimeBreakdown ours = break_down(all_work(trace), SetsAre::compute);
    const TimeBreakdown defined = timeline_by_definition(trace);
    CHECK(defined.exposed_memory > 0);
    CHECK(defined.exposed_communication > 0);
    CHECK(ours.compute == defined.compute);
    CHECK(ours.exposed_communication == defined.exposed_communication);
    CHECK(ours.exposed_memory == defined.exposed_memory);
    CHECK(ours.busy == defined.busy);
    CHECK(ours.idle == defined.idle);
    CHECK(ours.span == defined.span);
    CHECK(ours.communication == defined.communication);
    CHECK(ours.memory == defined.memory);
}

TEST_CASE("breakdown: equals TraceLens' gpu_timeline") {
    const TracePtr sample = testing::load_real_trace("synthetic_step.json.gz");
    REQUIRE(sample);
    check_definition_of_tracelens(*sample);
    if (!testing::has_real_traces()) return;
    const json truth = truth_of("tracelens.json");
    CHECK(truth.size() == 14);
    for (const auto& [trace_name, tables] : truth.items()) {
        const std::string& name = trace_name;  // which a test can capture
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        const TraceContext context(trace);
        const std::vector<GpuWork> work = launches_for_tracelens(
            context, all_work(*trace), name == "torch/v100_train_after.json.gz");
        const TimeBreakdown time = break_down(work, SetsAre::compute);
        const double tolerance = 1 + double_error_ns(*trace, work.size());
        const json& theirs = tables["gpu_timeline_ms"];
        const auto check = [&](const std::string& key, Nanos ours) {
            CAPTURE(key);
            CHECK(std::abs(theirs[key].get<double>() * 1e6 - static_cast<double>(ours)) <=
                  tolerance);
        };
        check("computation_time", time.compute);
        check("exposed_comm_time", time.exposed_communication);
        check("exposed_memcpy_time", time.exposed_memory);
        check("busy_time", time.busy);
        check("idle_time", time.idle);
        check("total_time", time.span);
        check("total_comm_time", time.communication);
        check("total_memcpy_time", time.memory);
    }
}

TEST_CASE("breakdown: equals HTA's temporal breakdown and overlap") {
    const json truth = testing::hta_truth();
    int compared = 0;
    for (const auto& [trace_name, tables] : truth.items()) {
        const std::string& name = trace_name;  // which a test can capture
        if (!tables.contains("temporal") || tables["temporal"].is_null()) continue;
        CAPTURE(name);
        // docs/numbers.md explains why these differ.
        if (name == "torch/a100_alexnet_sync.json.gz" || name == "torch/mtia_inference.json.gz")
            continue;
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        const TraceContext context(trace);
        std::vector<GpuWork> work = without_last_step(*trace, all_work(*trace));
        int64_t below_a_micro = 0;
        for (GpuWork& w : work) {
            w.range = testing::in_whole_micros(w.range);
            below_a_micro += w.range.length() < 0 ? 1 : 0;
            w.range.end = std::max(w.range.begin, w.range.end);
        }
        const double tolerance = 1000 * static_cast<double>(below_a_micro);
        const TimeBreakdown time = break_down(work, SetsAre::memory);
        const json& theirs = tables["temporal"];
        const auto check = [&](const std::string& key, Nanos ours) {
            CAPTURE(key);
            CHECK(std::abs(theirs[key].get<double>() * 1000 - static_cast<double>(ours)) <=
                  tolerance);
        };
        check("kernel_time(us)", time.span);
        check("idle_time(us)", time.idle);
        check("compute_time(us)", time.compute);
        check("non_compute_time(us)", time.exposed_communication + time.exposed_memory);
        const json& overlap = tables["overlap"][0]["comp_comm_overlap_pctg"];
        CHECK(overlap.is_null() == !time.overlap());
        if (!overlap.is_null() && time.overlap())
            CHECK(std::abs(overlap.get<double>() - 100 * *time.overlap()) <= 0.00501);
        ++compared;
    }
    CHECK(compared == 1 + (testing::has_real_traces() ? 17 : 0));
}

TEST_CASE("breakdown: the parts add up and equal a count of every nanosecond") {
    std::mt19937_64 random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<GpuWork> work;
        for (int i = 0; i < 12; ++i) {
            const auto begin = static_cast<Nanos>(random() % 300);
            const auto kind = static_cast<WorkKind>(random() % 4);
            work.push_back({{begin, begin + static_cast<Nanos>(random() % 40)}, kind, 0});
        }
        const TimeRange range{static_cast<Nanos>(random() % 100), 150};
        const TimeRange span = span_of(work);
        TimeBreakdown slow;
        for (Nanos t = std::max(span.begin, range.begin); t < std::min(span.end, range.end); ++t) {
            bool runs[4] = {};
            for (const GpuWork& w : work)
                if (w.range.contains(t)) runs[static_cast<int>(w.kind)] = true;
            const bool memory = runs[2] || runs[3];
            slow.span += 1;
            slow.busy += runs[0] || runs[1] || memory ? 1 : 0;
            slow.communication += runs[1] ? 1 : 0;
            slow.exposed_communication += runs[1] && !runs[0] ? 1 : 0;
            slow.exposed_memory += memory && !runs[0] && !runs[1] ? 1 : 0;
            slow.overlapped_communication += runs[0] && runs[1] ? 1 : 0;
        }
        const TimeBreakdown time = break_down(work, SetsAre::memory, range);
        CHECK(time.span == slow.span);
        CHECK(time.busy == slow.busy);
        CHECK(time.idle == slow.span - slow.busy);
        CHECK(time.communication == slow.communication);
        CHECK(time.exposed_communication == slow.exposed_communication);
        CHECK(time.exposed_memory == slow.exposed_memory);
        CHECK(time.overlapped_communication == slow.overlapped_communication);
        CHECK(time.compute + time.exposed_communication + time.exposed_memory == time.busy);
    }
}

TEST_CASE("breakdown: no rows without a GPU, unknown times in an empty range") {
    const TracePtr none = TraceMaker().finish();
    CHECK(breakdown_table(TraceContext(none), {}).row_count() == 0);
    const TimeBreakdown empty = break_down({}, SetsAre::memory);
    CHECK(empty.span == 0);
    CHECK(!empty.overlap());
    const GpuWork one{{100, 200}, WorkKind::compute, 0};
    CHECK(break_down({&one, 1}, SetsAre::memory, TimeRange{300, 400}).span == 0);
}

}  // namespace
}  // namespace lanescope
