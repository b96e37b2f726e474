#include "core/analysis/statistics/range_summary.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/lanes.h"
#include "core/analysis/structure/slice_query.h"

namespace lanescope {

namespace {

// Sums by name and category. Most names have a single category, so each name has a short list.
class NameSums {
  public:
    explicit NameSums(std::size_t names) : first_(names, kNoRow) {}

    uint32_t place_of(StringId name, CategoryId category) {
        uint32_t at = first_[name];
        while (at != kNoRow && sums_[at].category != category) at = next_[at];
        return at == kNoRow ? add(name, category) : at;
    }
    NameInRange& operator[](uint32_t place) { return sums_[place]; }
    // Largest total first.
    std::vector<NameInRange> take() {
        std::ranges::stable_sort(sums_, std::greater(), &NameInRange::total);
        return std::move(sums_);
    }

  private:
    uint32_t add(StringId name, CategoryId category) {
        uint32_t* end = &first_[name];
        while (*end != kNoRow) end = &next_[*end];
        *end = static_cast<uint32_t>(sums_.size());
        sums_.push_back({name, category, 0, 0, 0, 0, {}});
        next_.push_back(kNoRow);
        return static_cast<uint32_t>(sums_.size() - 1);
    }

    std::vector<uint32_t> first_;
    std::vector<uint32_t> next_;
    std::vector<NameInRange> sums_;
};

// The slices of one depth in one chunk.
struct RowPart {
    const Chunk* chunk = nullptr;
    uint32_t begin = 0;
    uint32_t end = 0;
};

// The slices of a row in sequence, as parents of the row below.
class Parents {
  public:
    Parents(std::span<const RowPart> row, NameSums& names) : row_(row), names_(names) {
        go_to(row_.empty() ? 0 : row_.front().begin);
    }

    // Subtracts a child from the self time of the slice in which it begins. Children must be sorted
    // by begin.
    void take(Nanos begin, Nanos end) {
        while (next_start_ <= begin && !row_.empty()) advance();
        if (begin < end_) names_[sum_].self -= std::min(end, end_) - begin;
    }

  private:
    void advance() {
        const Chunk& chunk = *row_.front().chunk;
        end_ = chunk.end(next_);
        sum_ = names_.place_of(chunk.name[next_], chunk.category[next_]);
        if (next_ + 1 < row_.front().end) return go_to(next_ + 1);
        row_ = row_.subspan(1);
        go_to(row_.empty() ? 0 : row_.front().begin);
    }

    void go_to(uint32_t next) {
        next_ = next;
        next_start_ = row_.empty() ? kAllTime.end : row_.front().chunk->start[next];
    }

    std::span<const RowPart> row_;  // what is to come; no part is empty
    NameSums& names_;
    uint32_t next_ = 0;
    Nanos next_start_ = 0;
    Nanos end_ = kAllTime.begin;  // of the last that began
    uint32_t sum_ = 0;
};

// Sums one lane's slices that begin in the range, row by row.
class LaneSummer {
  public:
    LaneSummer(const Trace& trace, LaneId id, TimeRange time, NameSums& names)
        : lane_(trace.lanes[id]), time_(time), names_(names) {
        result_.lane = id;
    }

    LaneInRange sum() {
        for (uint32_t depth = 0; depth < lane_.depth_count; ++depth) {
            Parents parents(above_, names_);
            for (const auto& chunk : lane_.chunks) add_row(*chunk, depth, parents);
            std::swap(above_, row_);
            row_.clear();
            // Children may begin after the range ends, up to the end of a parent: the last slice of
            // a row ends last.
            reach_ = time_.end;
            if (!above_.empty())
                reach_ = std::max(reach_, above_.back().chunk->end(above_.back().end - 1));
        }
        return result_;
    }

