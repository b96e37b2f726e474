#include "core/trace/edit_slices.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/ingest/load.h"
#include "core/trace/query.h"

namespace lanescope {

namespace {

constexpr uint32_t kRemoved = 7;  // every seventh slice is removed, the one before it is shortened

// The edit keeps these values of a slice.
using Identity = std::tuple<LaneId, uint64_t, std::string>;

Identity identity_of(const Trace& trace, SliceRef slice) {
    const auto [chunk, i] = trace.lanes[slice.lane].locate(slice.index);
    return {slice.lane, chunk->source[i], std::string(trace.name(slice))};
}

template <typename Table>
std::vector<std::pair<Identity, int64_t>> rows_of(const Trace& trace, const Table& table,
                                                  const Column<int64_t>& column) {
    std::vector<std::pair<Identity, int64_t>> rows;
    for (std::size_t row = 0; row < table.slice.size(); ++row)
        rows.emplace_back(identity_of(trace, table.slice[row]), column[row]);
    std::ranges::sort(rows);
    return rows;
}

std::shared_ptr<Trace> sample() {
    const auto loaded = load_trace(LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz");
    REQUIRE(loaded);
    return std::const_pointer_cast<Trace>(*loaded);
}

}  // namespace

TEST_CASE("removed slices take their facts and links with them, and all others keep theirs") {
    const std::shared_ptr<Trace> trace = sample();
    std::vector<SliceEdit> edits;
    std::set<Identity> removed;
    std::set<Identity> shortened;
    for (LaneId lane = 0; lane < trace->lanes.size(); ++lane)
        for (uint32_t i = kRemoved; i < trace->lanes[lane].slice_count; i += kRemoved) {
            edits.push_back({{lane, i}, std::nullopt});
            removed.insert(identity_of(*trace, {lane, i}));
            edits.push_back({{lane, i - 1}, Nanos{1}});
            shortened.insert(identity_of(*trace, {lane, i - 1}));
        }
    REQUIRE(removed.size() > 100);
    const auto is_removed = [&](const auto& row) { return removed.contains(row.first); };
    auto gpu = rows_of(*trace, trace->gpu_activities, trace->gpu_activities.correlation);
    auto calls = rows_of(*trace, trace->runtime_calls, trace->runtime_calls.correlation);
    std::erase_if(gpu, is_removed);
    std::erase_if(calls, is_removed);
    std::vector<std::pair<Identity, Identity>> links;
    for (const Link& link : trace->links) {
        const std::pair ends(identity_of(*trace, link.from), identity_of(*trace, link.to));
        if (!removed.contains(ends.first) && !removed.contains(ends.second)) links.push_back(ends);
    }
    const uint64_t slices = trace->slice_count();

    edit_slices(*trace, edits);

    CHECK(trace->slice_count() == slices - removed.size());
    CHECK(rows_of(*trace, trace->gpu_activities, trace->gpu_activities.correlation) == gpu);
    CHECK(rows_of(*trace, trace->runtime_calls, trace->runtime_calls.correlation) == calls);
    for_each_table(
        [](const auto& table) {
            if constexpr (requires { table.slice; }) CHECK(std::ranges::is_sorted(table.slice));
        },
        static_cast<const SideTables&>(*trace));
    std::vector<std::pair<Identity, Identity>> left;
    for (const Link& link : trace->links)
        left.emplace_back(identity_of(*trace, link.from), identity_of(*trace, link.to));
    std::ranges::sort(links);
    std::ranges::sort(left);
    CHECK(left == links);
    for (const Link& link : trace->links) {
        CHECK(!links_from(*trace, link.from).empty());
        CHECK(!links_to(*trace, link.to).empty());
    }
    for (LaneId lane = 0; lane < trace->lanes.size(); ++lane)
        for (uint32_t i = 0; i < trace->lanes[lane].slice_count; ++i) {
            const Identity identity = identity_of(*trace, {lane, i});
            REQUIRE(!removed.contains(identity));
            REQUIRE((trace->duration({lane, i}) == 1 || !shortened.contains(identity)));
        }
}

}  // namespace lanescope
