#include "core/analysis/gpu/gaps.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "core/analysis/gpu/breakdown.h"
#include "core/export/tables/table_writer.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

// By begin in µs from the trace's origin.
std::map<Nanos, std::string> causes_of(const Trace& trace, std::span<const IdleGap> gaps,
                                       bool of_device, int32_t stream) {
    std::map<Nanos, std::string> causes;
    for (const IdleGap& gap : gaps)
        if (gap.of_device == of_device && gap.stream == stream)
            causes[(gap.range.begin - trace.origin) / 1000] = gap_cause_name(gap.cause);
    return causes;
}

void check_idle(const TraceContext& context, const TableQuery& query) {
    const Column<IdleGap> gaps = idle_gaps(context, query);
    for (const GpuDevice& device : gpu_devices(context.trace())) {
        const auto sum = [&](bool of_device, int32_t stream) {
            Nanos total = 0;
            for (const IdleGap& gap : gaps)
                if (gap.process == device.process && gap.device == device.device &&
                    gap.of_device == of_device && gap.stream == stream)
                    total += gap.range.length();
            return total;
        };
        CHECK(sum(true, -1) == break_down(device.work, SetsAre::memory, query.range).idle);
        for (const GpuStream& stream : device.streams)
            CHECK(sum(false, stream.stream) ==
                  break_down(stream.work, SetsAre::memory, query.range).idle);
    }
    for (std::size_t i = 1; i < gaps.size(); ++i)
        CHECK(gaps[i - 1].range.length() >= gaps[i].range.length());
}

std::vector<IdleGap> device_gaps(const TraceContext& context) {
    std::vector<IdleGap> gaps;
    for (const IdleGap& gap : context.get<AllIdleGaps>().rows)
        if (gap.of_device) gaps.push_back(gap);
    return gaps;
}

std::string host_call_of(const Trace& trace, const IdleGap& gap) {
    return gap.host_call ? std::string(trace.name(gap.host_call)) : std::string();
}

}  // namespace

TEST_CASE("gaps: the first matching cause counts") {
    const TracePtr trace = testing::GpuTraceMaker()
                               .call("cudaLaunchKernel", 0, 5, 1)
                               .work("k1", 10, 10, 1)
                               .call("cudaStreamSynchronize", 6, 15)
                               .call("cudaLaunchKernel", 30, 4, 2)
                               .work("k2", 40, 10, 2)
                               .call("cudaStreamSynchronize", 52, 3)
                               .call("cudaLaunchKernel", 60, 4, 3)
                               .work("k3", 70, 10, 3)
                               .call("cudaMemcpyAsync", 81, 14, 4)
                               .work("copy", 100, 10, 4, 7, "gpu_memcpy")
                               .call("Buffer Flush", 112, 16, 0, 3, "overhead")
                               .call("cudaLaunchKernel", 129, 1, 5)
                               .work("k5", 130, 10, 5)
                               .call("cudaLaunchKernel", 135, 2, 6)
                               .work("k6", 145, 5, 6)
                               .call("cudaLaunchKernel", 100, 2, 20, 2)
                               .work("other", 148, 12, 20, 8)
                               .call("cudaStreamWaitEvent", 141, 1)
                               .call("cudaLaunchKernel", 143, 2, 7)
                               .work("k7", 162, 8, 7)
                               .work("k8", 180, 10, 8)
                               .load();
    const TraceContext context(trace);
    const Column<IdleGap> gaps = idle_gaps(context, {});
    std::map<Nanos, std::string> expected = {
        {20, "synchronisation"}, {50, "host"},        {80, "copy"}, {110, "profiler overhead"},
        {140, "launch latency"}, {150, "dependency"}, {170, ""}};
    CHECK(causes_of(*trace, gaps, false, 7) == expected);
    expected.erase(150);
    expected[160] = "launch latency";
    CHECK(causes_of(*trace, gaps, true, -1) == expected);
    CHECK(causes_of(*trace, gaps, false, 8).empty());
    check_idle(context, {});
}

TEST_CASE("gaps: waits for events on other threads or before the file's start; graphs") {
    const TracePtr trace = testing::GpuTraceMaker()
                               .call("cudaStreamWaitEvent", 0, 1)
                               .call("cudaLaunchKernel", 2, 1, 1)
                               .work("launched before", 1, 1, 99)
                               .work("k1", 10, 10, 1)
                               // The thread that launched k1 waits, another thread launches k2.
                               .call("cudaStreamWaitEvent", 5, 1)
                               .call("cudaLaunchKernel", 7, 1, 2, 2)
                               .work("k2", 40, 10, 2)
                               .call("cudaGraphLaunch", 8, 2, 3)
                               .work("node", 60, 10, 3)
                               .work("node", 80, 10, 3)
                               .call("cudaLaunchKernel", 1, 1, 4, 3)
                               .work("other", 4, 5, 4, 8)
                               .work("other", 25, 10, 98, 8)
                               .load();
    const TraceContext context(trace);
    const std::map<Nanos, std::string> expected = {
        {2, "dependency"}, {20, "dependency"}, {50, "graph"}, {70, "graph"}};
    CHECK(causes_of(*trace, idle_gaps(context, {}), false, 7) == expected);
}

