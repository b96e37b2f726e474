#include "core/analysis/range_summary.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/analysis/lanes.h"

namespace lanescope {

namespace {

// Sums by name and category. Most names have one category, so those of a name are a short list.
class NameSums {
  public:
    explicit NameSums(std::size_t names) : first_(names, kNoRow) {}

    NameInRange& of(StringId name, CategoryId category) {
        uint32_t* at = &first_[name];
        while (*at != kNoRow && sums_[*at].category != category) at = &next_[*at];
        if (*at == kNoRow) {
            *at = static_cast<uint32_t>(sums_.size());
            const uint32_t place = *at;
            sums_.push_back({name, category, 0, 0, 0, 0, {}});
            next_.push_back(kNoRow);
            return sums_[place];
        }
        return sums_[*at];
    }
    // The largest total first.
    std::vector<NameInRange> take() {
        std::ranges::stable_sort(sums_, std::greater(), &NameInRange::total);
        return std::move(sums_);
    }

  private:
    std::vector<uint32_t> first_;
    std::vector<uint32_t> next_;
    std::vector<NameInRange> sums_;
};

struct OpenSlice {
    uint32_t index = 0;  // in the lane
    const Chunk* chunk = nullptr;
    uint32_t local = 0;
    Nanos self = 0;
};

// One lane's slices that begin in the range, row by row: a row's self times are known once the row
// below it was seen.
class LaneSummer {
  public:
    LaneSummer(const Trace& trace, LaneId id, TimeRange time, NameSums& names)
        : lane_(trace.lanes[id]), time_(time), names_(names) {
        result_.lane = id;
    }

    LaneInRange sum() {
        for (uint32_t depth = 0; depth < lane_.depth_count; ++depth) {
            row_.clear();
            parent_ = 0;
            for (const auto& chunk : lane_.chunks) add_row(*chunk, depth);
            finish(above_);
            std::swap(above_, row_);
            // Children may begin after the range does end, as long as a parent reaches there.
            reach_ = time_.end;
            for (const OpenSlice& open : above_)
                reach_ = std::max(reach_, open.chunk->end(open.local));
        }
        finish(above_);
        return result_;
    }

  private:
    void add_row(const Chunk& chunk, uint32_t depth) {
        if (depth >= chunk.rows.size()) return;
        const DepthRow& row = chunk.rows[depth];
        const Nanos* const start = chunk.start.begin();
        const Nanos* const end =
            std::lower_bound(start + row.begin, start + row.end, std::max(reach_, time_.end));
        const Nanos* at = std::lower_bound(start + row.begin, end, time_.begin);
        for (; at != end; ++at) {
            const auto local = static_cast<uint32_t>(at - start);
            take_from_parent(*at, chunk.end(local));
            if (*at < time_.end)
                row_.push_back({chunk.first + local, &chunk, local, chunk.duration[local]});
        }
    }

    void take_from_parent(Nanos start, Nanos end) {
        while (parent_ < above_.size() &&
               above_[parent_].chunk->start[above_[parent_].local] <= start)
            ++parent_;
        if (parent_ == 0) return;
        OpenSlice& parent = above_[parent_ - 1];
        const Nanos parent_end = parent.chunk->end(parent.local);
        if (start < parent_end) parent.self -= std::min(end, parent_end) - start;
    }

    void finish(const std::vector<OpenSlice>& slices) {
        for (const OpenSlice& open : slices) {
            const Nanos duration = open.chunk->duration[open.local];
            const SliceRef slice{result_.lane, open.index};
            NameInRange& sum =
                names_.of(open.chunk->name[open.local], open.chunk->category[open.local]);
            if (!sum.longest || duration > sum.max) {
                sum.longest = slice;
                sum.max = duration;
            }
            if (!result_.longest || duration > longest_) {
                result_.longest = slice;
                longest_ = duration;
            }
            ++sum.count;
            sum.total += duration;
            sum.self += open.self;
        }
        result_.count += slices.size();
    }

    const Lane& lane_;
    TimeRange time_;
    NameSums& names_;
    std::vector<OpenSlice> above_;
    std::vector<OpenSlice> row_;
    std::size_t parent_ = 0;
    Nanos reach_ = INT64_MIN;
    LaneInRange result_;
    Nanos longest_ = 0;  // of all of the lane
};

bool holds(const RangeQuery& query, LaneId lane) {
    return query.lanes.empty() || std::ranges::binary_search(query.lanes, lane);
}

std::vector<GpuInRange> gpus_in(const TraceContext& context, const RangeQuery& query) {
    const Trace& trace = context.trace();
    const auto& slices = trace.gpu_activities.slice;
    const bool some_streams = std::ranges::any_of(
        query.lanes, [&](LaneId lane) { return trace.lanes[lane].kind == LaneKind::stream; });
    std::vector<GpuInRange> devices;
    for (const GpuDevice& device : context.gpu_devices()) {
        Intervals busy;
        bool any = !some_streams;
        for (const GpuWork& work : device.work) {
            if (some_streams && !holds(query, slices[work.row].lane)) continue;
            any = true;
            const TimeRange cut{std::max(work.range.begin, query.time.begin),
                                std::min(work.range.end, query.time.end)};
            if (cut.begin < cut.end) append_merged(busy, cut);
        }
        if (!any) continue;
        const Nanos length = total_length(busy);
        devices.push_back({device.process, device.device, length, query.time.length() - length});
    }
    return devices;
}

}  // namespace

RangeSummary summarise_range(const TraceContext& context, const RangeQuery& query) {
    const Trace& trace = context.trace();
    RangeSummary summary;
    summary.query = query;
    NameSums names(trace.strings.size());
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        if (!holds(query, id) || trace.lanes[id].slice_count == 0) continue;
        LaneInRange lane = LaneSummer(trace, id, query.time, names).sum();
        lane.busy = busy_time(trace, trace.lanes[id], query.time);
        summary.slices += lane.count;
        if (lane.count > 0 || lane.busy > 0) summary.lanes.push_back(lane);
    }
    summary.names = names.take();
    summary.devices = gpus_in(context, query);
    return summary;
}

std::vector<NameInRange> slices_by_name(const Trace& trace, std::optional<TimeRange> range) {
    NameSums names(trace.strings.size());
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        const Lane& lane = trace.lanes[id];
        if (lane.derived || lane.kind == LaneKind::samples) continue;
        const uint32_t part = trace.processes[lane.process].part;
        if (trace.only_part != kNoRow && part != trace.only_part) continue;
        LaneSummer(trace, id, range.value_or(kAllTime), names).sum();
    }
    return names.take();
}

uint64_t count_slices(const Trace& trace, const RangeQuery& query) {
    uint64_t count = 0;
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        if (!holds(query, id)) continue;
        for (const auto& chunk : trace.lanes[id].chunks) {
            for (const DepthRow& row : chunk->rows) {
                const Nanos* const start = chunk->start.begin();
                const Nanos* const end =
                    std::lower_bound(start + row.begin, start + row.end, query.time.end);
                const Nanos* begin = std::lower_bound(start + row.begin, end, query.time.begin);
                // The one before may reach into the range.
                const auto before = static_cast<uint32_t>(begin - start);
                if (before > row.begin && chunk->end(before - 1) > query.time.begin) --begin;
                count += static_cast<uint64_t>(end - begin);
            }
        }
    }
    return count;
}

}  // namespace lanescope
