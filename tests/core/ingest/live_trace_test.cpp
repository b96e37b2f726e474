// A growing trace: however it is cut into parts, it ends up equal to the whole file.
#include "core/ingest/build/live_trace.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "core/ingest/load.h"
#include "core/ingest/spool/spool_decoder.h"
#include "core/trace/query.h"
#include "core/trace/same_slice.h"
#include "tests/core/spool_maker.h"

using namespace lanescope;
using lanescope::testing::SpoolMaker;

namespace {

struct StoredSlice {
    std::string lane, name;
    Nanos start, duration;
    uint32_t depth;
    uint64_t source;
    friend auto operator<=>(const StoredSlice&, const StoredSlice&) = default;
};

std::string lane_of(const Trace& trace, LaneId id) {
    const Lane& lane = trace.lanes[id];
    return std::string(trace.strings[trace.processes[lane.process].pid]) + "/" +
           std::string(trace.strings[lane.name]);
}

std::multiset<StoredSlice> stored_slices(const Trace& trace) {
    std::multiset<StoredSlice> all;
    for (LaneId id = 0; id < trace.lanes.size(); ++id)
        for (uint32_t i = 0; i < trace.lanes[id].slice_count; ++i) {
            const auto [chunk, local] = trace.lanes[id].locate(i);
            all.insert({lane_of(trace, id), std::string(trace.name({id, i})), chunk->start[local],
                        chunk->duration[local], chunk->depth(local), chunk->source[local]});
        }
    return all;
}

// The invariants that drawing and searching rely on.
void check_lanes(const Trace& trace) {
    for (const Lane& lane : trace.lanes) {
        uint32_t next = 0;
        std::vector<Nanos> free_from(lane.depth_count, INT64_MIN);
        for (const auto& chunk : lane.chunks) {
            REQUIRE(chunk->first == next);
            next += chunk->size();
            REQUIRE(chunk->rows.size() <= lane.depth_count);
            uint32_t at = 0;
            for (std::size_t depth = 0; depth < chunk->rows.size(); ++depth) {
                REQUIRE(chunk->rows[depth].begin == at);
                for (; at < chunk->rows[depth].end; ++at) {
                    REQUIRE(chunk->start[at] >= free_from[depth]);
                    free_from[depth] = chunk->end(at);
                }
            }
            REQUIRE(at == chunk->size());
        }
        REQUIRE(next == lane.slice_count);
    }
}

// Reads a spool file while it grows.
class Reader {
  public:
    explicit Reader(const std::string& path) {
        auto file = InputFile::open(path);
        REQUIRE(file);
        auto opened = SpoolDecoder::open(*file);
        REQUIRE(opened);
        decoder_ = std::move(*opened);
    }
    Trace look() {
        SpoolSink sink;
        sink.batch = [&](const Batch& batch) { live.append(batch); };
        sink.warn = [&](const std::string& code, uint64_t offset, std::string_view text) {
            live.warn(code, offset, text);
        };
        REQUIRE(decoder_->read_on(sink));
        Trace trace = live.snapshot(decoder_->open_ranges());
        check_lanes(trace);
        return trace;
    }
    LiveTrace live;

  private:
    std::unique_ptr<SpoolDecoder> decoder_;
};

// Nested ranges, marks and samples; half of the ranges stay open for a long time.
class Program {
  public:
    Program(SpoolMaker& maker, unsigned seed) : maker_(maker), random_(seed) {
        for (uint32_t tid = 40; tid < 43; ++tid)
            threads_.push_back({&maker.stream(kSpoolEvents, 1, 40, tid), {}});
        ticks_ = maker.now();
    }

