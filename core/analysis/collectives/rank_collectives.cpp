#include "core/analysis/collectives/rank_collectives.h"

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <string_view>

#include "core/analysis/collectives/message_shape.h"
#include "core/analysis/structure/steps.h"
#include "core/trace/clock.h"

namespace lanescope {

namespace {

constexpr int64_t kNoStep = -1;

// The properties that a call has in common on all ranks.
struct Key {
    int64_t step = kNoStep;
    CollectiveType type = CollectiveType::unknown;
    StringId group = 0;  // texts have the same id in all parts of a joined trace
    StringId ranks = 0;
    int64_t elements = 0;  // 0: not equal on all ranks

    friend auto operator<=>(const Key&, const Key&) = default;
};

struct RankRow {
    uint32_t part = 0;
    SliceRef slice, launch;
    TimeRange time;  // Unix time, if known
};

// Similar calls of all ranks; each rank's are sorted by time.
using Alike = std::map<Key, std::vector<RankRow>>;

bool one_job(std::span<const TraceContext* const> parts) {
    std::set<int64_t> ranks;
    for (const TraceContext* part : parts) {
        const int64_t rank = own_rank(part->trace());
        if (rank < 0 || !ranks.insert(rank).second) return false;
        if (world_size(part->trace()) != world_size(parts.front()->trace())) return false;
    }
    return parts.size() > 1;
}

// The profiler's steps by number, with their ranges in one part.
std::map<int64_t, TimeRange> profiler_steps(const TraceContext& part) {
    std::map<int64_t, TimeRange> ranges;
    if (part.get<Steps>().source != StepSource::profiler) return ranges;
    for (const Step& step : part.get<Steps>().all) ranges.emplace(step.index, step.range);
    return ranges;
}

// The steps that all parts have.
std::set<int64_t> common_steps(const std::vector<std::map<int64_t, TimeRange>>& steps) {
    std::set<int64_t> common;
    for (const auto& [index, range] : steps.front())
        if (std::ranges::all_of(steps,
                                [i = index](const auto& ranges) { return ranges.contains(i); }))
            common.insert(index);
    return common;
}

// A kernel may run after the step that launched it has ended; so the launch determines the step.
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

bool sends_as_much(CollectiveType type) {
    return type == CollectiveType::all_reduce || type == CollectiveType::all_gather ||
           type == CollectiveType::reduce_scatter || type == CollectiveType::broadcast ||
           type == CollectiveType::reduce;
}

Alike alike_calls(std::span<const TraceContext* const> parts) {
    std::vector<std::map<int64_t, TimeRange>> steps;
    steps.reserve(parts.size());
    for (const TraceContext* part : parts) steps.push_back(profiler_steps(*part));
    const std::set<int64_t> common = common_steps(steps);
    Alike alike;
    for (uint32_t p = 0; p < parts.size(); ++p) {
        const Trace& trace = parts[p]->trace();
        const Nanos base = unix_base(trace).value_or(0);
        for (const CollectiveRow& row : parts[p]->get<AllCollectives>().rows) {
            const bool sized = sends_as_much(row.type) && row.in_elements != kNoValue;
            const Key key{step_of(trace, row, steps[p], common), row.type,
                          text_of(trace.collectives.group_name, row.keys),
                          text_of(trace.collectives.group_ranks, row.keys),
                          sized ? row.in_elements : 0};
            // Outside of the common steps, recordings of the ranks may begin anywhere.
            if (key.step == kNoStep && !common.empty()) continue;
            alike[key].push_back(
                {p,
                 row.slice,
                 row.launch,
                 {trace.start(row.slice) + base, trace.slice_end(row.slice) + base}});
        }
    }
    return alike;
}

void add_call(const Key& key, std::span<const RankRow> rows, RankCollectives& result) {
    if (rows.size() < 2) return;
    const auto place = static_cast<uint32_t>(result.calls.size());
    RankCollectives::Call& call = result.calls.emplace_back();
    call.type = key.type;
    for (const RankRow& row : rows) {
        call.slices.push_back(row.slice);
        result.by_slice.emplace_back(row.slice, place);
        if (row.launch) result.by_slice.emplace_back(row.launch, place);
    }
    std::ranges::sort(call.slices);
}

// A collective ends on all ranks at nearly the same time: sorted by end, the ends of one call are
// adjacent.
void match_by_time(const Key& key, std::vector<RankRow> rows, RankCollectives& result) {
    std::ranges::sort(rows, {}, [](const RankRow& row) { return row.time.end; });
    std::vector<RankRow> call;
    Nanos latest_start = 0;
    for (const RankRow& row : rows) {
        const bool new_part = std::ranges::find(call, row.part, &RankRow::part) == call.end();
        const bool together = !call.empty() && new_part && row.time.begin < call.front().time.end &&
                              latest_start < row.time.end;
        if (!together) {
            add_call(key, call, result);
            call.clear();
        }
        latest_start = call.empty() ? row.time.begin : std::max(latest_start, row.time.begin);
        call.push_back(row);
    }
    add_call(key, call, result);
}

void match_by_number(const Key& key, const std::vector<RankRow>& rows, RankCollectives& result) {
    std::map<uint32_t, std::vector<RankRow>> by_part;
    for (const RankRow& row : rows) by_part[row.part].push_back(row);
    const std::size_t count = by_part.begin()->second.size();
    if (std::ranges::any_of(by_part, [&](const auto& p) { return p.second.size() != count; }))
        return;
    for (std::size_t n = 0; n < count; ++n) {
        std::vector<RankRow> call;
        call.reserve(by_part.size());
        for (const auto& [part, own] : by_part) call.push_back(own[n]);
        add_call(key, call, result);
    }
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
    const Alike alike = alike_calls(parts);
    const bool one_clock = std::ranges::all_of(
        parts, [](const TraceContext* part) { return unix_base(part->trace()).has_value(); });
    if (one_clock)
        for (const auto& [key, rows] : alike) match_by_time(key, rows, result);
    if (result.calls.empty())
        for (const auto& [key, rows] : alike) match_by_number(key, rows, result);
    std::ranges::sort(result.by_slice);
    return result;
}

}  // namespace lanescope
