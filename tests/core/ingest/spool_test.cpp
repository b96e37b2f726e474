// Spool files: complete recordings are read back exactly.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstring>
#include <map>
#include <random>
#include <set>

#include "core/ingest/load.h"
#include "core/ingest/spool/spool_decoder.h"
#include "core/trace/query.h"
#include "tests/core/ingest/random_spool.h"
#include "tests/core/memory_file.h"
#include "tests/core/spool_maker.h"

using namespace lanescope;
using lanescope::testing::MemoryFile;
using lanescope::testing::recorded_slices;
using lanescope::testing::RecordedSlice;
using lanescope::testing::SpoolMaker;
using lanescope::testing::time_of;
using lanescope::testing::warning;
using lanescope::testing::write_random;

namespace {

std::string argument(const TracePtr& trace, SliceRef slice, std::string_view name) {
    const auto [chunk, i] = trace->lanes[slice.lane].locate(slice.index);
    const auto read = open_arguments(trace)->read(chunk->source[i]);
    REQUIRE(read);
    for (const Argument& a : *read)
        if (a.name == name) return a.value;
    return "none";
}

SliceRef find(const Trace& trace, std::string_view name) {
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane)
        for (uint32_t i = 0; i < trace.lanes[lane].slice_count; ++i)
            if (trace.name({lane, i}) == name) return {lane, i};
    FAIL("no slice " << name);
    return {};
}

}  // namespace

