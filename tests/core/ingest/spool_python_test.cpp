// Samples of Python stacks, from the recorder's writer to nested slices.
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/capture/python/python_writer.h"
#include "core/ingest/load.h"
#include "core/ingest/spool/spool_follower.h"
#include "core/trace/category.h"
#include "core/trace/query.h"
#include "tests/core/spool_maker.h"

using namespace lanescope;
using lanescope::testing::SpoolMaker;

namespace {

constexpr Nanos kPythonPeriod = 1000;

PythonCode function(std::string name, std::string file, int64_t first_line) {
    PythonCode code;
    code.function = std::move(name);
    code.file = std::move(file);
    code.first_line = first_line;
    return code;
}

class PythonStacksOfTest {
  public:
    PythonStacksOfTest() : writer(maker.file()) {
        maker.recording->header().tick_ns = uint64_t{1} << 32;  // a tick is a nanosecond
    }
    void add(Nanos at, const std::vector<uint32_t>& frames, uint32_t flags = 0,
             Nanos period = kPythonPeriod) {
        PythonSample sample;
        sample.ticks = maker.recording->header().ticks + static_cast<uint64_t>(at);
        sample.pid = 10;
        sample.tid = 11;
        sample.period = period;
        sample.flags = flags;
        sample.frames = frames;
        writer.add(sample);
    }
    TracePtr load() {
        writer.seal();
        maker.recording->finish();
        const auto trace = load_trace(maker.path());
        REQUIRE(trace);
        return *trace;
    }

    SpoolMaker maker;
    PythonWriter writer;
};

// Name, depth, begin, end, samples, of these with the GIL and running.
using ShownCall = std::tuple<std::string, uint32_t, Nanos, Nanos, int64_t, int64_t, int64_t>;

std::vector<ShownCall> shown_calls(const Trace& trace) {
    std::vector<ShownCall> all;
    const Lane& lane = trace.lanes[0];
    const Nanos zero = lane.chunks[0]->start[0];
    const SampledCalls& calls = trace.sampled_calls;
    const auto known = [](const Column<int64_t>& column, uint32_t row) {
        return column.size() == 0 ? kNoValue : column[row];
    };
    for (uint32_t i = 0; i < lane.slice_count; ++i) {
        const SliceRef slice = {0, i};
        const uint32_t row = find_row(calls.slice.span(), slice);
        REQUIRE(row != kNoRow);
        all.emplace_back(std::string(trace.name(slice)), depth_of(trace, slice),
                         trace.start(slice) - zero, trace.slice_end(slice) - zero,
                         calls.samples[row], known(calls.gil_samples, row),
                         known(calls.running_samples, row));
    }
    return all;
}

}  // namespace

TEST_CASE("Python samples at other lines of a function remain one slice") {
    PythonStacksOfTest stacks;
    PythonCode main = function("main", "/src/train.py", 1);
    PythonCode step = function("Model.step", "/src/train.py", 20);
    PythonCode other = function("Model.step", "/src/other/train.py", 20);
    PythonWriter& writer = stacks.writer;
    constexpr uint32_t known = kSpoolKnowsGil | kSpoolKnowsRunning;
    writer.name(10, 11, "worker");
    stacks.add(1000, {writer.frame(main, 3), writer.frame(step, 21)}, known | kSpoolHoldsGil);
    stacks.add(2000, {writer.frame(main, 4), writer.frame(step, 25)},
               known | kSpoolHoldsGil | kSpoolRunning);
    stacks.add(3000, {writer.frame(main, 4), writer.frame(other, 25)}, kSpoolKnowsRunning);
    stacks.add(9000, {writer.frame(main, 4)}, 0, 1000);   // it was elsewhere for a while
    stacks.add(14000, {writer.frame(main, 5)}, 0, 5000);  // a late sample
    const TracePtr trace = stacks.load();
    REQUIRE(trace->lanes.size() == 1);
    CHECK(trace->lanes[0].kind == LaneKind::samples);
    CHECK(trace->strings[trace->lanes[0].name] == "worker · Python");
    CHECK(trace->strings[trace->lanes[0].tid] == "11");
    CHECK(trace->lanes[0].samples_python);
    CHECK(shown_calls(*trace) ==
          std::vector<ShownCall>{{"main", 0, 0, 3000, 3, 2, 1},
                                 {"main", 0, 8000, 14000, 2, kNoValue, kNoValue},
                                 {"Model.step", 1, 0, 2000, 2, 2, 1},
                                 {"Model.step", 1, 2000, 3000, 1, kNoValue, 0}});
    CHECK(trace->strings[trace->sampled_calls.module[0]] == "train.py");
    CHECK(trace->sampled_calls.cpu_time[0] == kNoValue);
    const auto read = open_arguments(trace)->read(trace->lanes[0].chunks[0]->source[2]);
    REQUIRE(read);
    std::map<std::string, std::string> values;
    for (const Argument& argument : *read) values[argument.name] = argument.value;
    CHECK(values == std::map<std::string, std::string>{
                        {"file", "/src/train.py"}, {"line", "20"}, {"line of first sample", "21"}});
}

TEST_CASE("numbers without a definition, and functions without a name") {
    PythonStacksOfTest stacks;
    PythonCode nameless = function("", "", 0);
    stacks.add(1000, {77, 0, stacks.writer.frame(nameless, 1)});
    stacks.add(2000, {});
    const TracePtr trace = stacks.load();
    const auto calls = shown_calls(*trace);
    REQUIRE(calls.size() == 3);
    for (const ShownCall& call : calls) CHECK(std::get<0>(call) == "unknown function");
    CHECK(stacks.writer.samples() == 1);
}

TEST_CASE("Python samples are visible while the recording goes on") {
    PythonStacksOfTest stacks;
    PythonCode main = function("main", "/src/train.py", 1);
    stacks.writer.name(10, 11, "worker");
    stacks.add(1000, {stacks.writer.frame(main, 3)});
    const auto follower = SpoolFollower::open(stacks.maker.path(), uint64_t{1} << 30);
    REQUIRE(follower);
    const auto step = (*follower)->step();
    REQUIRE(step);
    const Trace& trace = **step;
    REQUIRE(trace.lanes.size() == 1);
    CHECK(trace.lanes[0].slice_count == 1);
    CHECK(trace.name({0, 0}) == "main");
}
