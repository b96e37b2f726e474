// Times in which threads did not run: from the kernel's records to slices in the lane of samples.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include "core/capture/sampling/sample_writer.h"
#include "core/ingest/load.h"
#include "core/trace/category.h"
#include "core/trace/query.h"
#include "tests/core/spool_maker.h"

using namespace lanescope;
using lanescope::testing::SpoolMaker;

namespace {

constexpr Nanos kMs = 1'000'000;
constexpr uint64_t kSomeCode = 0x10000;

class WaitRecords {
  public:
    WaitRecords() : writer_(maker_.file(), kMs) {
        writer_.tie_clock();
        PerfRecord code;
        code.kind = PerfKind::mapping;
        code.pid = code.tid = 17;
        code.address = kSomeCode;
        code.bytes = 0x1000;
        code.text = "//anon";
        writer_.take(code);
    }
    // `frames`: innermost first.
    void add(PerfKind kind, Nanos time, std::vector<uint64_t> frames = {},
             bool is_preempted = false) {
        PerfRecord record;
        record.kind = kind;
        record.time = zero_ + time;
        record.pid = 17;
        record.tid = 18;
        record.frames = std::move(frames);
        record.is_preempted = is_preempted;
        writer_.take(record);
    }
    TracePtr load(Nanos end) {
        writer_.end_waits(zero_ + end);
        writer_.tie_clock();
        writer_.seal();
        maker_.recording->finish();
        const auto trace = load_trace(maker_.path());
        REQUIRE(trace);
        return *trace;
    }

  private:
    SpoolMaker maker_;
    SampleWriter writer_;
    Nanos zero_ = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
};

// Name, category, depth, duration, number of samples or waits, and the time that they represent.

// Describes each slice, sorted by depth and time: depth, name, category, duration in milliseconds,
// number of samples or waits, and the milliseconds that the samples or waits represent.
std::string calls_in(const Trace& trace) {
    const auto milliseconds = [](Nanos time) { return (time + kMs / 2) / kMs; };
    std::string calls;
    for (uint32_t i = 0; i < trace.lanes[0].slice_count; ++i) {
        const SliceRef slice = {0, i};
        const uint32_t row = find_row(trace.sampled_calls.slice.span(), slice);
        REQUIRE(row != kNoRow);
        const auto [chunk, at] = trace.lanes[0].locate(i);
        calls += fmt::format("{} {} {} {} {} {}\n", depth_of(trace, slice), trace.name(slice),
                             trace.strings[trace.categories[chunk->category[at]].name],
                             milliseconds(trace.slice_end(slice) - trace.start(slice)),
                             trace.sampled_calls.samples[row],
                             milliseconds(trace.sampled_calls.cpu_time[row]));
    }
    return calls;
}

}  // namespace

TEST_CASE("waits are slices between the samples of their thread, with the stack of the wait") {
    WaitRecords records;
    const std::vector<uint64_t> stack = {kSomeCode + 0x20, kSomeCode + 0x11};
    records.add(PerfKind::sample, 10 * kMs, {kSomeCode + 0x30, kSomeCode + 0x11});
    records.add(PerfKind::wait_stack, 11 * kMs - 10, stack);
    records.add(PerfKind::switched_out, 11 * kMs);
    records.add(PerfKind::switched_in, 15 * kMs);
    records.add(PerfKind::sample, 16 * kMs, {kSomeCode + 0x30, kSomeCode + 0x11});
    records.add(PerfKind::wait_stack, 17 * kMs, stack);
    records.add(PerfKind::switched_out, 17 * kMs, {}, true);
    records.add(PerfKind::switched_in, 19 * kMs);
    records.add(PerfKind::switched_out, 20 * kMs);
    records.add(PerfKind::switched_in, 20 * kMs + 300'000);
    records.add(PerfKind::switched_out, 21 * kMs);
    const TracePtr trace = records.load(30 * kMs);
    CHECK(calls_in(*trace) ==
          "0 anon+0x10010 cpu_sample 1 1 1\n"
          "0 anon+0x10010 off_cpu 4 1 4\n"
          "0 anon+0x10010 cpu_sample 1 1 1\n"
          "0 anon+0x10010 off_cpu 2 1 2\n"
          "0 [blocked] off_cpu 9 1 9\n"
          "1 anon+0x10030 cpu_sample 1 1 1\n"
          "1 anon+0x10020 off_cpu 4 1 4\n"
          "1 anon+0x10030 cpu_sample 1 1 1\n"
          "1 anon+0x10020 off_cpu 2 1 2\n"
          "2 [preempted] off_cpu 2 1 2\n");
    CHECK(trace->facts.partial_overlaps == 0);
    bool has_note = false;
    for (const Warning& warning : trace->warnings)
        has_note |= warning.text.find("shorter than 1 ms: 0.000 s") != std::string::npos;
    CHECK(has_note);
}
