// Tests which collectives of several open ranks are the same call, and their grid of steps.
#include "core/analysis/ranks/open_ranks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "core/ingest/load.h"
#include "core/trace/join.h"
#include "tests/core/analysis/ranks/synthetic_ranks.h"
#include "tests/core/memory_file.h"
#include "tests/core/real_traces.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

struct Ranks {
    JoinedTrace joined;
    std::vector<TraceContext> contexts;
    std::shared_ptr<const OpenRanks> matched;  // null: one rank

    std::size_t calls() const { return matched ? matched->result.matched.calls.size() : 0; }
    std::vector<SliceRef> slices_of(const MatchedCall& call) const {
        std::vector<SliceRef> slices;
        for (const uint32_t one : matched->result.matched.members_of(call))
            slices.push_back(matched->call(one).slice);
        return slices;
    }
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
    ranks.matched = compare_open_ranks(contexts);
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
    REQUIRE(ranks.calls() == 3);
    for (const MatchedCall& call : ranks.matched->result.matched.calls) {
        const std::vector<SliceRef> slices = ranks.slices_of(call);
        REQUIRE(slices.size() == 2);
        CHECK(part_of(trace, slices[0].lane) == 0);
        CHECK(part_of(trace, slices[1].lane) == 1);
        CHECK(trace.name(slices[0]) == trace.name(slices[1]));
        for (const SliceRef slice : slices) CHECK(ranks.matched->call_of(slice) == &call);
    }
    // The second reduction: the fourth kernel of one rank, the third of the other.
    const auto* second = ranks.matched->call_of({trace.parts[0].first_lane, 3});
    REQUIRE(second);
    CHECK(ranks.slices_of(*second)[1].index == 2);
    // Other kernels have no peers.
    CHECK(!ranks.matched->call_of({trace.parts[0].first_lane, 1}));
}

TEST_CASE("Without a common clock, ranks with different counts are not paired") {
    const MemoryFile a(rank_text(0, {kReduce, kGather}));
    const MemoryFile b(rank_text(1, {kReduce, kReduce, kGather}));
    const Ranks ranks = match({a.path(), b.path()});
    REQUIRE(ranks.calls() == 1);
    const uint32_t row = ranks.matched->result.matched.calls[0].row;
    CHECK(ranks.matched->call(row).kind == CollectiveType::all_gather);
}

TEST_CASE("Traces that are not ranks of one job have no pairs") {
    const MemoryFile a(rank_text(0, {kReduce}));
    const MemoryFile same_rank(rank_text(0, {kReduce}));
    const MemoryFile other_world(rank_text(1, {kReduce}, 4));
    CHECK(match({a.path(), same_rank.path()}).calls() == 0);
    CHECK(match({a.path(), other_world.path()}).calls() == 0);
    CHECK(!match({a.path()}).matched);
}

TEST_CASE("Two real ranks: both calls of every pair ran at the same time") {
    const std::string a = real_trace("torch/two_ranks/rank-0.json.gz");
    if (a.empty()) return;
    const Ranks ranks = match({a, real_trace("torch/two_ranks/rank-1.json.gz")});
    const Trace& trace = *ranks.joined.whole;
    // The files were cut at random: of ten calls on each rank, three are on both, and sends and
    // receives do not state the other rank.
    CHECK(ranks.calls() == 3);
    for (const MatchedCall& call : ranks.matched->result.matched.calls) {
        const std::vector<SliceRef> slices = ranks.slices_of(call);
        REQUIRE(slices.size() == 2);
        // A collective ends only when all ranks have joined: the two overlap, and end together.
        const TimeRange one{trace.start(slices[0]), trace.slice_end(slices[0])};
        const TimeRange other{trace.start(slices[1]), trace.slice_end(slices[1])};
        CHECK(one.begin < other.end);
        CHECK(other.begin < one.end);
        CHECK(std::abs(one.end - other.end) < 2'000'000);
    }
}

TEST_CASE("The grid has what others waited for each rank in each step") {
    SyntheticJob job;
    job.ranks = 4;
    job.fault = [](int rank, int step, SyntheticWork& work) {
        if (rank == 2 && step == 5) work.gemm *= 2;
    };
    const RankData data = job.make();
    const RankComparison result = compare_ranks(data);
    const RankGrid grid = rank_grid(data, result);
    REQUIRE(grid.members == std::vector<uint32_t>{0, 1, 2, 3});
    REQUIRE(grid.steps.size() == 20);
    Nanos all = 0;
    for (std::size_t r = 0; r < 4; ++r)
        for (std::size_t s = 0; s < 20; ++s) {
            const RankCell& cell = grid.at(r, s);
            all += cell.caused;
            CHECK(cell.calls == 4);
            CHECK(data.calls[cell.first].member == grid.members[r]);
            CHECK(data.calls[cell.first].step == grid.steps[s]);
            CHECK(cell.final - cell.first == 3);
            CHECK(cell.caused <= grid.at(2, 5).caused);
        }
    CHECK(grid.at(2, 5).last == 4);
    CHECK(grid.most_caused == grid.at(2, 5).caused);
    Nanos caused = 0;
    for (const RankTotals& totals : result.waits.totals) caused += totals.caused;
    CHECK(all == caused);
    // A step without a number is in no cell.
    CHECK(rank_grid({}, compare_ranks({})).cells.empty());
}
