#include "core/analysis/ranks/rank_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <tuple>
#include <utility>

#include "core/analysis/collectives/collective_numbers.h"
#include "core/analysis/collectives/message_shape.h"
#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/steps.h"
#include "core/trace/clock.h"

namespace lanescope {

namespace {

StringId text_or_none(const Column<StringId>& column, uint32_t row) {
    return row == kNoRow || column.empty() ? 0 : column[row];
}

uint32_t program_of_process(const Trace& trace, uint32_t process) {
    const uint32_t owner = trace.processes[process].owner;
    return owner == kNoRow ? process : owner;
}

// Finds the member that made each collective.
class MemberFinder {
  public:
    MemberFinder(const TraceContext& context, RankData& data)
        : trace_(context.trace()),
          devices_(context.get<GpuDevices>().all),
          data_(data),
          device_of_(trace_.gpu_activities.slice.size(), kNoRow),
          member_of_device_(devices_.size(), kNoRow) {
        for (uint32_t d = 0; d < devices_.size(); ++d)
            for (const GpuWork& work : devices_[d].work) device_of_[work.row] = d;
        std::vector<bool> takes_part(devices_.size());
        const auto& rows = context.get<AllCollectives>().rows;
        for (const CollectiveRow& row : rows)
            if (row.activity != kNoRow && device_of_[row.activity] != kNoRow)
                takes_part[device_of_[row.activity]] = true;
        for (uint32_t d = 0; d < devices_.size(); ++d)
            if (takes_part[d]) member_of_device_[d] = add(devices_[d].process, d);
    }

    uint32_t member_of(const CollectiveRow& row) {
        if (row.activity != kNoRow) {
            const uint32_t device = device_of_[row.activity];
            return device == kNoRow ? kNoRow : member_of_device_[device];
        }
        const uint32_t program = program_of_process(trace_, trace_.lanes[row.slice.lane].process);
        for (uint32_t d = 0; d < devices_.size(); ++d)
            if (member_of_device_[d] != kNoRow &&
                program_of_process(trace_, devices_[d].process) == program)
                return member_of_device_[d];
        const auto [found, added] = on_host_.try_emplace(program, 0);
        if (added) found->second = add(program, kNoRow);
        return found->second;
    }

  private:
    uint32_t add(uint32_t process, uint32_t device) {
        RankMember member;
        member.trace = trace_.processes[process].part;
        member.rank = static_cast<int64_t>(data_.members.size());
        member.device = device;
        data_.members.push_back(std::move(member));
        return static_cast<uint32_t>(data_.members.size() - 1);
    }

    const Trace& trace_;
    const std::vector<GpuDevice>& devices_;
    RankData& data_;
    std::vector<uint32_t> device_of_;         // by row of gpu_activities
    std::vector<uint32_t> member_of_device_;  // by index of GpuDevices::all
    std::map<uint32_t, uint32_t> on_host_;    // by program: the member without a GPU
};

// Pieces of one call share a key. Without a recorded group, calls are numbered by stream.
using PieceKey = std::tuple<uint32_t, StringId, StringId, bool, LaneId, int64_t>;

class CallCollector {
  public:
    CallCollector(const TraceContext& context, RankData& data)
        : context_(context), trace_(context.trace()), data_(data) {}

