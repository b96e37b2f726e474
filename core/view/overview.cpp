#include "core/view/overview.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/view/row_walk.h"

namespace lanescope {

namespace {

bool is_work(EventClass c) {
    switch (c) {
        case EventClass::op:
        case EventClass::runtime:
        case EventClass::kernel:
        case EventClass::memory:
        case EventClass::communication:
        case EventClass::sync:
            return true;
        default:
            return false;
    }
}

// Sums, by column, the time that a row's slices cover.
class BusyTime {
  public:
    BusyTime(const ViewIndex& index, TimeRange range, std::size_t columns)
        : slots_(index.slots()),
          range_(range),
          columns_per_nano_(static_cast<double>(columns) /
                            static_cast<double>(std::max<Nanos>(range.length(), 1))),
          work_(columns),
          any_(columns) {}

    void slices(const Chunk& chunk, uint32_t begin, uint32_t end) {
        for (uint32_t i = begin; i < end; ++i)
            add(column_of(chunk.start[i]), column_of(chunk.end(i)), 1,
                slots_.class_of(chunk.name[i], chunk.category[i]));
    }

    void lone_slice(const LoneSlice& slice) {
        add(column_of(slice.start), column_of(slice.stop), 1,
            slots_.class_of(slice.name, slice.category));
    }

    void short_slices(const ShortSlices& group) {
        add(column_of(group.cell_start), column_of(group.cell_start + group.cell_width),
            std::min(static_cast<double>(group.cover), 1.0),
            slots_.class_of(group.name, group.category));
    }

    const std::vector<float>& work() const { return work_; }
    const std::vector<float>& any() const { return any_; }
    bool has_work() const { return has_work_; }

  private:
    double column_of(Nanos t) const {
        return static_cast<double>(t - range_.begin) * columns_per_nano_;
    }

    void add(double x0, double x1, double cover, EventClass c) {
        const bool work = is_work(c);
        has_work_ = has_work_ || work;
        x0 = std::max(x0, 0.0);
        x1 = std::min(x1, static_cast<double>(any_.size()));
        for (auto column = static_cast<std::size_t>(x0); static_cast<double>(column) < x1;
             ++column) {
            const auto left = static_cast<double>(column);
            const auto part =
                static_cast<float>((std::min(x1, left + 1) - std::max(x0, left)) * cover);
            any_[column] += part;
            if (work) work_[column] += part;
        }
    }

    const SlotTable& slots_;
    TimeRange range_;
    double columns_per_nano_;
    std::vector<float> work_;
    std::vector<float> any_;
    bool has_work_ = false;
};

void take_max(std::vector<float>& into, const std::vector<float>& from) {
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i] = std::max(into[i], std::min(from[i], 1.0F));
}

void add_part(std::vector<float>& into, const std::vector<float>& from, float part) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] += std::min(from[i], 1.0F) * part;
}

// Nearly always busy: for this part of the time of a column, in this part of all columns.
constexpr float kNearlyAlways = 0.9f;

bool is_nearly_always_busy(const std::vector<float>& columns) {
    const auto busy = std::ranges::count_if(columns, [](float c) { return c >= kNearlyAlways; });
    return static_cast<float>(busy) >= kNearlyAlways * static_cast<float>(columns.size());
}

// The CPU's part of an overview, collected lane by lane.
struct CpuBusy {
    explicit CpuBusy(uint32_t columns) : most(columns), sum(columns) {}

    void add(const std::vector<float>& lane) {
        take_max(most, lane);
        add_part(sum, lane, 1);
    }

    std::vector<float> most;  // of the busiest lane
    std::vector<float> sum;   // of all lanes
};

}  // namespace

Overview build_overview(const ViewIndex& index, TimeRange range, uint32_t columns) {
    Overview overview;
    overview.range = range;
    overview.gpu.assign(columns, 0);
    CpuBusy work(columns);
    CpuBusy any(columns);
    std::map<uint32_t, std::vector<float>> device_busy;  // by process
    bool cpu_has_work = false;
    // Half a column, so that a cell adds only a small part of a column beyond its slices.
    const double cell = static_cast<double>(range.length()) / columns / 2;

    const Trace& trace = *index.trace;
    for (const Lane& lane : trace.lanes) {
        const bool gpu = lane.kind == LaneKind::stream && trace.processes[lane.process].is_gpu;
        if (!gpu && lane.kind != LaneKind::thread) continue;
        std::vector<float> lane_work(columns, 0);
        std::vector<float> lane_any(columns, 0);
        for (uint32_t depth = 0; depth < lane.depth_count; ++depth) {
            BusyTime busy(index, range, columns);
            RowWalk walk(range, cell, busy);
            walk.lane(lane, depth);
            if (gpu) {
                // Activities of one stream do not nest; ranges that the profiler projects onto it
                // are not counted.
                auto& device = device_busy.try_emplace(lane.process, columns, 0.0F).first->second;
                add_part(device, busy.work(), 1);
            } else {
                // Nested calls lie inside each other, so the fullest row of a lane is close to the
                // union.
                take_max(lane_work, busy.work());
                take_max(lane_any, busy.any());
                cpu_has_work = cpu_has_work || busy.has_work();
            }
        }
        work.add(lane_work);
        any.add(lane_any);
    }
    CpuBusy& cpu = cpu_has_work ? work : any;
    overview.has_gpu = !device_busy.empty();
    const float most_threads = *std::ranges::max_element(cpu.sum);
    overview.counts_threads =
        !overview.has_gpu && most_threads > 1.5F && is_nearly_always_busy(cpu.most);
    if (overview.counts_threads)
        // The square root keeps a column with one busy thread visible beside one with a hundred.
        for (float& column : cpu.sum) column = std::sqrt(column / most_threads);
    overview.cpu = std::move(overview.counts_threads ? cpu.sum : cpu.most);
    for (const auto& [process, busy] : device_busy)
        add_part(overview.gpu, busy, 1.0F / static_cast<float>(device_busy.size()));
    return overview;
}

}  // namespace lanescope
