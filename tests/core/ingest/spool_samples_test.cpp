// Samples of a spool file: from stacks to nested slices and to the table of functions.
#include <doctest/doctest.h>

#include <map>
#include <random>
#include <tuple>

#include "core/analysis/operators/operators.h"
#include "core/analysis/statistics/samples.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/lanes.h"
#include "core/ingest/load.h"
#include "core/ingest/spool/spool_follower.h"
#include "core/trace/query.h"
#include "tests/core/memory_file.h"
#include "tests/core/spool_maker.h"

using namespace lanescope;
using lanescope::testing::MemoryFile;
using lanescope::testing::SpoolMaker;

namespace {

constexpr Nanos kPeriod = 1000;
constexpr Nanos kZero = 1'000'000;  // of the clock of samples

// A spool with stacks of letters: each letter is a function.
class Stacks {
  public:
    Stacks()
        : facts_(maker.stream(kSpoolFacts, 0, 1, 1)), stacks_(maker.stream(kSpoolEvents, 0, 1, 1)) {
        for (const Nanos at : {kZero, kZero + 1'000'000'000}) {
            SpoolClock clock = {};
            clock.ticks = at - kZero + maker.recording->header().ticks;
            clock.ns = at;
            REQUIRE(maker.write(facts_, kSpoolClock, clock));
        }
        // One tick is one nanosecond, so times are not changed.
        maker.recording->header().tick_ns = uint64_t{1} << 32;
        SpoolImage image = {};
        image.image = 1;
        image.build_id_bytes = 2;
        image.build_id[0] = 0xab;
        image.build_id[1] = 0x01;
        REQUIRE(maker.write(facts_, kSpoolImage, image, "/usr/lib/libwork.so"));
        for (char letter = 'a'; letter <= 'z'; ++letter) {
            SpoolFrame frame = {};
            frame.frame = static_cast<uint32_t>(letter - 'a' + 1);
            frame.image = letter == 'z' ? 0 : 1;
            frame.address = 0x1000u + frame.frame;
            frame.address_of = kSpoolElfAddress;
            const std::string name = letter >= 'y'   ? ""
                                     : letter == 'x' ? "_Z1xi"
                                                     : std::string(1, letter);
            REQUIRE(maker.write(facts_, kSpoolFrame, frame, name));
        }
        SpoolSampledThread thread = {};
        thread.pid = 10;
        thread.tid = 11;
        REQUIRE(maker.write(facts_, kSpoolSampledThread, thread, "worker"));
    }

    void add(Nanos at, std::string_view stack, uint32_t tid = 11) {
        struct {
            SpoolSample sample;
            uint32_t frames[16];
        } record = {};
        record.sample.record.kind = kSpoolSample;
        record.sample.record.bytes =
            static_cast<uint16_t>(sizeof(SpoolSample) + (stack.size() + 1) / 2 * 8);
        record.sample.ns = kZero + at;
        record.sample.pid = 10;
        record.sample.tid = tid;
        record.sample.period_ns = kPeriod;
        record.sample.frames = static_cast<uint32_t>(stack.size());
        for (std::size_t i = 0; i < stack.size(); ++i)
            record.frames[i] = static_cast<uint32_t>(stack[i] - 'a' + 1);
        void* const room = reserve_record(maker.file(), stacks_, record.sample.record.bytes);
        REQUIRE(room);
        std::memcpy(room, &record, record.sample.record.bytes);
        publish_record(stacks_, record.sample.record.bytes);
    }

    TracePtr load() {
        maker.seal(facts_);
        maker.seal(stacks_);
        maker.recording->finish();
        const auto trace = load_trace(maker.path());
        REQUIRE(trace);
        return *trace;
    }

    SpoolMaker maker;

  private:
    SpoolStream& facts_;
    SpoolStream& stacks_;
};

struct Shown {
    std::string name;
    uint32_t depth;
    Nanos start, end;
    int64_t samples;
    bool operator==(const Shown&) const = default;
};

// Sorted by depth and start; times as given.
std::vector<Shown> shown(const Trace& trace, LaneId lane = 0) {
    std::vector<Shown> all;
    const auto zero = trace.lanes[lane].chunks[0]->start[0];
    for (uint32_t i = 0; i < trace.lanes[lane].slice_count; ++i) {
        const SliceRef slice = {lane, i};
        const uint32_t row = find_row(trace.sampled_calls.slice.span(), slice);
        all.push_back({std::string(trace.name(slice)), depth_of(trace, slice),
                       trace.start(slice) - zero, trace.slice_end(slice) - zero,
                       row == kNoRow ? -1 : trace.sampled_calls.samples[row]});
    }
    return all;
}

using Row = std::tuple<std::string, int64_t, int64_t, int64_t, int64_t>;

// Function, samples and times, own and total.
std::vector<Row> rows_of(const Table& table) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < table.row_count(); ++i)
        rows.emplace_back(std::get<std::string_view>(table.cell(i, 0)),
                          std::get<int64_t>(table.cell(i, 2)), std::get<int64_t>(table.cell(i, 3)),
                          std::get<int64_t>(table.cell(i, 4)), std::get<int64_t>(table.cell(i, 5)));
    return rows;
}

}  // namespace

