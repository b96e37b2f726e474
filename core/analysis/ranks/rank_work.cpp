#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/analysis/gpu/gaps.h"
#include "core/analysis/ranks/rank_calls.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/steps.h"
#include "core/trace/clock.h"

namespace lanescope {

namespace {

constexpr std::array<std::string_view, 5> kWorkNames = {"kernel", "copy", "set", "collective",
                                                        "gap"};

RankWorkKind kind_of_work(WorkKind kind) {
    switch (kind) {
        case WorkKind::communication:
            return RankWorkKind::collective;
        case WorkKind::copy:
            return RankWorkKind::copy;
        case WorkKind::set:
            return RankWorkKind::set;
        case WorkKind::compute:
            break;
    }
    return RankWorkKind::kernel;
}

auto sort_key(const RankWork& work) {
    return std::tuple(work.member, work.call, work.what, work.name, work.grid);
}

// Sorts rows, and merges rows that differ only in count and time.
void merge_work(std::vector<RankWork>& rows) {
    std::ranges::sort(rows, {}, sort_key);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (kept > 0 && sort_key(rows[kept - 1]) == sort_key(rows[i])) {
            rows[kept - 1].count += rows[i].count;
            rows[kept - 1].time += rows[i].time;
        } else {
            rows[kept++] = rows[i];
        }
    }
    rows.resize(kept);
}

// Collects the work of one member between its calls.
class WorkCollector {
  public:
    WorkCollector(const TraceContext& context, RankData& data)
        : trace_(context.trace()),
          data_(data),
          texts_(trace_.strings.size(), StringPool::none),
          grids_(trace_.launch_configs.size(), StringPool::none),
          type_of_(trace_.gpu_activities.slice.size(), CollectiveType::unknown) {
        for (const CollectiveRow& row : context.get<AllCollectives>().rows)
            if (row.activity != kNoRow) type_of_[row.activity] = row.type;
    }

    // Reads the starts of the member's calls, on the trace's clock.
    void begin_member(uint32_t member) {
        member_ = member;
        begins_.clear();
        const Nanos base = unix_base(trace_).value_or(0);
        auto call = std::ranges::lower_bound(data_.calls, member, {}, &RankCall::member);
        for (; call != data_.calls.end() && call->member == member; ++call)
            begins_.push_back(call->time.begin - base);
        rows_.clear();
    }

    void add(const GpuWork& work) {
        RankWork row;
        row.what = kind_of_work(work.kind);
        row.name = row.what == RankWorkKind::collective
                       ? data_.texts.intern(collective_type_name(type_of_[work.row]))
                       : text_of(trace_.name_id(trace_.gpu_activities.slice[work.row]));
        if (row.what == RankWorkKind::kernel) row.grid = grid_of(work.row);
        add(row, work.range);
    }

    void add_gap(std::string_view cause, TimeRange range) {
        RankWork row;
        row.what = RankWorkKind::gap;
        row.name = data_.texts.intern(cause);
        add(row, range);
    }

    void end_member() {
        merge_work(rows_);
        data_.work.insert(data_.work.end(), rows_.begin(), rows_.end());
    }

  private:
    // Interval i is the time between the starts of calls i - 1 and i.
    void add(RankWork row, TimeRange range) {
        row.member = member_;
        auto next = std::ranges::upper_bound(begins_, range.begin);
        row.count = 1;
        for (Nanos from = range.begin; next != begins_.end(); ++next) {
            const Nanos to = std::min(*next, range.end);
            if (next != begins_.begin()) {
                row.call = static_cast<uint32_t>(next - begins_.begin());
                row.time = to - from;
                rows_.push_back(row);
            }
            row.count = 0;
            from = to;
            if (to >= range.end) break;
        }
    }

    StringId text_of(StringId text) {
        StringId& known = texts_[text];
        if (known == StringPool::none) known = data_.texts.intern(trace_.strings[text]);
        return known;
    }

