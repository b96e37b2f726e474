#include "core/analysis/collectives/collective_numbers.h"

#include <algorithm>
#include <compare>
#include <map>

#include "core/analysis/collectives/collectives.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"

namespace lanescope {

namespace {

struct GroupKey {
    uint32_t process = 0;
    bool sends = false;
    StringId name = 0;
    StringId ranks = 0;
    LaneId lane = SliceRef::no_index;  // set only if the group is not recorded

    friend auto operator<=>(const GroupKey&, const GroupKey&) = default;
};

struct NumberedCall {
    SliceRef slice;
    SliceRef call;  // the recorded call that launched the collective; none: not recorded
    Nanos launched = 0;
    int64_t recorded = kNoValue;
};
// Sorted by launch time if all launches are known, otherwise by start.
struct CallGroup {
    std::vector<NumberedCall> calls;
    bool has_launches = true;
};

// The innermost call around a launch that states what was sent.
SliceRef recorded_call(const TraceContext& context, SliceRef launch) {
    if (!launch) return {};
    const Column<SliceRef>& slices = context.trace().collectives.slice;
    for (const SliceRef call : enclosing(context.get<CallTrees>().by_lane, launch))
        if (find_row(slices, call) != kNoRow) return call;
    return {};
}

uint32_t program_of(const Trace& trace, const CollectiveRow& row) {
    const uint32_t own = trace.lanes[row.launch ? row.launch.lane : row.slice.lane].process;
    const uint32_t owner = trace.processes[own].owner;
    return owner == kNoRow ? own : owner;
}

StringId text_in(const Column<StringId>& column, uint32_t row) {
    return row == kNoRow || column.empty() ? 0 : column[row];
}

GroupKey group_of(const Trace& trace, const CollectiveRow& row) {
    GroupKey key;
    key.process = program_of(trace, row);
    key.name = text_in(trace.collectives.group_name, row.keys);
    key.ranks = text_in(trace.collectives.group_ranks, row.keys);
    if (key.name != 0 || key.ranks != 0)
        key.sends = row.type == CollectiveType::send_receive;
    else if (row.activity != kNoRow)
        key.lane = row.slice.lane;
    return key;
}

int64_t recorded_number(const Trace& trace, uint32_t keys, SliceRef call) {
    const Column<int64_t>& sequence = trace.collectives.sequence;
    if (sequence.empty()) return kNoValue;
    if (keys != kNoRow && sequence[keys] != kNoValue) return sequence[keys];
    return call ? sequence[find_row(trace.collectives.slice, call)] : kNoValue;
}

std::map<GroupKey, CallGroup> groups_of(const TraceContext& context) {
    const Trace& trace = context.trace();
    std::map<GroupKey, CallGroup> groups;
    for (const CollectiveRow& row : context.get<AllCollectives>().rows) {
        CallGroup& group = groups[group_of(trace, row)];
        NumberedCall& call = group.calls.emplace_back();
        call.slice = row.slice;
        call.call = recorded_call(context, row.launch);
        call.recorded = recorded_number(trace, row.keys, call.call);
        call.launched = row.launch ? trace.start(row.launch) : 0;
        group.has_launches = group.has_launches && row.launch;
    }
    for (auto& [key, group] : groups)
        if (group.has_launches) std::ranges::stable_sort(group.calls, {}, &NumberedCall::launched);
    return groups;
}

void number_calls(const CallGroup& group, CollectiveNumbers& numbers) {
    const bool recorded = std::ranges::any_of(
        group.calls, [](const NumberedCall& call) { return call.recorded != kNoValue; });
    int64_t counted = 0;
    SliceRef last;
    for (const NumberedCall& call : group.calls) {
        if (!call.call || call.call != last) ++counted;
        last = call.call;
        numbers.by_slice.push_back(
            {call.slice,
             {recorded ? call.recorded : counted, recorded && call.recorded != kNoValue}});
    }
}

}  // namespace

CollectiveNumber CollectiveNumbers::of(SliceRef slice) const {
    const auto found = std::ranges::lower_bound(by_slice, slice, {},
                                                &std::pair<SliceRef, CollectiveNumber>::first);
    return found != by_slice.end() && found->first == slice ? found->second : CollectiveNumber();
}

CollectiveNumbers CollectiveNumbers::compute(const TraceContext& context) {
    CollectiveNumbers numbers;
    for (const auto& [key, group] : groups_of(context)) number_calls(group, numbers);
    std::ranges::sort(numbers.by_slice, {}, &std::pair<SliceRef, CollectiveNumber>::first);
    return numbers;
}

}  // namespace lanescope
