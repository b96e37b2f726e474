// Records of perf events: from a real run of tests/programs/sampled, and damaged copies of them.
#include "core/capture/sampling/perf_records.h"

#include <doctest/doctest.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>

#include "core/capture/sampling/machine_registers.h"
#include "core/capture/sampling/sample_writer.h"
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

template <typename T>
void append(std::string& bytes, T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// A sample with two frames, registers 100, 101, … by perf's order, and a stack of which `used`
// bytes were copied.
std::string sample_with_stack(uint64_t abi, const std::string& stack, uint64_t used) {
    std::string body;
    append<uint32_t>(body, 5);
    append<uint32_t>(body, 6);
    append<int64_t>(body, 777);
    append<uint64_t>(body, 3);
    append<uint64_t>(body, static_cast<uint64_t>(PERF_CONTEXT_USER));
    append<uint64_t>(body, 0x1000);
    append<uint64_t>(body, 0x2000);
    append<uint64_t>(body, abi);
    if (abi != 0)
        for (std::size_t i = 0; i < kRegisterCount; ++i) append<uint64_t>(body, 100 + i);
    append<uint64_t>(body, stack.size());
    body += stack;
    if (!stack.empty()) append<uint64_t>(body, used);
    std::string bytes;
    append<uint32_t>(bytes, PERF_RECORD_SAMPLE);
    append<uint16_t>(bytes, PERF_RECORD_MISC_USER);
    append<uint16_t>(bytes, static_cast<uint16_t>(body.size() + 8));
    return bytes + body;
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

TEST_CASE("a sample has registers by their DWARF numbers, and the copied part of the stack") {
    if (kRegisterCount == 0) return;
    const std::string stack = "0123456789abcdef";
    const std::string bytes = sample_with_stack(PERF_SAMPLE_REGS_ABI_64, stack, 10);
    auto records = records_of(bytes);
    REQUIRE(records.size() == 1);
    CHECK(records[0].frames == std::vector<uint64_t>{0x1000, 0x2000});
    CHECK(records[0].stack == "0123456789");
    REQUIRE(records[0].registers.size() == kRegisterCount);
    // Perf writes them by its own numbers, so the order of values is that of these numbers.
    for (std::size_t i = 0; i < kRegisterCount; ++i) {
        const auto before = std::ranges::count_if(
            kPerfRegisters, [&](uint8_t number) { return number < kPerfRegisters[i]; });
        CHECK(records[0].registers[i] == 100 + static_cast<uint64_t>(before));
    }
    // More than was copied, a 32-bit program, and a thread without user code.
    CHECK(records_of(sample_with_stack(PERF_SAMPLE_REGS_ABI_64, stack, 99))[0].stack == stack);
    CHECK(records_of(sample_with_stack(PERF_SAMPLE_REGS_ABI_32, stack, 8))[0].registers.empty());
    records = records_of(sample_with_stack(PERF_SAMPLE_REGS_ABI_NONE, "", 0));
    CHECK(records[0].registers.empty());
    CHECK(records[0].frames.size() == 2);
    for (std::size_t size = 8; size < bytes.size(); ++size) {
        std::string cut = bytes.substr(0, size);
        const auto bytes_now = static_cast<uint16_t>(size);
        std::memcpy(cut.data() + 6, &bytes_now, sizeof bytes_now);
        for (const PerfRecord& record : records_of(cut)) CHECK(record.registers.empty());
    }
}

TEST_CASE("switches of threads are parsed, with stacks of waits if they are marked") {
    std::string bytes;
    const auto add = [&](uint16_t misc, int64_t time) {
        append<uint32_t>(bytes, PERF_RECORD_SWITCH);
        append<uint16_t>(bytes, misc);
        append<uint16_t>(bytes, 24);
        append<uint32_t>(bytes, 5);
        append<uint32_t>(bytes, 6);
        append<int64_t>(bytes, time);
    };
    add(PERF_RECORD_MISC_SWITCH_OUT, 100);
    add(0, 200);
    add(PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, 300);
    std::string stacks = sample_with_stack(PERF_SAMPLE_REGS_ABI_NONE, "", 0);
    CHECK(records_of(stacks)[0].kind == PerfKind::sample);
    mark_wait_stacks(stacks);
    const auto records = records_of(bytes + stacks);
    REQUIRE(records.size() == 4);
    CHECK(records[0].kind == PerfKind::switched_out);
    CHECK(!records[0].is_preempted);
    CHECK(records[0].pid == 5);
    CHECK(records[0].tid == 6);
    CHECK(records[0].time == 100);
    CHECK(records[1].kind == PerfKind::switched_in);
    CHECK(records[2].kind == PerfKind::switched_out);
    CHECK(records[2].is_preempted);
    CHECK(records[3].kind == PerfKind::wait_stack);
    std::string loss;
    append<uint32_t>(loss, PERF_RECORD_LOST);
    append<uint16_t>(loss, 0);
    append<uint16_t>(loss, 40);
    for (const uint64_t word : {7, 33, 0, 400}) append<uint64_t>(loss, word);
    CHECK(records_of(loss)[0].kind == PerfKind::lost);
    mark_wait_stacks(loss);
    CHECK(records_of(loss)[0].kind == PerfKind::lost_stacks);
    CHECK(records_of(loss)[0].count == 33);
}

TEST_CASE("stacks may be dropped from samples") {
    std::string bytes = real_records();
    const std::string before = bytes;
    drop_stacks(bytes);
    CHECK(bytes == before);  // these have none
    for (const uint64_t abi : {PERF_SAMPLE_REGS_ABI_64, PERF_SAMPLE_REGS_ABI_NONE}) {
        bytes = before + sample_with_stack(abi, std::string(4096, 'x'), 4096) + before;
        drop_stacks(bytes);
        CHECK(bytes.size() == 2 * before.size() + 56);
        const auto records = records_of(bytes);
        const auto sample = std::ranges::find(records, 777, &PerfRecord::time);
        REQUIRE(sample != records.end());
        CHECK(sample->is_stack_dropped);
        CHECK(sample->frames == std::vector<uint64_t>{0x1000, 0x2000});
        CHECK(sample->stack.empty());
        CHECK(std::ranges::count(records, true, &PerfRecord::is_stack_dropped) == 1);
    }
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
    const std::string stack(300, 'x');
    const std::string bytes =
        real_records() + sample_with_stack(PERF_SAMPLE_REGS_ABI_64, stack, 300);
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
        drop_stacks(damaged);
        CHECK(records_of(damaged).size() == records.size());
        drop_samples(damaged);
    }
}