TEST_CASE("ranges are read back exactly as written") {
    for (unsigned seed = 0; seed < 5; ++seed) {
        SpoolMaker maker;
        const auto expected = write_random(maker, seed, 20'000);
        for (const bool finished : {false, true}) {
            if (finished) {
                const uint64_t tick = maker.recording->header().tick_ns;
                maker.recording->finish();
                maker.recording->header().tick_ns = tick;  // as measured at first
            }
            const auto trace = load_trace(maker.path());
            REQUIRE(trace);
            CHECK(recorded_slices(**trace) == expected);
            CHECK((warning(**trace, "still_recording") == nullptr) == finished);
            CHECK(warning(**trace, "unclosed_begin") == nullptr);
            CHECK(warning(**trace, "damaged_block") == nullptr);
        }
    }
}

TEST_CASE("a long command is cut, and ends with a 0") {
    SpoolOptions options;
    options.command = std::string(5'000, 'c');
    const SpoolMaker maker(options);
    const std::string bytes = maker.bytes();
    SpoolHeader header = {};
    REQUIRE(bytes.size() >= sizeof header);
    std::memcpy(&header, bytes.data(), sizeof header);
    CHECK(std::string_view(header.command, sizeof header.command) ==
          std::string(sizeof header.command - 1, 'c') + '\0');
}

TEST_CASE("the file is readable by its owner only") {
    SpoolMaker maker;
    struct stat info = {};
    REQUIRE(stat(maker.path().c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
}

TEST_CASE("a range has its domain, category, colour and payload") {
    SpoolMaker maker;
    SpoolStream& facts = maker.stream(kSpoolFacts, 1, 70, 70);
    SpoolStream& stream = maker.stream(kSpoolEvents, 1, 70, 70);
    SpoolRange range = {};
    range.category = 7;
    range.color = 0xFF00FF80;
    range.payload_kind = kSpoolSigned;
    range.payload = static_cast<uint64_t>(int64_t{-5});
    // Odd ticks are written in full, even ones in brief form: see SpoolMaker.
    const uint64_t odd = maker.now() | 1;
    maker.range(stream, kSpoolPush, "C:\\path \"quoted\" \u00e9", odd, "mine", range);
    maker.pop(stream, odd + 1001, "mine");
    maker.range(stream, kSpoolPush, "brief", odd + 2001, "mine", range);
    range.color = range.payload_kind = 0;
    maker.range(stream, kSpoolPush, "no colour", odd + 3001, "mine", range);
    maker.pop(stream, odd + 4000, "mine");
    maker.pop(stream, odd + 5001, "mine");
    CHECK(stream.used < 3 * sizeof range + 4 * sizeof(SpoolPop));
    SpoolCategoryName category = {};
    category.category = 7;
    write_record(maker.file(), facts, category, kSpoolCategoryName, sizeof category,
                 [&](SpoolCategoryName& r) {
                     r.record.text = spool_text(maker.file(), facts, "loading");
                     r.domain = spool_text(maker.file(), facts, "mine");
                 });
    SpoolThreadName thread = {};
    thread.tid = 70;
    maker.write(facts, kSpoolThreadName, thread, "worker");
    const auto trace = load_trace(maker.path());
    REQUIRE(trace);
    const SliceRef slice = find(**trace, "C:\\path \"quoted\" \u00e9");
    CHECK((*trace)->event_class(slice) == EventClass::annotation);
    for (const char* name : {"C:\\path \"quoted\" \u00e9", "brief"}) {
        const SliceRef described = find(**trace, name);
        CHECK(argument(*trace, described, "domain") == "mine");
        CHECK(argument(*trace, described, "category") == "loading");
        CHECK(argument(*trace, described, "color") == "#00FF80");
        CHECK(argument(*trace, described, "payload") == "-5");
    }
    CHECK(argument(*trace, find(**trace, "no colour"), "color") == "none");
    CHECK(argument(*trace, find(**trace, "no colour"), "payload") == "none");
    CHECK(argument(*trace, find(**trace, "no colour"), "category") == "loading");
    CHECK((*trace)->strings[(*trace)->lanes[slice.lane].name] == "worker");
    CHECK((*trace)->facts.format == "lanescope-spool");
}

TEST_CASE("a text is identified by its address and current content") {
    SpoolMaker maker;
    SpoolStream& stream = maker.stream(kSpoolEvents, 1, 70, 70);
    alignas(4096) char page[8192] = "step 1";
    const auto knows = [&](const char* text) {
        const SpoolPointerSlot& slot = pointer_slot(stream, text);
        return slot.pointer == text && has_text_of(slot, text);
    };
    CHECK_FALSE(knows(page));
    const uint32_t first = spool_text(maker.file(), stream, page);
    CHECK(knows(page));
    for (const char* other : {"step 2", "step", "step 12", "", "x"}) {
        std::strcpy(page, other);
        CHECK_FALSE(knows(page));
        CHECK(spool_text(maker.file(), stream, page) != first);
    }
    std::strcpy(page, "step 1");
    CHECK(spool_text(maker.file(), stream, page) == first);
    // Texts at the limit of the stored length, and above it.
    for (const std::size_t length : {31u, 32u, 100u}) {
        std::memset(page, 'a', length);
        page[length] = '\0';
        const uint32_t id = spool_text(maker.file(), stream, page);
        CHECK(knows(page) == (length < kSpoolHeadBytes));
        page[length - 1] = 'b';
        CHECK_FALSE(knows(page));
        CHECK(spool_text(maker.file(), stream, page) != id);
    }
    // At the end of a page that may be the last: compared in another way.
    char* const at_end = page + 4096 - 5;
    std::strcpy(at_end, "last");
    const uint32_t last = spool_text(maker.file(), stream, at_end);
    CHECK(spool_text(maker.file(), stream, at_end) == last);
#if defined(__SSE2__)
    CHECK_FALSE(knows(at_end));
#endif
}

TEST_CASE("ranges by id begin on one thread and end on another") {
    SpoolMaker maker;
    SpoolStream& one = maker.stream(kSpoolEvents, 1, 70, 70);
    SpoolStream& two = maker.stream(kSpoolEvents, 1, 70, 71);
    SpoolRangeEnd end = {};
    end.id = 9;
    end.ticks = maker.now() + 500'000;
    maker.write(two, kSpoolRangeEnd, end);
    SpoolRange range = {};
    range.id = 9;
    maker.range(one, kSpoolRangeStart, "request", end.ticks - 400'000, "", range);
    const auto trace = load_trace(maker.path());
    REQUIRE(trace);
    const SliceRef slice = find(**trace, "request");
    CHECK((*trace)->lanes[slice.lane].kind == LaneKind::async);
    const SpoolHeader& header = maker.recording->header();
    CHECK((*trace)->duration(slice) ==
          time_of(header, end.ticks) - time_of(header, end.ticks - 400'000));
}

TEST_CASE("a range that was open when its process ended lasts to its last event") {
    SpoolMaker maker;
    SpoolStream& stream = maker.stream(kSpoolEvents, 1, 70, 70);
    const uint64_t begin = maker.now();
    maker.range(stream, kSpoolPush, "training", begin);
    maker.range(stream, kSpoolMark, "alive", begin + 1'000'000);
    const auto trace = load_trace(maker.path());
    REQUIRE(trace);
    const SliceRef slice = find(**trace, "training");
    const SpoolHeader& header = maker.recording->header();
    CHECK((*trace)->duration(slice) == time_of(header, begin + 1'000'000) - time_of(header, begin));
    REQUIRE(warning(**trace, "unclosed_begin"));
}

TEST_CASE("kernels are linked to their launches, by process") {
    SpoolMaker maker;
    for (uint32_t process = 1; process <= 2; ++process) {
        const uint32_t pid = 900 + process;
        SpoolStream& facts = maker.stream(kSpoolFacts, process, pid, pid);
        SpoolStream& stream = maker.stream(kSpoolEvents, process, pid, pid);
        SpoolProcess began = {};
        began.pid = pid;
        maker.write(facts, kSpoolProcess, began, "train");
        SpoolClock clock = {};
        clock.ticks = maker.recording->header().ticks;
        clock.ns = 1'000'000 * process;
        maker.write(facts, kSpoolClock, clock);
        SpoolCall call = {};
        call.start = clock.ns + 1000;
        call.end = clock.ns + 3000;
        call.tid = pid;
        call.correlation = 5;
        call.api = kSpoolRuntimeApi;
        maker.write(stream, kSpoolCall, call, "cudaLaunchKernel");
        SpoolKernel kernel = {};
        kernel.start = clock.ns + 5000;
        kernel.end = clock.ns + 9000;
        kernel.stream = 7;
        kernel.correlation = 5;
        kernel.grid[0] = 4;
        kernel.grid[1] = kernel.grid[2] = kernel.block[1] = kernel.block[2] = 1;
        kernel.block[0] = 128;
        kernel.registers = 40;
        kernel.static_shared = 1024;
        kernel.dynamic_shared = 512;
        maker.write(stream, kSpoolKernel, kernel, "_Z4gemmIfEvPT_i");
    }
    const auto trace = load_trace(maker.path());
    REQUIRE(trace);
    const Trace& t = **trace;
    CHECK(t.facts.gpu_activities == 2);
    CHECK(t.facts.gpu_activities_with_launch == 2);
    REQUIRE(t.links.size() == 2);
    for (const Link& link : t.links) {
        CHECK(t.name(link.to) == "void gemm<float>(float*, int)");
        CHECK(t.start(link.to) - t.start(link.from) == 4000);
        CHECK(t.duration(link.to) == 4000);
    }
    std::vector<std::string_view> callers, devices;
    for (const Link& link : t.links) {
        const uint32_t caller = t.lanes[link.from.lane].process;
        const Process& device = t.processes[t.lanes[link.to.lane].process];
        CHECK(device.owner == caller);
        CHECK(device.is_gpu);
        CHECK(device.device == 0);
        CHECK(t.strings[device.labels] == "GPU 0");
        CHECK(t.strings[device.name] == "train");
        callers.push_back(t.strings[t.processes[caller].pid]);
        devices.push_back(t.strings[device.pid]);
    }
    CHECK(callers == std::vector<std::string_view>{"901", "902"});
    CHECK(devices == std::vector<std::string_view>{"0", "GPU 0 of 902"});
    CHECK(t.gpu_activities.correlation[0] == 5);
    CHECK(t.gpu_activities.correlation[1] == 5);
    REQUIRE(t.launch_configs.size() == 1);
    CHECK(t.launch_configs[0].registers_per_thread == 40);
    CHECK(t.launch_configs[0].shared_memory_bytes == 1536);
    CHECK(argument(*trace, t.links[0].to, "block") == "[128, 1, 1]");
}

TEST_CASE("work is not linked to another process's call, nor to one of the program before exec") {
    SpoolMaker maker;
    // The first process has work without a call; numbers 2 and 3 are two programs of one process.
    for (uint32_t number = 1; number <= 3; ++number) {
        const uint32_t pid = number == 1 ? 901 : 902;
        SpoolStream& stream = maker.stream(kSpoolEvents, number, pid, pid);
        const int64_t begin = 100'000 * number;
        if (number != 1) {
            SpoolCall call = {};
            call.start = begin + 1000;
            call.end = begin + 3000;
            call.tid = pid;
            call.correlation = 5;
            call.api = kSpoolRuntimeApi;
            maker.write(stream, kSpoolCall, call, "cudaLaunchKernel");
        }
        SpoolKernel kernel = {};
        kernel.start = begin + 5000;
        kernel.end = begin + 9000;
        kernel.stream = 7;
        kernel.correlation = 5;
        maker.write(stream, kSpoolKernel, kernel, "work");
    }
    const auto trace = load_trace(maker.path());
    REQUIRE(trace);
    const Trace& t = **trace;
    CHECK(t.facts.gpu_activities == 3);
    CHECK(t.facts.gpu_activities_with_launch == 2);
    REQUIRE(t.links.size() == 2);
    for (const Link& link : t.links) CHECK(t.start(link.to) - t.start(link.from) == 4000);
    CHECK_FALSE(warning(t, "ambiguous_launch"));
    // Waits and dependencies look calls up by process and correlation alone.
    std::set<std::pair<uint32_t, int64_t>> calls;
    for (uint32_t row = 0; row < t.runtime_calls.rows(); ++row)
        calls.emplace(t.lanes[t.runtime_calls.slice[row].lane].process,
                      t.runtime_calls.correlation[row]);
    CHECK(calls.size() == 2);
    std::map<std::string_view, std::string_view> owners;  // pid by the device's text
    for (const Process& process : t.processes)
        if (process.is_gpu) {
            REQUIRE(process.owner != kNoRow);
            owners[t.strings[process.pid]] = t.strings[t.processes[process.owner].pid];
        }
    CHECK(owners == std::map<std::string_view, std::string_view>{
                        {"0", "901"}, {"GPU 0 of 902", "902"}, {"GPU 0 of 902 (2)", "902"}});
}

TEST_CASE("host memory belongs to no device") {
    SpoolMaker maker;
    SpoolStream& stream = maker.stream(kSpoolEvents, 1, 70, 70);
    for (const uint32_t kind : {2u, 3u}) {  // pinned, on the device
        SpoolMemory memory = {};
        memory.time = 1000 * kind;
        memory.address = 0x1000 * kind;
        memory.bytes = 100 * kind;
        memory.operation = 1;
        memory.memory_kind = kind;
        maker.write(stream, kSpoolMemory, memory);
    }
    SpoolMemory back = {};
    back.time = 9000;
    back.address = 0x3000;
    back.operation = 2;
    back.memory_kind = 3;
    maker.write(stream, kSpoolMemory, back);
    const auto trace = load_trace(maker.path());
    REQUIRE(trace);
    const MemoryEvents& events = (*trace)->memory_events;
    REQUIRE(events.time.size() == 3);
    CHECK(events.device_type[0] == 0);
    CHECK(events.device_id[0] == -1);
    CHECK(events.total_allocated[0] == 200);
    CHECK(events.device_type[1] == 1);
    CHECK(events.device_id[1] == 0);
    CHECK(events.total_allocated[1] == 300);
    CHECK(events.bytes[2] == -300);
    CHECK(events.total_allocated[2] == 0);
}

TEST_CASE("the programs' warnings are available once the recording is finished") {
    SpoolMaker maker;
    for (uint32_t process = 1; process <= 2; ++process) {
        SpoolStream& facts = maker.stream(kSpoolFacts, process, 70 + process, 70 + process);
        SpoolMessage message = {};
        message.severity = kSpoolWarning;
        maker.write(facts, kSpoolMessage, message, "there is no GPU");
        message.severity = kSpoolNote;
        maker.write(facts, kSpoolMessage, message, "only a note");
        maker.seal(facts);
    }
    CHECK(maker.recording->warnings().empty());
    maker.recording->finish();
    const std::map<std::string, uint32_t> expected = {{"there is no GPU", 2}};
    CHECK(maker.recording->warnings() == expected);
}