TEST_CASE("samples with common callers become nested slices") {
    Stacks stacks;
    stacks.add(1000, "mab");
    stacks.add(2000, "mab");
    stacks.add(3010, "mac");  // slightly late, as timers are
    stacks.add(4000, "md");
    stacks.add(9000, "md");  // it did not run for a while
    const TracePtr trace = stacks.load();
    REQUIRE(trace->lanes.size() == 1);
    CHECK(trace->lanes[0].kind == LaneKind::samples);
    CHECK(trace->strings[trace->lanes[0].name] == "worker · samples");
    CHECK(trace->warnings.empty());
    CHECK(shown(*trace) == std::vector<Shown>{{"m", 0, 0, 4000, 4},
                                              {"m", 0, 8000, 9000, 1},
                                              {"a", 1, 0, 3010, 3},
                                              {"d", 1, 3010, 4000, 1},
                                              {"d", 1, 8000, 9000, 1},
                                              {"b", 2, 0, 2000, 2},
                                              {"c", 2, 2000, 3010, 1}});
}

TEST_CASE("names of functions: demangled, else their address; more names on demand") {
    Stacks stacks;
    stacks.add(1000, "xyz");
    const TracePtr trace = stacks.load();
    const std::vector<Shown> slices = shown(*trace);
    REQUIRE(slices.size() == 3);
    CHECK(slices[0].name == "x(int)");
    CHECK(slices[1].name == "libwork.so+0x1019");
    CHECK(slices[2].name == "0x101a");
    const auto arguments = open_arguments(trace);
    std::map<std::string, std::string> values;
    const auto read = arguments->read(trace->lanes[0].chunks[0]->source[1]);
    REQUIRE(read);
    for (const Argument& argument : *read) values[argument.name] = argument.value;
    CHECK(values == std::map<std::string, std::string>{{"address", "0x1019"},
                                                       {"build id", "ab01"},
                                                       {"file", "/usr/lib/libwork.so"}});
    CHECK(trace->strings[trace->sampled_calls.module[0]] == "libwork.so");
}

TEST_CASE("samples that are too early, out of order, without frames, or with unknown ones") {
    Stacks stacks;
    stacks.add(1000, "ma");
    stacks.add(1400, "ma");
    stacks.add(900, "mb");  // before the existing samples: it takes hardly any time
    stacks.add(2400, "");
    stacks.add(3400, "m~");  // a number that no record defines
    const TracePtr trace = stacks.load();
    for (const Shown& slice : shown(*trace)) {
        CAPTURE(slice.name);
        CHECK(slice.end >= slice.start);
        CHECK(slice.samples > 0);
    }
    CHECK(trace->facts.partial_overlaps == 0);
    const std::vector<Shown> slices = shown(*trace);
    CHECK(slices.front() == Shown{"m", 0, 0, 1401, 3});
    CHECK(slices.back().name == "unknown code");
}

TEST_CASE("the table of samples counts a function once a sample, and its self samples separately") {
    Stacks stacks;
    stacks.add(1000, "mrrr");  // calls itself
    stacks.add(2000, "mrrr");
    stacks.add(3000, "mr");
    stacks.add(4000, "mrb");
    stacks.add(1000, "mb", 12);
    const TracePtr trace = stacks.load();
    const TraceContext context(trace);
    const Table table = samples_table(context, {});
    CHECK(rows_of(table) ==
          std::vector<Row>{{"r", 3, 4, 3000, 4000}, {"b", 2, 2, 2000, 2000}, {"m", 0, 5, 0, 5000}});
    CHECK(std::get<double>(table.cell(0, 6)) == doctest::Approx(0.6));
    CHECK(std::get<double>(table.cell(2, 7)) == doctest::Approx(1.0));
    // In a range, the fraction that lies in it.
    TableQuery half;
    half.range = TimeRange{trace->origin, trace->origin + 2000};
    CHECK(rows_of(samples_table(context, half)) ==
          std::vector<Row>{{"r", 2, 2, 2000, 2000}, {"b", 1, 1, 1000, 1000}, {"m", 0, 3, 0, 3000}});
}

