// SliceRows: the slices and instants of a trace as numbered rows, in the orders that queries ask
// for.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// Neighbouring rows of one depth of a lane, or the instants of a lane, ascending in time. The
// pointers refer to the trace's own columns.
struct SliceRun {
    const Nanos* start = nullptr;
    const Nanos* duration = nullptr;  // null: instants
    const StringId* name = nullptr;
    const CategoryId* category = nullptr;
    const uint64_t* source = nullptr;
    uint32_t first = 0;  // id of the first row
    uint32_t count = 0;
    LaneId lane = 0;
    uint32_t depth = 0;  // of slices
};

// Row ids: all slices of the file by (lane, index), then all instants by (lane, time). Thread-safe;
// the trace must outlive it.
class SliceRows {
  public:
    explicit SliceRows(const Trace& trace);
    SliceRows(const SliceRows&) = delete;
    SliceRows& operator=(const SliceRows&) = delete;

    const Trace& trace() const { return trace_; }
    uint32_t count() const { return count_; }
    uint32_t slice_count() const { return slice_count_; }
    std::span<const SliceRun> runs() const { return runs_; }
    // The runs with slices, or with instants, of a lane.
    std::span<const SliceRun> slice_runs(LaneId lane) const;
    std::span<const SliceRun> instant_runs(LaneId lane) const;

    const SliceRun& run_of(uint32_t id) const {
        uint32_t run = run_of_block_[id >> kBlockShift];
        while (id - runs_[run].first >= runs_[run].count) ++run;
        return runs_[run];
    }
    bool is_instant(uint32_t id) const { return id >= slice_count_; }
    uint32_t id_of(SliceRef slice) const { return first_of_lane_[slice.lane] + slice.index; }
    SliceRef slice_of(uint32_t id) const;  // not of instants
    uint32_t depth(uint32_t id) const;
    // The innermost slice of the lane that contains this row completely. Slices that overlap only
    // partly, such as kernels that run at the same time, are not parents of each other, although
    // they have different depths.
    std::optional<uint32_t> parent(uint32_t id) const;
    // The rows whose parent is this row; and those, their children, and so on.
    std::vector<uint32_t> children(uint32_t id) const;
    std::vector<uint32_t> descendants(uint32_t id) const;

    // All ids by (time, lane, depth); by (text of the name, id); by (text of the category, id).
    // Computed on first use.
    std::span<const uint32_t> by_time() const;
    std::span<const uint32_t> by_name() const;
    std::span<const uint32_t> by_category() const;
    // The ids of a lane by (time, depth), and the part of by_name() of one name.
    std::span<const uint32_t> of_lane(LaneId lane) const;
    std::span<const uint32_t> of_name(StringId name) const;

  private:
    static constexpr unsigned kBlockShift = 10;

    void add_slices(LaneId lane);
    void add_instants(LaneId lane);
    SliceRef innermost(LaneId lane, Nanos time) const;
    Nanos start_of_row(uint32_t id) const {
        const SliceRun& run = run_of(id);
        return run.start[id - run.first];
    }
    // The slices of a lane whose parent is more than one depth above, by start.
    std::span<const uint32_t> deeper_children(LaneId lane) const;
    void add_children(uint32_t id, std::vector<uint32_t>& inside) const;

    const Trace& trace_;
    uint32_t count_ = 0;
    uint32_t slice_count_ = 0;
    std::vector<SliceRun> runs_;
    std::vector<uint32_t> run_of_block_;    // by id >> kBlockShift: the run of the first id
    std::vector<uint32_t> first_of_lane_;   // by lane: the id of its first slice
    std::vector<uint32_t> slice_runs_at_;   // by lane: its first run with slices
    std::vector<uint32_t> instant_run_at_;  // by lane: its first run with instants

    struct LaneRows {
        std::once_flag once;
        std::vector<uint32_t> rows;
    };

    mutable std::once_flag time_once_, name_once_, category_once_;
    mutable std::vector<uint32_t> by_time_, by_name_, by_category_;
    mutable std::deque<LaneRows> of_lanes_;  // by lane
    mutable std::deque<LaneRows> deeper_of_lanes_;
    mutable std::vector<uint32_t> name_first_;  // by StringId, in by_name_
    mutable std::vector<uint32_t> name_count_;
};

}  // namespace lanescope
