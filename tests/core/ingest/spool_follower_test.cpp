// Follows a spool file while it grows, ends, is damaged, shrinks or disappears.
#include "core/ingest/spool/spool_follower.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "core/ingest/load.h"
#include "tests/core/memory_file.h"
#include "tests/core/spool_maker.h"

using namespace lanescope;
using lanescope::testing::MemoryFile;
using lanescope::testing::SpoolMaker;

namespace {

constexpr uint64_t kEnough = uint64_t{1} << 30;

std::unique_ptr<SpoolFollower> follow(const std::string& path, uint64_t memory = kEnough) {
    auto follower = SpoolFollower::open(path, memory);
    REQUIRE(follower);
    return std::move(*follower);
}

TracePtr step(SpoolFollower& follower) {
    const Result<TracePtr> trace = follower.step();
    REQUIRE(trace);
    return *trace;
}

void write_ranges(SpoolMaker& maker, SpoolStream& stream, int count, uint64_t& ticks,
                  uint64_t interval = 2000) {
    for (int i = 0; i < count; ++i) {
        REQUIRE(maker.range(stream, kSpoolPush, "step", ticks += interval));
        REQUIRE(maker.pop(stream, ticks += interval));
    }
}

}  // namespace

TEST_CASE("a recording is followed to its end, and a pause is respected") {
    SpoolMaker maker;
    SpoolStream& stream = maker.stream(kSpoolEvents, 1, 40, 40);
    CHECK(is_growing_spool(maker.path()));
    const auto follower = follow(maker.path());
    CHECK_FALSE(step(*follower));  // nothing yet
    uint64_t ticks = maker.now();
    REQUIRE(maker.range(stream, kSpoolPush, "open", ticks += 10));
    const TracePtr only_open = step(*follower);
    REQUIRE(only_open);
    CHECK(only_open->slice_count() == 1);
    REQUIRE(maker.pop(stream, ticks += 10));
    write_ranges(maker, stream, 9, ticks);
    const TracePtr first = step(*follower);
    REQUIRE(first);
    CHECK(first->slice_count() == 10);
    CHECK_FALSE(step(*follower));  // nothing since
    REQUIRE(control_spool(maker.path(), kSpoolPaused));
    CHECK(maker.recording->control() == kSpoolPaused);
    step(*follower);
    CHECK(follower->status().control == kSpoolPaused);
    REQUIRE(control_spool(maker.path(), kSpoolRecording));
    write_ranges(maker, stream, 5, ticks);
    CHECK(step(*follower)->slice_count() == 15);
    CHECK_FALSE(follower->status().complete);
    maker.seal(stream);
    maker.recording->finish();
    step(*follower);
    CHECK(follower->status().complete);
    CHECK_FALSE(is_growing_spool(maker.path()));
    CHECK(first->slice_count() == 10);
}