    void go_on(int events) {
        for (int i = 0; i < events; ++i) {
            Thread& thread = threads_[random_() % threads_.size()];
            ticks_ += 1 + random_() % 2000;
            const unsigned choice = random_() % 16;
            if (choice == 0) {
                REQUIRE(maker_.range(*thread.stream, kSpoolMark, "mark", ticks_));
            } else if (choice == 1) {
                maker_.recording->add_counter("load", "%", random_() % 100, 40, 0);
            } else if (choice % 2 == 0 || thread.open.empty()) {
                if (thread.open.size() > 6) continue;
                REQUIRE(maker_.range(*thread.stream, kSpoolPush,
                                     "range " + std::to_string(random_() % 50), ticks_));
                thread.open.push_back(0);
            } else if (thread.open.size() > 1 || random_() % 100 == 0) {
                pop(thread);
            }
        }
    }
    void end() {
        for (Thread& thread : threads_) {
            ticks_ += 10;
            while (!thread.open.empty()) pop(thread);
            maker_.seal(*thread.stream);
        }
    }

  private:
    struct Thread {
        SpoolStream* stream;
        std::vector<int> open;
    };
    void pop(Thread& thread) {
        REQUIRE(maker_.pop(*thread.stream, ++ticks_));
        thread.open.pop_back();
    }

    SpoolMaker& maker_;
    std::mt19937 random_;
    std::vector<Thread> threads_;
    uint64_t ticks_ = 0;
};

}  // namespace