TEST_CASE("gaps: a range cuts a gap and keeps its cause") {
    const TracePtr trace = testing::GpuTraceMaker()
                               .call("aten::mm", 15, 30, 0, 1, "cpu_op")
                               .call("cudaLaunchKernel", 0, 5, 1)
                               .work("k1", 10, 10, 1)
                               .call("cudaLaunchKernel", 30, 4, 2)
                               .work("k2", 40, 10, 2)
                               .load();
    const TraceContext context(trace);
    const TableQuery query{TimeRange{trace->origin + 35'000, trace->origin + 38'000}};
    const Column<IdleGap> gaps = idle_gaps(context, query);
    REQUIRE(gaps.size() == 2);  // of the stream and of the device
    CHECK(gaps[0].range == *query.range);
    CHECK(gaps[0].cause == GapCause::host);
    CHECK(host_call_of(*trace, gaps[0]) == "aten::mm");
    CHECK(idle_gaps(context, {TimeRange{0, 0}}).empty());
    const TracePtr cpu = testing::GpuTraceMaker().call("aten::mm", 0, 1, 0, 1, "cpu_op").load();
    CHECK(gaps_table(TraceContext(cpu), {}).row_count() == 0);
}

TEST_CASE("gaps: the table lists each gap once, with the streams that are idle in it") {
    const TracePtr trace = testing::GpuTraceMaker()
                               .work("a", 0, 10, 90)
                               .work("b", 20, 10, 91)     // the whole device is idle for 10
                               .work("c", 30, 30, 92, 8)  // stream 7 waits for stream 8
                               .work("d", 60, 10, 93)
                               .work("e", 90, 10, 94, 8)  // from 70 on all is idle
                               .work("f", 100, 10, 95)
                               .load();
    const Table table = gaps_table(TraceContext(trace), {});
    std::map<std::pair<int64_t, int64_t>, std::string> rows;  // by begin and length, in µs
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        const auto text = [&](const char* key) {
            return format_cell(table.cell(row, *find_column(kGapsTable, key)), Unit::none);
        };
        const auto number = [&](const char* key) {
            return std::get<int64_t>(table.cell(row, *find_column(kGapsTable, key))) / 1000;
        };
        const auto [place, added] = rows.try_emplace({number("start_ns"), number("duration_ns")},
                                                     text("stream") + ": " + text("streams"));
        CHECK(added);
    }
    CHECK(rows == std::map<std::pair<int64_t, int64_t>, std::string>{
                      {{10, 10}, "–: 7"},  // also stream 7's own gap
                      {{30, 30}, "7: 7"},
                      {{60, 30}, "8: 8"},
                      {{70, 20}, "–: 7 8"},
                      {{70, 30}, "7: 7"}});
}

TEST_CASE("gaps: they add up to the idle time of every trace") {
    for (const std::string& name : testing::traces_of_slow_tests(1)) {
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        CAPTURE(name);
        const TraceContext context(trace);
        check_idle(context, {});
        const Nanos length = trace->content.length();
        check_idle(context, {TimeRange{trace->content.begin + length / 3,
                                       trace->content.begin + length / 2}});
    }
}

// The lengths were computed from the files by other means.
TEST_CASE("gaps: the longest ones, and what the host does meanwhile") {
    struct Gap {
        Nanos length;
        std::string_view call;  // empty: not checked
    };
    struct Expected {
        const char* trace;
        std::vector<Gap> gaps;
    };
    const Expected all[] = {
        {"synthetic_step.json.gz", {{243'329, ""}, {223'503, "cudaMalloc"}}},
        {"torch/a100_alexnet_sync.json.gz",
         {{10'033'725'000, "cudaFree"},
          {1'043'841'000, "cudaMalloc"},
          {824'572'000, "cudaMalloc"}}},
        {"torch/rtx2080ti_resnet.json.gz",
         {{2'252'907'000, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"},
          {1'845'463'000, "aten::cudnn_convolution"}}},
    };
    for (const Expected& expected : all) {
        if (testing::traces_here({expected.trace}).empty()) continue;
        CAPTURE(expected.trace);
        const TracePtr trace = testing::load_real_trace(expected.trace);
        REQUIRE(trace);
        const std::vector<IdleGap> gaps = device_gaps(TraceContext(trace));
        REQUIRE(gaps.size() > expected.gaps.size());
        CHECK(gaps[0].cause == GapCause::host);
        for (std::size_t i = 0; i < expected.gaps.size(); ++i) {
            CHECK(gaps[i].range.length() == expected.gaps[i].length);
            if (!expected.gaps[i].call.empty())
                CHECK(host_call_of(*trace, gaps[i]) == expected.gaps[i].call);
        }
    }
}

TEST_CASE("gaps: a slow host") {
    const TracePtr bert = testing::load_real_trace("torch/h100_bert_small.json.gz");
    if (!bert) return;
    const std::vector<IdleGap> gaps = device_gaps(TraceContext(bert));
    REQUIRE(gaps.size() == 60);
    CHECK(gaps[0].range.length() == 247'551);
    CHECK(gaps[1].range.length() == 218'367);
    CHECK(gaps[2].range.length() == 153'855);
    CHECK(bert->name(bert->gpu_activities.slice[gaps[2].before]) ==
          "Memcpy DtoH (Device -> Pinned)");
    for (const IdleGap& gap : gaps) CHECK(gap.cause == GapCause::host);
}

}  // namespace lanescope
