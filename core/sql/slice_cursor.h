// SliceCursor: one scan of the table `slice`, by runs of rows or by a list of ids.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/sql/slice_plan.h"
#include "core/sql/slice_rows.h"

namespace lanescope {

enum class SliceFunction : uint8_t { none, ancestors, descendants };

class SliceCursor {
  public:
    SliceCursor(const SliceRows& rows, SliceFunction function)
        : rows_(rows), trace_(rows.trace()), function_(function) {}

    // Begins a scan; `list_names`: an order of names exists, or is worth making.
    void start(SlicePlan plan, std::span<sqlite3_value*> values, bool list_names);
    void next() {
        if (list_) {
            at_ += step_;
            settle_in_list();
        } else {
            ++index_;
            settle_in_runs();
        }
    }
    bool at_end() const { return ended_; }
    uint32_t id() const { return id_; }
    void give(sqlite3_context* context, int column) const;

  private:
    void read_values(SlicePlan plan, std::span<sqlite3_value*> values);
    // A search by id alone, of which joins make very many.
    void find_one(sqlite3_value* value);
    void set_name(sqlite3_value* value);
    void set_category(sqlite3_value* value, bool list);
    void add_category(sqlite3_value* value);
    void list_own(std::vector<uint32_t> ids);
    void list(std::span<const uint32_t> ids, bool backwards);
    void list_in_order(SlicePlan plan);
    std::span<const uint32_t> in_time(std::span<const uint32_t> ids) const;
    bool lane_may_pass(LaneId lane) const;
    bool enter_next_lane();
    void settle_in_list();
    void settle_in_runs();
    bool enter_next_run();
    bool passes(const SliceRun& run, uint32_t i) const {
        if (use_name_ && run.name[i] != name_) return false;
        if (use_category_ && !categories_[run.category[i]]) return false;
        return true;
    }
    bool passes_time(const SliceRun& run, uint32_t i) const {
        return run.start[i] >= low_ && run.start[i] <= high_;
    }
    uint64_t number_of(const SliceRun& run, uint32_t i) const;

    const SliceRows& rows_;
    const Trace& trace_;
    SliceFunction function_;

    // Conditions that every returned row fulfils.
    Nanos low_ = 0, high_ = 0;
    std::optional<uint32_t> lane_;
    std::optional<uint32_t> one_id_;  // of id, parent or argument
    bool use_name_ = false, use_category_ = false, none_ = false;
    StringId name_ = 0;
    std::vector<uint8_t> categories_;  // by CategoryId

    bool ended_ = true;
    uint32_t id_ = 0;
    const SliceRun* run_ = nullptr;
    uint32_t index_ = 0;  // in *run_
    uint32_t end_ = 0;    // of the scanned part of *run_

    // A scan by runs.
    std::span<const SliceRun> runs_, more_runs_;
    std::size_t next_run_ = 0;
    // A scan by a list.
    bool list_ = false;
    const uint32_t* at_ = nullptr;
    const uint32_t* stop_ = nullptr;
    std::ptrdiff_t step_ = 1;
    std::vector<uint32_t> own_;
    // The next lane of a scan in order of lanes.
    static constexpr LaneId kNoLane = ~LaneId{0};
    LaneId next_lane_ = kNoLane;
    bool first_only_ = false;
    SliceOrder order_ = SliceOrder::any;
    std::optional<uint64_t> last_number_;
};

}  // namespace lanescope