TEST_CASE("a ring shows its latest part, and a limit on memory is reported") {
    SpoolOptions options;
    options.ring = 1'000'000'000;
    SpoolMaker ring(options);
    SpoolStream& stream = ring.stream(kSpoolEvents, 1, 40, 40);
    const auto follower = follow(ring.path());
    uint64_t ticks = ring.now();
    const uint64_t second = (uint64_t{1'000'000'000} << 32) / ring.recording->header().tick_ns;
    for (int i = 0; i < 20; ++i) {
        write_ranges(ring, stream, 5000, ticks, second / 50'000);
        step(*follower);
    }
    CHECK(follower->status().ring == options.ring);
    CHECK(follower->status().shown <= options.ring + 1000);
    CHECK_FALSE(follower->status().memory_full);

    SpoolMaker all;
    SpoolStream& thread = all.stream(kSpoolEvents, 1, 40, 40);
    constexpr uint64_t little = 3 << 20;
    const auto capped = follow(all.path(), little);
    for (int i = 0; i < 40; ++i) {
        write_ranges(all, thread, 5000, ticks, 1000);
        step(*capped);
    }
    CHECK(capped->status().memory_full);
    CHECK(capped->status().memory_cap == little);
    CHECK(capped->status().memory_bytes < little);
    write_ranges(all, thread, 10, ticks, 1000);
    const TracePtr last = step(*capped);
    CHECK(last->slice_count() < 150'000);
    CHECK(last->slice_count() > 10'000);
    CHECK(last->content.begin > last->origin);
}

TEST_CASE("a recording without a ring, or shorter than its ring, is kept whole") {
    for (const Nanos ring : {Nanos{0}, Nanos{3'600'000'000'000}}) {
        CAPTURE(ring);
        SpoolOptions options;
        options.ring = ring;
        SpoolMaker maker(options);
        SpoolStream& stream = maker.stream(kSpoolEvents, 1, 40, 40);
        const auto follower = follow(maker.path());
        uint64_t ticks = maker.now();
        TracePtr last;
        for (int i = 0; i < 20; ++i) {
            write_ranges(maker, stream, 5000, ticks);
            last = step(*follower);
        }
        REQUIRE(last);
        CHECK(follower->status().ring == ring);
        CHECK(last->slice_count() == 100'000);
    }
}

TEST_CASE("the records of a killed program are kept; its open range ends with it") {
    SpoolMaker maker;
    const pid_t child = fork();
    if (child == 0) {
        SpoolFile file;
        auto stream = std::make_unique<SpoolStream>();
        if (!attach_spool(file, maker.path().c_str())) _exit(1);
        const auto pid = static_cast<uint32_t>(getpid());
        begin_stream(*stream, kSpoolEvents, 1, pid, pid);
        SpoolRange range = {};
        for (int i = 0; i < 100; ++i) {
            range.ticks = spool_ticks(file.tick_kind);
            write_record(file, *stream, range, kSpoolPush, sizeof range, [&](SpoolRange& r) {
                r.record.text = spool_text(file, *stream, "deep", 4);
            });
            stream->last_ticks = range.ticks;
        }
        for (int i = 0; i < 60; ++i) write_brief_pop(*stream, spool_ticks(file.tick_kind), 0);
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    maker.recording->add_process_end(static_cast<uint32_t>(child), status);
    const auto follower = follow(maker.path());
    const TracePtr trace = step(*follower);
    REQUIRE(trace);
    CHECK(trace->slice_count() == 100);
    CHECK(trace->facts.complete_by_category.at("user_annotation") == 60);
    const Nanos end = trace->end;
    maker.recording->add_counter("load", "%", 1, 0, 0);
    const TracePtr later = step(*follower);
    REQUIRE(later);
    CHECK(later->end > end);
    // The process has ended: none of its ranges grows any more.
    for (uint32_t i = 0; i < 100; ++i) CHECK(later->slice_end({0, i}) <= end);
}

TEST_CASE("a file that is cut, replaced or removed ends the following with a message") {
    for (const int change : {0, 1, 2}) {
        SpoolMaker maker;
        SpoolStream& stream = maker.stream(kSpoolEvents, 1, 40, 40);
        uint64_t ticks = maker.now();
        const std::string copy = maker.path() + ".copy";
        write_ranges(maker, stream, 100, ticks);
        std::filesystem::copy_file(maker.path(), copy);
        const auto follower = follow(copy);
        REQUIRE(step(*follower));
        if (change == 0) std::filesystem::resize_file(copy, 6000);
        if (change == 1) std::filesystem::remove(copy);
        if (change == 2) {
            std::filesystem::copy_file(maker.path(), copy + "2");
            std::filesystem::rename(copy + "2", copy);
        }
        const Result<TracePtr> after = follower->step();
        REQUIRE_FALSE(after);
        CHECK(after.error().text.find(change == 0   ? "was cut to 6000 bytes"
                                      : change == 1 ? "no longer exists"
                                                    : "was replaced") != std::string::npos);
        if (change == 0) CHECK(after.error().byte_offset == 6000);
        std::filesystem::remove(copy);
    }
}

TEST_CASE("an incomplete last block is read as far as it goes") {
    SpoolMaker maker;
    SpoolStream& stream = maker.stream(kSpoolEvents, 1, 40, 40);
    uint64_t ticks = maker.now();
    write_ranges(maker, stream, 300, ticks);
    const std::string bytes = maker.bytes();
    const std::size_t records = 4096 + sizeof(SpoolBlock);
    for (const std::size_t size :
         {std::size_t{4096}, records + stream.used / 2, records + stream.used - 4}) {
        const MemoryFile file(bytes.substr(0, size));
        const auto follower = follow(file.path());
        const Result<TracePtr> trace = follower->step();
        REQUIRE(trace);
        const auto whole = load_trace(file.path());
        REQUIRE((*trace != nullptr) == static_cast<bool>(whole));
        if (!whole) continue;
        CHECK((*trace)->slice_count() == (*whole)->slice_count());
        REQUIRE(!(*trace)->warnings.empty());
        CHECK((*trace)->warnings.front().code == "truncated_file");
    }
}

TEST_CASE("files that are not recordings are not followed") {
    const MemoryFile text("[{}]");
    CHECK_FALSE(is_spool_file(text.path()));
    CHECK_FALSE(is_growing_spool("/no/such/file"));
    CHECK_FALSE(SpoolFollower::open(text.path(), kEnough));
    CHECK_FALSE(control_spool(text.path(), kSpoolStopped));
}