    void add(const CollectiveRow& row, uint32_t member) {
        const Collectives& recorded = trace_.collectives;
        const StringId name = text_or_none(recorded.group_name, row.keys);
        const StringId ranks = text_or_none(recorded.group_ranks, row.keys);
        const bool is_transfer = row.type == CollectiveType::send_receive;
        const bool has_group = name != 0 || ranks != 0;
        const CollectiveNumber number = numbers_.of(row.slice);
        const TimeRange time{trace_.start(row.slice) + base_, trace_.slice_end(row.slice) + base_};
        const PieceKey key{
            member,       name, ranks, is_transfer, has_group ? SliceRef::no_index : row.slice.lane,
            number.number};
        const auto [found, added] = places_.try_emplace(key, data_.calls.size());
        if (number.number != kNoValue && !added) {
            RankCall& whole = data_.calls[found->second];
            whole.time.begin = std::min(whole.time.begin, time.begin);
            whole.time.end = std::max(whole.time.end, time.end);
            if (whole.bytes == kNoValue) whole.bytes = row.bytes;
            return;
        }
        RankCall call;
        call.member = member;
        call.group = has_group ? group_text(name, ranks) : 0;
        call.kind = row.type;
        call.group_size = row.group_size;
        if (number.is_recorded) call.sequence = number.number;
        call.step = step_of(row);
        if (is_transfer) add_peer(row, call);
        call.bytes = row.bytes;
        call.time = time;
        call.on_host = row.activity == kNoRow;
        call.slice = row.slice;
        data_.calls.push_back(call);
    }

  private:
    StringId group_text(StringId name, StringId ranks) {
        const auto [found, added] = groups_.try_emplace({name, ranks}, 0);
        if (added) {
            const std::string_view separator = name != 0 && ranks != 0 ? " " : "";
            found->second = data_.texts.intern(
                fmt::format("{}{}{}", trace_.strings[name], separator, trace_.strings[ranks]));
        }
        return found->second;
    }

    void add_peer(const CollectiveRow& row, RankCall& call) const {
        const Collectives& recorded = trace_.collectives;
        if (row.keys == kNoRow) return;
        if (!recorded.peer.empty()) call.peer = recorded.peer[row.keys];
        const std::string_view name = trace_.strings[recorded.name[row.keys]];
        const bool sends = name.find("send") != std::string_view::npos;
        const bool receives = name.find("recv") != std::string_view::npos;
        if (sends != receives) call.sends = sends ? 1 : 0;
    }

    // Only the profiler's step numbers agree between files.
    int64_t step_of(const CollectiveRow& row) const {
        if (steps_.source != StepSource::profiler) return kNoValue;
        const uint32_t process = trace_.lanes[row.slice.lane].process;
        const uint32_t step = row.activity == kNoRow ? steps_.at(process, trace_.start(row.slice))
                                                     : step_of_work_[row.activity];
        return step == kNoRow ? kNoValue : steps_.all[step].index;
    }

    const TraceContext& context_;
    const Trace& trace_;
    RankData& data_;
    const CollectiveNumbers& numbers_ = context_.get<CollectiveNumbers>();
    const Steps& steps_ = context_.get<Steps>();
    const std::vector<uint32_t>& step_of_work_ = context_.get<DeviceSteps>().step_of_work;
    const Nanos base_ = unix_base(trace_).value_or(0);
    std::map<PieceKey, std::size_t> places_;  // indices in RankData::calls
    std::map<std::pair<StringId, StringId>, StringId> groups_;
};

void number_rank_calls(RankData& data) {
    std::ranges::stable_sort(data.calls, {}, [](const RankCall& call) {
        return std::pair(call.member, call.time.begin);
    });
    uint32_t next = 0;
    for (std::size_t i = 0; i < data.calls.size(); ++i) {
        if (i > 0 && data.calls[i].member != data.calls[i - 1].member) next = 0;
        data.calls[i].call = next++;
    }
}

}  // namespace

void add_rank_calls(const TraceContext& context, RankData& data) {
    MemberFinder members(context, data);
    CallCollector calls(context, data);
    for (const CollectiveRow& row : context.get<AllCollectives>().rows)
        if (const uint32_t member = members.member_of(row); member != kNoRow)
            calls.add(row, member);
    number_rank_calls(data);
    const int64_t rank = own_rank(context.trace());
    const int64_t size = world_size(context.trace());
    if (data.members.empty()) data.members.emplace_back();  // a rank without collectives
    for (RankMember& member : data.members) member.world_size = size;
    if (data.members.size() != 1 || rank == kNoValue) return;
    data.members.front().rank = rank;
    data.members.front().rank_from = RankFrom::recorded;
}

}  // namespace lanescope
