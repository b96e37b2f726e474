#include "core/capture/sampling/off_cpu.h"

#include <doctest/doctest.h>

#include <random>

using namespace lanescope;

namespace {

constexpr Nanos kMillisecond = 1'000'000;

PerfRecord switched(PerfKind kind, Nanos time, uint32_t tid = 5, bool is_preempted = false) {
    PerfRecord record;
    record.kind = kind;
    record.time = time;
    record.pid = 4;
    record.tid = tid;
    record.is_preempted = is_preempted;
    if (kind == PerfKind::wait_stack) record.frames = {0x1000 + tid};
    return record;
}

}  // namespace

TEST_CASE("a wait lasts from the switch away from a thread to the switch back") {
    OffCpuWaits waits(kMillisecond);
    CHECK(!waits.take(switched(PerfKind::switched_in, 10)));  // it began before the recording
    CHECK(!waits.take(switched(PerfKind::wait_stack, 99)));
    CHECK(!waits.take(switched(PerfKind::switched_out, 100)));
    CHECK(!waits.take(switched(PerfKind::wait_stack, 120, 6)));
    CHECK(!waits.take(switched(PerfKind::switched_out, 130, 6, true)));
    const auto wait = waits.take(switched(PerfKind::switched_in, 100 + kMillisecond));
    REQUIRE(wait);
    CHECK(wait->begin == 100);
    CHECK(wait->end == 100 + kMillisecond);
    CHECK(!wait->is_preempted);
    CHECK(wait->at.pid == 4);
    CHECK(wait->at.tid == 5);
    CHECK(wait->at.frames == std::vector<uint64_t>{0x1005});
    const auto other = waits.take(switched(PerfKind::switched_in, 5 * kMillisecond, 6));
    REQUIRE(other);
    CHECK(other->is_preempted);
    CHECK(other->at.frames == std::vector<uint64_t>{0x1006});
    // A stack belongs to one wait only.
    waits.take(switched(PerfKind::switched_out, 6 * kMillisecond));
    const auto without = waits.take(switched(PerfKind::switched_in, 9 * kMillisecond));
    REQUIRE(without);
    CHECK(without->at.frames.empty());
    CHECK(without->at.tid == 5);
    CHECK(waits.short_waits() == 0);
}

TEST_CASE("short waits are counted, and those that have not ended end with the recording") {
    OffCpuWaits waits(kMillisecond);
    for (int i = 0; i < 10; ++i) {
        waits.take(switched(PerfKind::switched_out, 2000 * i));
        CHECK(!waits.take(switched(PerfKind::switched_in, 2000 * i + 500)));
    }
    CHECK(waits.short_waits() == 10);
    CHECK(waits.short_time() == 5000);
    waits.take(switched(PerfKind::switched_out, 30'000, 7));
    waits.add_waiting(4, 8, 20'000);
    waits.take(switched(PerfKind::wait_stack, 40'000, 9));  // has not stopped yet
    waits.take(switched(PerfKind::switched_out, 50'000, 10));
    waits.take(switched(PerfKind::exit, 60'000, 10));
    const auto rest = waits.end_all(5 * kMillisecond);
    REQUIRE(rest.size() == 2);
    CHECK(rest[0].at.tid == 8);
    CHECK(rest[0].begin == 20'000);
    CHECK(rest[1].at.tid == 7);
    CHECK(rest[1].end == 5 * kMillisecond);
    CHECK(waits.end_all(6 * kMillisecond).empty());
}

TEST_CASE("a thread whose switches were lost does not seem to wait") {
    OffCpuWaits waits(kMillisecond);
    waits.take(switched(PerfKind::switched_out, 100));
    PerfRecord lost;
    lost.kind = PerfKind::lost_stacks;
    waits.take(lost);
    CHECK(waits.take(switched(PerfKind::switched_in, 50 * kMillisecond)));
    waits.take(switched(PerfKind::switched_out, 60 * kMillisecond));
    lost.kind = PerfKind::lost;
    waits.take(lost);
    CHECK(!waits.take(switched(PerfKind::switched_in, 100 * kMillisecond)));
    // It ran meanwhile, as its sample shows.
    waits.take(switched(PerfKind::switched_out, 101 * kMillisecond));
    waits.take(switched(PerfKind::sample, 102 * kMillisecond));
    CHECK(!waits.take(switched(PerfKind::switched_in, 200 * kMillisecond)));
}

TEST_CASE("waits of a thread never overlap, whatever the records") {
    std::mt19937 random(3);
    constexpr PerfKind kinds[] = {PerfKind::sample,       PerfKind::exit,
                                  PerfKind::wait_stack,   PerfKind::switched_out,
                                  PerfKind::switched_out, PerfKind::switched_in,
                                  PerfKind::switched_in,  PerfKind::lost};
    OffCpuWaits waits(1);
    std::vector<Nanos> ends(4, 0);
    std::size_t count = 0;
    for (Nanos time = 0; time < 20'000; ++time) {
        const uint32_t tid = random() % 4;
        const PerfKind kind = kinds[random() % std::size(kinds)];
        if (kind == PerfKind::lost && random() % 10) continue;
        const auto wait = waits.take(switched(kind, time, tid));
        if (!wait) continue;
        ++count;
        REQUIRE(wait->at.tid == tid);
        REQUIRE(wait->begin >= ends[tid]);
        REQUIRE(wait->end == time);
        ends[tid] = wait->end;
    }
    CHECK(count > 500);
}