    StringId grid_of(uint32_t activity) {
        const Column<uint32_t>& configs = trace_.gpu_activities.config;
        if (configs.empty() || configs[activity] == kNoRow) return 0;
        StringId& known = grids_[configs[activity]];
        if (known == StringPool::none) {
            const LaunchConfig& config = trace_.launch_configs[configs[activity]];
            known = config.grid[0] == 0
                        ? 0
                        : data_.texts.intern(fmt::format(
                              "{},{},{}/{},{},{}", config.grid[0], config.grid[1], config.grid[2],
                              config.block[0], config.block[1], config.block[2]));
        }
        return known;
    }

    const Trace& trace_;
    RankData& data_;
    std::vector<StringId> texts_;          // id in `data_` by id in the trace
    std::vector<StringId> grids_;          // by row of launch_configs
    std::vector<CollectiveType> type_of_;  // by row of gpu_activities
    uint32_t member_ = 0;
    std::vector<Nanos> begins_;
    std::vector<RankWork> rows_;
};

// For each program, when its threads are in their data loader.
std::vector<Intervals> loading_by_program(const Trace& trace) {
    std::vector<bool> loads(trace.strings.size());
    for (StringId id = 0; id < trace.strings.size(); ++id)
        loads[id] = is_data_loading(trace.strings[id]);
    std::vector<Intervals> loading(trace.processes.size());
    if (std::ranges::find(loads, true) == loads.end()) return loading;
    std::vector<std::vector<TimeRange>> ranges(trace.processes.size());
    for (const Lane& lane : trace.lanes) {
        if (lane.kind != LaneKind::thread) continue;
        const LaneView view(lane);
        for (uint32_t i = 0; i < view.size(); ++i)
            if (loads[view.name(i)]) ranges[lane.process].push_back({view.start(i), view.end(i)});
    }
    for (std::size_t p = 0; p < ranges.size(); ++p) loading[p] = merged(std::move(ranges[p]));
    return loading;
}

// Data loading by the program that launched the device's work. If that program is unknown, data
// loading by all programs of the device's file.
Intervals loading_of_device(const Trace& trace, const std::vector<Intervals>& by_program,
                            const GpuDevice& device) {
    const Process& own = trace.processes[device.process];
    if (own.owner != kNoRow) return by_program[own.owner];
    Intervals all;
    for (uint32_t p = 0; p < by_program.size(); ++p)
        if (trace.processes[p].part == own.part) add(all, by_program[p]);
    return all;
}

void add_gaps(const Column<IdleGap>& gaps, const GpuDevice& device, const Intervals& loading,
              WorkCollector& collector) {
    for (const IdleGap& gap : gaps) {
        if (!gap.of_device || gap.process != device.process || gap.device != device.device)
            continue;
        const std::string_view cause = gap_cause_name(gap.cause);
        const Intervals loads = intersect({gap.range}, loading);
        for (const TimeRange range : loads) collector.add_gap(kDataLoaderGap, range);
        for (const TimeRange range : subtract({gap.range}, loads))
            collector.add_gap(cause.empty() ? "unknown" : cause, range);
    }
}

}  // namespace

std::string_view rank_work_name(RankWorkKind kind) {
    return kWorkNames[static_cast<std::size_t>(kind)];
}

std::optional<RankWorkKind> rank_work_of(std::string_view name) {
    const auto* const found = std::ranges::find(kWorkNames, name);
    if (found == kWorkNames.end()) return std::nullopt;
    return static_cast<RankWorkKind>(found - kWorkNames.begin());
}

void sort_rank_data(RankData& data) {
    std::ranges::stable_sort(
        data.calls, {}, [](const RankCall& call) { return std::pair(call.member, call.call); });
    merge_work(data.work);
}

void add_rank_work(const TraceContext& context, RankData& data) {
    const std::vector<GpuDevice>& devices = context.get<GpuDevices>().all;
    const std::vector<Intervals> by_program = loading_by_program(context.trace());
    WorkCollector collector(context, data);
    for (uint32_t m = 0; m < data.members.size(); ++m) {
        if (data.members[m].device == kNoRow) continue;
        const GpuDevice& device = devices[data.members[m].device];
        collector.begin_member(m);
        for (const GpuWork& work : device.work) collector.add(work);
        add_gaps(context.get<AllIdleGaps>().rows, device,
                 loading_of_device(context.trace(), by_program, device), collector);
        collector.end_member();
    }
}

}  // namespace lanescope
