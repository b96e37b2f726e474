#include "core/analysis/rank_collectives.h"

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <string_view>

#include "core/analysis/message_shape.h"
#include "core/analysis/steps.h"

namespace lanescope {

namespace {

constexpr int64_t kNoStep = -1;

// What one call has in common on all ranks.
struct Key {
    int64_t step = kNoStep;
    CollectiveType type = CollectiveType::unknown;
    StringId group = 0;  // texts have one id in all parts of a joined trace
    StringId ranks = 0;
    uint32_t number = 0;  // among those alike

    friend auto operator<=>(const Key&, const Key&) = default;
};

bool one_job(std::span<const TraceContext* const> parts) {
    std::set<int64_t> ranks;
    for (const TraceContext* part : parts) {
        const int64_t rank = own_rank(part->trace());
        if (rank < 0 || !ranks.insert(rank).second) return false;
        if (world_size(part->trace()) != world_size(parts.front()->trace())) return false;
    }
    return parts.size() > 1;
}

// Steps of the profiler by number: their ranges, in one part.
std::map<int64_t, TimeRange> profiler_steps(const TraceContext& part) {
    std::map<int64_t, TimeRange> ranges;
    if (part.steps().source != StepSource::profiler) return ranges;
    for (const Step& step : part.steps().all) ranges.emplace(step.index, step.range);
    return ranges;
}

// Those that all parts have.
std::set<int64_t> common_steps(const std::vector<std::map<int64_t, TimeRange>>& steps) {
    std::set<int64_t> common;
    for (const auto& [index, range] : steps.front())
        if (std::ranges::all_of(steps, [i = index](const auto& of) { return of.contains(i); }))
            common.insert(index);
    return common;
}

// Kernels run after the step that launched them has ended; the launch tells.
int64_t step_of(const Trace& trace, const CollectiveRow& row,
                const std::map<int64_t, TimeRange>& steps, const std::set<int64_t>& common) {
    const Nanos time = trace.start(row.launch ? row.launch : row.slice);
    for (const int64_t index : common)
        if (steps.at(index).contains(time)) return index;
    return kNoStep;
}

StringId text_of(const Column<StringId>& column, uint32_t row) {
    return row == kNoRow || column.empty() ? 0 : column[row];
}

}  // namespace

const RankCollectives::Call* RankCollectives::call_of(SliceRef slice) const {
    const auto found =
        std::ranges::lower_bound(by_slice, slice, {}, &std::pair<SliceRef, uint32_t>::first);
    return found != by_slice.end() && found->first == slice ? &calls[found->second] : nullptr;
}

RankCollectives match_collectives(std::span<const TraceContext* const> parts) {
    RankCollectives result;
    if (!one_job(parts)) return result;
    std::vector<std::map<int64_t, TimeRange>> steps;
    for (const TraceContext* part : parts) steps.push_back(profiler_steps(*part));
    const std::set<int64_t> common = common_steps(steps);

    struct Found {
        std::vector<CollectiveRow> rows;
    };
    std::map<Key, Found> calls;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const Trace& trace = parts[p]->trace();
        std::map<Key, uint32_t> seen;
        for (const CollectiveRow& row : collective_rows(*parts[p], {})) {
            Key key{step_of(trace, row, steps[p], common), row.type,
                    text_of(trace.collectives.group_name, row.keys),
                    text_of(trace.collectives.group_ranks, row.keys), 0};
            // Before, between and behind the steps that all have, windows may begin anywhere.
            if (key.step == kNoStep && !common.empty()) continue;
            key.number = seen[key]++;
            calls[key].rows.push_back(row);
        }
    }
    for (const auto& [key, found] : calls) {
        if (found.rows.size() < 2) continue;
        const auto place = static_cast<uint32_t>(result.calls.size());
        RankCollectives::Call& call = result.calls.emplace_back();
        call.type = key.type;
        for (const CollectiveRow& row : found.rows) {
            call.slices.push_back(row.slice);
            result.by_slice.emplace_back(row.slice, place);
            if (row.launch) result.by_slice.emplace_back(row.launch, place);
        }
    }
    std::ranges::sort(result.by_slice);
    return result;
}

}  // namespace lanescope