TEST_CASE("a recording in snapshots of any sizes equals the whole file") {
    for (unsigned seed = 0; seed < 6; ++seed) {
        SpoolMaker maker;
        Program program(maker, seed);
        Reader reader(maker.path());
        std::mt19937 random(seed);
        for (int part = 0; part < 40; ++part) {
            program.go_on(static_cast<int>(random() % (part % 7 == 0 ? 20'000 : 300)));
            reader.look();
        }
        program.end();
        const Trace live = reader.look();
        const auto whole = load_trace(maker.path());
        REQUIRE(whole);
        CHECK(stored_slices(live) == stored_slices(**whole));
        CHECK(live.slice_count() > 10'000);
        REQUIRE(live.lanes.size() == (*whole)->lanes.size());
        bool several_chunks = false;
        for (LaneId id = 0; id < live.lanes.size(); ++id) {
            several_chunks |= live.lanes[id].chunks.size() > 2;
            CHECK(lane_of(live, id) == lane_of(**whole, id));
            const auto& a = live.lanes[id].instants;
            const auto& b = (*whole)->lanes[id].instants;
            REQUIRE((a != nullptr) == (b != nullptr));
            if (a) CHECK(std::ranges::equal(a->time, b->time));
            const auto& c = live.lanes[id].counter;
            const auto& d = (*whole)->lanes[id].counter;
            REQUIRE((c != nullptr) == (d != nullptr));
            if (c) CHECK(std::ranges::equal(c->value, d->value));
            if (c) CHECK(c->max == d->max);
        }
        CHECK(several_chunks);
        CHECK(live.facts.events == (*whole)->facts.events);
        CHECK(live.facts.complete_by_category == (*whole)->facts.complete_by_category);
    }
}

TEST_CASE("a snapshot shares sealed chunks with earlier ones, which never change") {
    SpoolMaker maker;
    Program program(maker, 3);
    Reader reader(maker.path());
    program.go_on(60'000);
    const Trace before = reader.look();
    const auto as_it_was = stored_slices(before);
    program.go_on(60'000);
    const Trace after = reader.look();
    CHECK(stored_slices(before) == as_it_was);
    std::size_t shared = 0;
    for (LaneId id = 0; id < before.lanes.size(); ++id)
        for (const auto& chunk : before.lanes[id].chunks)
            shared += std::ranges::count(after.lanes[id].chunks, chunk) > 0 ? chunk->size() : 0;
    CHECK(shared > before.slice_count() * 9 / 10);
}

TEST_CASE("an open range is shown, grows, and counts as an event when it ends") {
    SpoolMaker maker;
    SpoolStream& stream = maker.stream(kSpoolEvents, 1, 40, 40);
    const uint64_t begin = maker.now();
    REQUIRE(maker.range(stream, kSpoolPush, "epoch", begin));
    REQUIRE(maker.range(stream, kSpoolPush, "step", begin + 1000));
    REQUIRE(maker.pop(stream, begin + 5000));
    Reader reader(maker.path());
    const Trace first = reader.look();
    REQUIRE(first.lanes.size() == 1);
    CHECK(first.lanes[0].slice_count == 2);
    CHECK(first.facts.complete_by_category.at("user_annotation") == 1);
    REQUIRE(maker.range(stream, kSpoolPush, "step", begin + 6000));
    REQUIRE(maker.pop(stream, begin + 9000));
    const Trace second = reader.look();
    CHECK(second.lanes[0].slice_count == 3);
    const SliceRef epoch = slice_at(second, 0, 0, second.origin);
    CHECK(second.name(epoch) == "epoch");
    const SliceRef before = same_slice(second, epoch, first);
    REQUIRE(before);
    CHECK(second.duration(epoch) > first.duration(before));
    REQUIRE(maker.pop(stream, begin + 10'000));
    const Trace third = reader.look();
    CHECK(third.facts.complete_by_category.at("user_annotation") == 3);
    CHECK(third.lanes[0].slice_count == 3);
}

TEST_CASE("records from before a time are dropped by chunks, and the rest is unchanged") {
    SpoolMaker maker;
    Program program(maker, 5);
    Reader reader(maker.path());
    Trace before;
    for (int i = 0; i < 12; ++i) {
        program.go_on(30'000);
        before = reader.look();
    }
    const uint64_t bytes = reader.live.bytes();
    // The end of the slices: sample times are of the machine.
    Nanos last = 0;
    for (const StoredSlice& slice : stored_slices(before)) last = std::max(last, slice.start);
    const Nanos middle = before.origin + (last - before.origin) / 2;
    reader.live.forget_before(middle);
    CHECK(reader.live.kept_from() == middle);
    program.go_on(100);
    const Trace after = reader.look();
    CHECK(after.slice_count() < before.slice_count() * 3 / 4);
    CHECK(after.slice_count() > before.slice_count() / 4);
    CHECK(reader.live.bytes() < bytes);
    CHECK(after.content.begin == middle);
    // Everything that ended later is there.
    const auto all = stored_slices(after);
    for (const StoredSlice& slice : stored_slices(before))
        if (slice.start > middle && slice.start + slice.duration < before.end)
            REQUIRE(all.contains(slice));
}

TEST_CASE("calls recorded after the ranges around them stay in searchable rows") {
    std::mt19937 random(11);
    LiveTrace live;
    Batch batch;
    batch.texts = {"", "thing", "cuda_runtime", "7"};
    batch.categories = {{2, EventClass::runtime, kLaunchCall}};
    batch.processes = {{3, kNoLocalId, -1, 0}};
    batch.lanes = {{0, 3, LaneRole::thread}};
    Nanos now = 0;
    for (int part = 0; part < 60; ++part) {
        for (int i = 0; i < 500; ++i) {
            now += 1 + random() % 1000;
            const Nanos late = random() % 5 == 0 ? random() % 200'000 : 0;
            batch.events.push_back(
                {std::max<Nanos>(now - late, 0), static_cast<Nanos>(random() % 700), 0, 1, 2, 0,
                 static_cast<uint32_t>(i), EventKind::slice, kHasTime | kHasDuration});
            batch.runtime_calls.emplace_back(static_cast<uint32_t>(i)).correlation = part * 500 + i;
        }
        live.append(batch);
        batch.clear();
        const Trace trace = live.snapshot({});
        check_lanes(trace);
        CHECK(trace.slice_count() == static_cast<uint64_t>(part + 1) * 500);
        const RuntimeCalls& calls = trace.runtime_calls;
        CHECK(std::ranges::is_sorted(calls.slice));
        if (part > 30) CHECK(calls.slice.size() > 500);
        for (const SliceRef slice : calls.slice) REQUIRE(slice.index < trace.slice_count());
    }
}
