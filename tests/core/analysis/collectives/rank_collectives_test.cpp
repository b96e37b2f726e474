// Tests which collectives of several ranks are the same call.
#include "core/analysis/collectives/rank_collectives.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "core/ingest/load.h"
#include "core/trace/join.h"
#include "tests/core/memory_file.h"
#include "tests/core/real_traces.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

struct Ranks {
    JoinedTrace joined;
    std::vector<TraceContext> contexts;
    RankCollectives matched;
};

Ranks match(const std::vector<std::string>& paths) {
    std::vector<JoinPart> parts;
    LoadOptions options;
    for (const std::string& path : paths) {
        const auto trace = load_trace(path, options);
        REQUIRE(trace);
        options.vocabulary = *trace;
        parts.push_back({*trace, 0, "part " + std::to_string(parts.size())});
    }
    Ranks ranks;
    ranks.joined = *join_traces(parts);
    std::vector<const TraceContext*> contexts;
    ranks.contexts.reserve(paths.size());
    contexts.reserve(paths.size());
    for (const TracePtr& part : ranks.joined.parts) ranks.contexts.emplace_back(part);
    for (const TraceContext& context : ranks.contexts) contexts.push_back(&context);
    ranks.matched = match_collectives(contexts);
    return ranks;
}

// Kernels of these names, 10 µs apart, with a world size of two.
std::string rank_text(int rank, const std::vector<std::string>& kernels, int world = 2) {
    std::string text = R"({"distributedInfo":{"rank":)" + std::to_string(rank) +
                       R"(,"world_size":)" + std::to_string(world) + R"(},"traceEvents":[)";
    for (std::size_t i = 0; i < kernels.size(); ++i)
        text +=
            (i ? "," : "") +
            std::string(R"({"ph":"X","cat":"kernel","pid":0,"tid":7,"dur":5,"args":{"device":0,)") +
            R"("stream":7},"name":")" + kernels[i] + R"(","ts":)" +
            std::to_string(100 + 10 * i + 3 * static_cast<std::size_t>(rank)) + "}";
    return text + "]}";
}

const std::string kReduce = "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)";
const std::string kGather = "ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWorkElem)";

}  // namespace

TEST_CASE("The n-th collective of a type pairs with the n-th on the other rank") {
    const MemoryFile a(rank_text(0, {kReduce, "gemm", kGather, kReduce}));
    const MemoryFile b(rank_text(1, {kGather, kReduce, kReduce}));
    const Ranks ranks = match({a.path(), b.path()});
    const Trace& trace = *ranks.joined.whole;
    REQUIRE(ranks.matched.calls.size() == 3);
    for (const auto& call : ranks.matched.calls) {
        REQUIRE(call.slices.size() == 2);
        CHECK(part_of(trace, call.slices[0].lane) == 0);
        CHECK(part_of(trace, call.slices[1].lane) == 1);
        CHECK(trace.name(call.slices[0]) == trace.name(call.slices[1]));
        for (const SliceRef slice : call.slices) CHECK(ranks.matched.call_of(slice) == &call);
    }
    // The second reduction: the fourth kernel of one rank, the third of the other.
    const auto* second = ranks.matched.call_of({ranks.joined.whole->parts[0].first_lane, 3});
    REQUIRE(second);
    CHECK(second->slices[1].index == 2);
    // Other kernels have no peers.
    CHECK(!ranks.matched.call_of({ranks.joined.whole->parts[0].first_lane, 1}));
}

TEST_CASE("Without a common clock, ranks with different counts are not paired") {
    const MemoryFile a(rank_text(0, {kReduce, kGather}));
    const MemoryFile b(rank_text(1, {kReduce, kReduce, kGather}));
    const Ranks ranks = match({a.path(), b.path()});
    REQUIRE(ranks.matched.calls.size() == 1);
    CHECK(ranks.matched.calls[0].type == CollectiveType::all_gather);
}

TEST_CASE("Traces that are not ranks of one job have no pairs") {
    const MemoryFile a(rank_text(0, {kReduce}));
    const MemoryFile same_rank(rank_text(0, {kReduce}));
    const MemoryFile other_world(rank_text(1, {kReduce}, 4));
    CHECK(match({a.path(), same_rank.path()}).matched.calls.empty());
    CHECK(match({a.path(), other_world.path()}).matched.calls.empty());
    CHECK(match({a.path()}).matched.calls.empty());
}

TEST_CASE("Two real ranks: both calls of every pair ran at the same time") {
    const std::string a = real_trace("torch/two_ranks/rank-0.json.gz");
    if (a.empty()) return;
    const Ranks ranks = match({a, real_trace("torch/two_ranks/rank-1.json.gz")});
    const Trace& trace = *ranks.joined.whole;
    // Each rank has ten, but the shortened file of the other rank has only five.
    CHECK(ranks.matched.calls.size() == 5);
    for (const auto& call : ranks.matched.calls) {
        REQUIRE(call.slices.size() == 2);
        // A collective ends only when all ranks have joined: the two overlap, and end together.
        const TimeRange one{trace.start(call.slices[0]), trace.slice_end(call.slices[0])};
        const TimeRange other{trace.start(call.slices[1]), trace.slice_end(call.slices[1])};
        CHECK(one.begin < other.end);
        CHECK(other.begin < one.end);
        CHECK(std::abs(one.end - other.end) < 2'000'000);
    }
}
