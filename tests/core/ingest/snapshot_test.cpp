// Traces of what has been read so far, taken between the blocks of a load.
#include <doctest/doctest.h>

#include <unordered_map>

#include "core/ingest/json/json_decoder.h"
#include "core/ingest/json/json_scanner.h"
#include "tests/core/ingest/random_events.h"
#include "tests/core/memory_file.h"
#include "tests/core/trace_description.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

Result<void> decode(const std::string& text, TraceBuilder& builder, unsigned workers,
                    const BetweenBlocks& between, LoadProgress* progress = nullptr) {
    const MemoryFile memory(text);
    auto file = InputFile::open(memory.path());
    REQUIRE(file);
    const auto source = make_plain_source(*file, 4096, find_event);
    return decode_json(*source, builder, "memory", workers, progress, between);
}

std::string random_text() {
    Random random(13);
    return trace_text(random_events(random, 1500), Dialect::object);
}

// Start and name of every slice, by its position in the text.
std::unordered_map<uint64_t, std::pair<Nanos, std::string>> slices_by_place(const Trace& trace) {
    std::unordered_map<uint64_t, std::pair<Nanos, std::string>> slices;
    for (const Lane& lane : trace.lanes)
        for (const auto& chunk : lane.chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i)
                slices.emplace(
                    chunk->source[i],
                    std::pair(chunk->start[i], std::string(trace.strings[chunk->name[i]])));
    return slices;
}

}  // namespace

TEST_CASE("snapshots grow, are part of the whole trace, and do not change it") {
    const std::string text = random_text();
    for (const unsigned workers : {1u, 4u}) {
        TraceBuilder alone;
        REQUIRE(decode(text, alone, workers, {}));
        const Trace whole = alone.finish(1);

        std::vector<Trace> parts;
        TraceBuilder watched;
        REQUIRE(decode(text, watched, workers, [&](const TraceBuilder& builder) {
            parts.push_back(builder.snapshot(1));
            CHECK(parts.back().facts.events == builder.event_count());
            return Result<void>();
        }));
        CHECK(parts.size() == (text.size() + 4095) / 4096);
        CHECK(first_difference(describe(whole), describe(watched.finish(2))) == "");

        const auto all = slices_by_place(whole);
        std::size_t before = 0;
        for (const Trace& part : parts) {
            const auto some = slices_by_place(part);
            CHECK(some.size() >= before);
            before = some.size();
            for (const auto& [place, slice] : some) {
                REQUIRE(all.contains(place));
                REQUIRE(all.at(place) == slice);
            }
        }
        CHECK(before == all.size());
    }
}

TEST_CASE("after a cancellation between two blocks, only the current blocks are read") {
    const std::string text = random_text();
    for (const unsigned workers : {1u, 4u}) {
        LoadProgress progress;
        TraceBuilder builder;
        std::size_t blocks = 0;
        const Result<void> decoded = decode(
            text, builder, workers,
            [&](const TraceBuilder&) {
                ++blocks;
                progress.cancel = true;
                return Result<void>();
            },
            &progress);
        REQUIRE_FALSE(decoded);
        CHECK(decoded.error().code == ErrorCode::cancelled);
        // Waiting blocks, and one with each worker.
        CHECK(blocks <= 1 + 3 * workers);
    }
}

TEST_CASE("an error between two blocks ends the load") {
    const std::string text = random_text();
    for (const unsigned workers : {1u, 4u}) {
        TraceBuilder builder;
        std::size_t blocks = 0;
        const Result<void> decoded =
            decode(text, builder, workers, [&](const TraceBuilder&) -> Result<void> {
                if (++blocks < 3) return {};
                return Error{ErrorCode::no_memory, Error::no_offset, "enough"};
            });
        REQUIRE_FALSE(decoded);
        CHECK(decoded.error().text == "enough");
        CHECK(blocks == 3);
    }
}