  private:
    void add_row(const Chunk& chunk, uint32_t depth, Parents& parents) {
        if (depth >= chunk.rows.size()) return;
        const DepthRow& row = chunk.rows[depth];
        const Nanos* const start = chunk.start.begin();
        const Nanos* const reached =
            std::lower_bound(start + row.begin, start + row.end, std::max(reach_, time_.end));
        const Nanos* const first = std::lower_bound(start + row.begin, reached, time_.begin);
        const Nanos* at = first;
        for (; at != reached && *at < time_.end; ++at) {
            const auto i = static_cast<uint32_t>(at - start);
            parents.take(*at, chunk.end(i));
            add(chunk, i);
        }
        if (at != first)
            row_.push_back(
                {&chunk, static_cast<uint32_t>(first - start), static_cast<uint32_t>(at - start)});
        for (; at != reached; ++at) parents.take(*at, chunk.end(static_cast<uint32_t>(at - start)));
    }

    void add(const Chunk& chunk, uint32_t i) {
        const Nanos duration = chunk.duration[i];
        const SliceRef slice{result_.lane, chunk.first + i};
        NameInRange& sum = names_[names_.place_of(chunk.name[i], chunk.category[i])];
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
        sum.self += duration;
        ++result_.count;
    }

    const Lane& lane_;
    TimeRange time_;
    NameSums& names_;
    std::vector<RowPart> above_;
    std::vector<RowPart> row_;
    Nanos reach_ = INT64_MIN;
    LaneInRange result_;
    Nanos longest_ = 0;  // of all of the lane
};

// Derived lanes count only where they are asked for.
bool holds(const Trace& trace, const RangeQuery& query, LaneId lane) {
    return query.lanes.empty() ? !trace.lanes[lane].derived
                               : std::ranges::binary_search(query.lanes, lane);
}

std::vector<GpuInRange> gpus_in(const TraceContext& context, const RangeQuery& query) {
    const Trace& trace = context.trace();
    const auto& slices = trace.gpu_activities.slice;
    const bool some_streams = std::ranges::any_of(
        query.lanes, [&](LaneId lane) { return trace.lanes[lane].kind == LaneKind::stream; });
    std::vector<GpuInRange> devices;
    for (const GpuDevice& device : context.get<GpuDevices>().all) {
        Intervals busy;
        bool any = !some_streams;
        for (const GpuWork& work : device.work) {
            if (some_streams && !holds(trace, query, slices[work.row].lane)) continue;
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
        if (!holds(trace, query, id) || trace.lanes[id].slice_count == 0) continue;
        LaneInRange lane = LaneSummer(trace, id, query.time, names).sum();
        lane.busy = busy_time(trace, trace.lanes[id], query.time);
        summary.slices += lane.count;
        if (lane.count > 0 || lane.busy > 0) summary.lanes.push_back(lane);
    }
    summary.names = names.take();
    summary.devices = gpus_in(context, query);
    return summary;
}

std::vector<NameInRange> slices_by_name(const Trace& trace, const TableQuery& query) {
    NameSums names(trace.strings.size());
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        const Lane& lane = trace.lanes[id];
        if (lane.derived || lane.kind == LaneKind::samples) continue;
        const uint32_t part = trace.processes[lane.process].part;
        if (trace.only_part != kNoRow && part != trace.only_part) continue;
        const auto range = is_gpu_lane(trace, lane) ? query.device_range() : query.range;
        LaneSummer(trace, id, range.value_or(kAllTime), names).sum();
    }
    return names.take();
}

uint64_t count_slices(const Trace& trace, const RangeQuery& query) {
    uint64_t count = 0;
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        if (!holds(trace, query, id)) continue;
        for (const auto& chunk : trace.lanes[id].chunks) {
            for (const DepthRow& row : chunk->rows) {
                const Nanos* const start = chunk->start.begin();
                const Nanos* const begin =
                    std::lower_bound(start + row.begin, start + row.end, query.time.begin);
                const Nanos* const end = std::lower_bound(begin, start + row.end, query.time.end);
                count += static_cast<uint64_t>(end - begin);
            }
        }
    }
    return count;
}

}  // namespace lanescope
