// Records of perf events: from a real run of tests/programs/sampled, and damaged copies of them.
#include "core/capture/perf_records.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>

#include "core/capture/sample_writer.h"
#include "core/ingest/load.h"
#include "tests/core/spool_maker.h"

using namespace lanescope;
using lanescope::testing::SpoolMaker;

namespace {

// What Linux 6.18 wrote for two threads and a child, with a sample each millisecond.
std::string real_records() {
    std::ifstream in(LANESCOPE_ROOT "/tests/data/perf_records.bin", std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    REQUIRE(bytes.size() == 4400);
    return bytes;
}

std::vector<PerfRecord> records_of(const std::string& bytes) {
    std::vector<PerfRecord> records;
    const std::size_t taken = read_perf_records(
        bytes, [&](PerfRecord&& record) { records.push_back(std::move(record)); });
    CHECK(taken <= bytes.size());
    return records;
}

uint64_t samples_in(const Trace& trace) {
    uint64_t samples = 0;
    const SampledCalls& calls = trace.sampled_calls;
    for (std::size_t i = 0; i < calls.slice.size(); ++i) {
        const Lane& lane = trace.lanes[calls.slice[i].lane];
        const auto [chunk, at] = lane.locate(calls.slice[i].index);
        if (chunk->depth(at) == 0) samples += static_cast<uint64_t>(calls.samples[i]);
    }
    return samples;
}

// The trace that results from passing records to a writer.
TracePtr written(const std::vector<PerfRecord>& records) {
    SpoolMaker maker;
    {
        SampleWriter writer(maker.file(), 1'000'000);
        writer.tie_clock();
        for (const PerfRecord& record : records) writer.take(record);
    }
    maker.recording->finish();
    const auto trace = load_trace(maker.path());
    return trace ? *trace : nullptr;
}

}  // namespace

TEST_CASE("perf records of a real run are parsed") {
    const std::vector<PerfRecord> records = records_of(real_records());
    std::map<PerfKind, int> count;
    std::map<std::string, PerfRecord> mapped;
    std::map<uint32_t, std::string> names;
    std::set<uint32_t> tids;
    for (const PerfRecord& record : records) {
        ++count[record.kind];
        CHECK(record.time > 28'000'000'000'000);  // the machine had been up for eight hours
        CHECK(record.time < 29'000'000'000'000);
        if (record.kind == PerfKind::mapping) mapped[record.text] = record;
        if (record.kind == PerfKind::name) names[record.tid] = record.text;
        if (record.kind == PerfKind::name) CHECK(record.by_exec == (record.tid == 2137));
        if (record.kind != PerfKind::sample) continue;
        tids.insert(record.tid);
        CHECK((record.pid == 2137 || record.pid == 2139));
        CHECK(!record.frames.empty());
        for (const uint64_t address : record.frames) CHECK(address < uint64_t{1} << 47);
    }
    CHECK(count == std::map<PerfKind, int>{{PerfKind::sample, 51},
                                           {PerfKind::mapping, 4},
                                           {PerfKind::name, 2},
                                           {PerfKind::fork, 2},
                                           {PerfKind::exit, 3}});
    CHECK(tids == std::set<uint32_t>{2137, 2138, 2139});
    CHECK(names == std::map<uint32_t, std::string>{{2137, "sampled"}, {2138, "second"}});
    const PerfRecord& libc = mapped["/usr/lib/x86_64-linux-gnu/libc.so.6"];
    CHECK(libc.address == 140285693079552);
    CHECK(libc.bytes == 1400832);
    CHECK(libc.offset == 155648);
    CHECK(libc.build_id.size() == 20);
    CHECK(libc.build_id.starts_with("\x93\xac\x61"));
    CHECK(mapped["[vdso]"].build_id.empty());
    const auto fork = std::ranges::find_if(records, [](const PerfRecord& record) {
        return record.kind == PerfKind::fork && record.pid == 2139;
    });
    REQUIRE(fork != records.end());
    CHECK(fork->parent == 2137);
}

TEST_CASE("perf records are read from a ring at any start") {
    const std::string bytes = real_records();
    const std::size_t size = 8192;
    for (uint64_t tail = 3 * size; tail < 4 * size; tail += 8) {
        std::string ring(size, '\x5a');
        for (std::size_t i = 0; i < bytes.size(); ++i) ring[(tail + i) % size] = bytes[i];
        REQUIRE(bytes_of_ring(ring.data(), size, tail, tail + bytes.size()) == bytes);
    }
    CHECK(bytes_of_ring(bytes.data(), bytes.size(), 9, 9).empty());
    CHECK(bytes_of_ring(bytes.data(), bytes.size(), 9, 3).empty());
    CHECK(bytes_of_ring(bytes.data(), bytes.size(), 0, UINT64_MAX).size() == bytes.size());
}

TEST_CASE("samples may be dropped, records of mappings may not") {
    std::string bytes = real_records();
    const std::size_t others = records_of(bytes).size() - 51;
    CHECK(drop_samples(bytes) == 51);
    CHECK(records_of(bytes).size() == others);
    CHECK(drop_samples(bytes) == 0);
}

TEST_CASE("real records become lanes of samples") {
    std::vector<PerfRecord> records = records_of(real_records());
    std::ranges::stable_sort(records, {}, &PerfRecord::time);
    const TracePtr trace = written(records);
    REQUIRE(trace);
    std::set<std::string> lanes;
    for (const Lane& lane : trace->lanes) {
        CHECK(lane.kind == LaneKind::samples);
        lanes.insert(std::string(trace->strings[lane.name]));
    }
    CHECK(lanes == std::set<std::string>{"sampled · samples", "second · samples"});
    CHECK(trace->lanes.size() == 3);  // the child has its parent's name
    CHECK(samples_in(*trace) == 51);
    std::set<std::string_view> modules;
    for (const StringId module : trace->sampled_calls.module)
        modules.insert(trace->strings[module]);
    CHECK(modules == std::set<std::string_view>{"sampled", "libc.so.6", "ld-linux-x86-64.so.2"});
    CHECK(trace->facts.partial_overlaps == 0);
}

TEST_CASE("damaged perf records do no harm to readers and writers") {
    const std::string bytes = real_records();
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        std::string damaged = bytes;
        const auto count = 1 + random() % 30;
        for (std::size_t i = 0; i < count; ++i) {
            // Often in a header, where damage has the largest effect.
            const std::size_t at = random() % damaged.size();
            damaged[random() % 2 ? at : at / 72 * 72 + at % 8] = static_cast<char>(random());
        }
        damaged.resize(random() % 4 ? damaged.size() : random() % damaged.size());
        std::vector<PerfRecord> records = records_of(damaged);
        std::size_t frames = 0;
        for (const PerfRecord& record : records) frames += record.frames.size();
        CHECK(frames <= damaged.size() / 8);
        if (round % 10 == 0) written(records);
        drop_samples(damaged);
    }
}