TEST_CASE("CPU time is what samples stand for, not the drawn length of slices") {
    Stacks stacks;
    stacks.add(1000, "ma");
    stacks.add(2400, "ma");  // another thread had the processor for a moment
    stacks.add(2900, "ma");  // on another processor, which is counted separately
    stacks.add(4200, "mb");
    const TracePtr trace = stacks.load();
    CHECK(shown(*trace)[0] == Shown{"m", 0, 0, 4200, 4});
    const TraceContext context(trace);
    CHECK(rows_of(samples_table(context, {})) ==
          std::vector<Row>{{"a", 3, 3, 3000, 3000}, {"b", 1, 1, 1000, 1000}, {"m", 0, 4, 0, 4000}});
}

TEST_CASE("in other files' samples without CPU time, the length of slices is the time") {
    const MemoryFile file(R"({"traceEvents":[
        {"ph":"X","cat":"cpu_sample","name":"m","pid":1,"tid":"2 samples","ts":0,"dur":4,
         "args":{"samples":3,"cpu_ns":3000,"module":"x"}},
        {"ph":"X","cat":"cpu_sample","name":"a","pid":1,"tid":"2 samples","ts":0,"dur":2,
         "args":{"samples":2,"module":"x"}}]})");
    const auto trace = load_trace(file.path());
    REQUIRE(trace);
    const TraceContext context(*trace);
    CHECK(rows_of(samples_table(context, {})) ==
          std::vector<Row>{{"a", 2, 2, 2000, 2000}, {"m", 1, 3, 1000, 3000}});
}

TEST_CASE("samples are not calls: operators and call trees ignore them") {
    Stacks stacks;
    stacks.add(1000, "ma");
    stacks.add(2000, "mb");
    const TracePtr trace = stacks.load();
    const TraceContext context(trace);
    CHECK(operators_table<OperatorsBy::name>(context, {}).row_count() == 0);
    CHECK(context.get<CallTrees>().by_lane[0].parent.size() == 0);
    CHECK(lane_kind_name(trace->lanes[0].kind) == "samples");
}

TEST_CASE("a running stack is shown while it is followed, with its current length") {
    Stacks stacks;
    stacks.add(1000, "mab");
    stacks.add(2000, "mac");
    const auto follower = SpoolFollower::open(stacks.maker.path(), uint64_t{1} << 30);
    REQUIRE(follower);
    const auto first = (*follower)->step();
    REQUIRE(first);
    REQUIRE(*first);
    REQUIRE((*first)->lanes.size() == 1);
    CHECK((*first)->lanes[0].kind == LaneKind::samples);
    CHECK((*first)->slice_count() == 4);
    CHECK((*first)->duration({0, 0}) == 2000);
    stacks.add(3000, "mac");
    const auto second = (*follower)->step();
    REQUIRE(second);
    REQUIRE(*second);
    CHECK((*second)->slice_count() == 4);
    CHECK((*second)->name({0, 0}) == "m");
    CHECK((*second)->duration({0, 0}) == 3000);
}

TEST_CASE("damaged samples do no harm") {
    Stacks stacks;
    for (int i = 1; i <= 200; ++i) stacks.add(1000 * i, i % 3 ? "mab" : "mcde");
    REQUIRE(stacks.load());
    const std::string whole = stacks.maker.bytes();
    std::mt19937 random(11);
    for (int round = 0; round < 200; ++round) {
        std::string damaged = whole;
        // Blocks without a checksum are read unchecked.
        for (std::size_t at = kSpoolPage; at + sizeof(SpoolBlock) < damaged.size();
             at += kSpoolPage) {
            SpoolBlock head = {};
            std::memcpy(&head, damaged.data() + at, sizeof head);
            if (head.magic != kSpoolBlockMagic) continue;
            head.checksum = 0;
            std::memcpy(damaged.data() + at, &head, sizeof head);
            for (int i = 0; i < 20; ++i)
                damaged[at + sizeof head + random() % head.used] = static_cast<char>(random());
        }
        const MemoryFile file(damaged);
        const auto trace = load_trace(file.path());
        if (!trace) continue;
        const TraceContext context(*trace);
        samples_table(context, {});
        const auto arguments = open_arguments(*trace);
        for (const Lane& lane : (*trace)->lanes)
            for (const auto& chunk : lane.chunks)
                for (uint32_t i = 0; i < std::min(chunk->size(), 20u); ++i)
                    CHECK(arguments->read(chunk->source[i]));
    }
}
