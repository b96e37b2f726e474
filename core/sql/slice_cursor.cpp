#include "core/sql/slice_cursor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/sql/sql_values.h"

namespace lanescope {

void SliceCursor::set_name(sqlite3_value* value) {
    use_name_ = true;
    name_ = is_comparable_text(value) ? trace_.strings.find(text_of(value)) : StringPool::none;
    // The empty text means that there is no name: it is null.
    none_ = none_ || name_ == StringPool::none || name_ == 0;
}

void SliceCursor::add_category(sqlite3_value* value) {
    if (!is_comparable_text(value)) return;
    const std::string_view text = text_of(value);
    for (std::size_t i = 0; i < categories_.size(); ++i)
        if (!text.empty() && trace_.strings[trace_.categories[i].name] == text) categories_[i] = 1;
}

void SliceCursor::set_category(sqlite3_value* value, bool list) {
    use_category_ = true;
    categories_.assign(trace_.categories.size(), 0);
    if (list) {
        sqlite3_value* one = nullptr;
        for (int result = sqlite3_vtab_in_first(value, &one); result == SQLITE_OK && one;
             result = sqlite3_vtab_in_next(value, &one))
            add_category(one);
    } else {
        add_category(value);
    }
    none_ = none_ || std::ranges::find(categories_, 1) == categories_.end();
}

void SliceCursor::read_values(SlicePlan plan, std::span<sqlite3_value*> values) {
    low_ = std::numeric_limits<Nanos>::min();
    high_ = std::numeric_limits<Nanos>::max();
    lane_.reset();
    one_id_.reset();
    use_name_ = use_category_ = none_ = false;
    std::size_t next = 0;
    const auto take = [&](SliceUse use) -> sqlite3_value* {
        return plan.uses & use ? values[next++] : nullptr;
    };
    const auto number = [&](sqlite3_value* value, std::size_t limit) -> std::optional<uint32_t> {
        const auto whole = whole_number(value);
        if (whole && *whole >= 0 && static_cast<uint64_t>(*whole) < limit)
            return static_cast<uint32_t>(*whole);
        none_ = true;
        return std::nullopt;
    };
    for (const SliceUse use : {kUseStart, kUseId, kUseParent})
        if (sqlite3_value* const value = take(use)) {
            const auto id = number(value, rows_.count());
            // Several of them are rare: their rows are tested one by one.
            if (id && !one_id_) one_id_ = id;
        }
    if (sqlite3_value* const value = take(kUseTrack)) lane_ = number(value, trace_.lanes.size());
    if (sqlite3_value* const value = take(kUseName)) set_name(value);
    if (sqlite3_value* const value = take(kUseCategory)) set_category(value, plan.category_list);
    for (const SliceUse use : {kUseTsEqual, kUseTsLow, kUseTsHigh}) {
        sqlite3_value* const value = take(use);
        if (!value) continue;
        none_ = none_ || is_null(value);
        const TimeRange range = range_around(value);
        if (use != kUseTsHigh) low_ = std::max(low_, range.begin);
        if (use != kUseTsLow) high_ = std::min(high_, range.end);
    }
}

void SliceCursor::list(std::span<const uint32_t> ids, bool backwards) {
    list_ = true;
    ended_ = false;
    step_ = backwards ? -1 : 1;
    if (ids.empty()) {
        at_ = stop_ = nullptr;
        settle_in_list();
        return;
    }
    at_ = backwards ? &ids.back() : ids.data();
    stop_ = backwards ? ids.data() - 1 : ids.data() + ids.size();
    settle_in_list();
}

void SliceCursor::list_own(std::vector<uint32_t> ids) {
    own_ = std::move(ids);
    list(own_, false);
}

void SliceCursor::list_in_order(SlicePlan plan) {
    if (plan.order == SliceOrder::name) {
        list(use_name_ ? rows_.of_name(name_) : rows_.by_name(), false);
        return;
    }
    if (plan.order == SliceOrder::category) {
        list(rows_.by_category(), false);
        return;
    }
    if (plan.order == SliceOrder::lane && !lane_) {
        next_lane_ = 0;
        list({}, false);
        return;
    }
    list(in_time(lane_ ? rows_.of_lane(*lane_) : rows_.by_time()),
         plan.order == SliceOrder::time_down);
}

// The part of rows in order of time that lies in the range.
std::span<const uint32_t> SliceCursor::in_time(std::span<const uint32_t> ids) const {
    const auto start = [this](uint32_t id) {
        const SliceRun& run = rows_.run_of(id);
        return run.start[id - run.first];
    };
    const auto begin = low_ == std::numeric_limits<Nanos>::min()
                           ? ids.begin()
                           : std::partition_point(ids.begin(), ids.end(),
                                                  [&](uint32_t id) { return start(id) < low_; });
    const auto end = high_ == std::numeric_limits<Nanos>::max()
                         ? ids.end()
                         : std::partition_point(begin, ids.end(),
                                                [&](uint32_t id) { return start(id) <= high_; });
    return {begin, end};
}

// Returns whether a row of the lane can pass: sorting a lane takes much longer than this.
bool SliceCursor::lane_may_pass(LaneId lane) const {
    if (!use_name_ && !use_category_) return true;
    for (const auto runs : {rows_.slice_runs(lane), rows_.instant_runs(lane)})
        for (const SliceRun& run : runs)
            for (uint32_t i = 0; i < run.count; ++i)
                if (passes(run, i)) return true;
    return false;
}

bool SliceCursor::enter_next_lane() {
    while (next_lane_ < trace_.lanes.size()) {
        const LaneId lane = next_lane_++;
        if (!lane_may_pass(lane)) continue;
        const std::span<const uint32_t> ids = in_time(rows_.of_lane(lane));
        if (ids.empty()) continue;
        at_ = ids.data();
        stop_ = ids.data() + ids.size();
        return true;
    }
    return false;
}

void SliceCursor::find_one(sqlite3_value* value) {
    const auto id = whole_number(value);
    ended_ = !id || *id < 0 || *id >= rows_.count();
    if (ended_) return;
    id_ = static_cast<uint32_t>(*id);
    run_ = &rows_.run_of(id_);
    index_ = id_ - run_->first;
    list_ = true;
    first_only_ = false;
    next_lane_ = kNoLane;
    step_ = 1;
    at_ = &id_;
    stop_ = &id_ + 1;
}

void SliceCursor::start(SlicePlan plan, std::span<sqlite3_value*> values, bool list_names) {
    if (plan.uses == kUseId) return find_one(values[0]);
    read_values(plan, values);
    ended_ = true;
    list_ = false;
    last_number_.reset();
    next_lane_ = kNoLane;
    first_only_ = plan.first_only;
    order_ = plan.order;
    if (none_) return;
    if (plan.uses & kUseStart) {
        std::vector<uint32_t> ids;
        if (function_ == SliceFunction::descendants) {
            ids = rows_.descendants(*one_id_);
        } else {
            for (auto around = rows_.parent(*one_id_); around; around = rows_.parent(*around))
                ids.push_back(*around);
            std::ranges::reverse(ids);
        }
        list_own(std::move(ids));
    } else if (plan.uses & kUseId) {
        own_.assign(1, *one_id_);
        list(own_, false);
    } else if (plan.uses & kUseParent) {
        list_own(rows_.children(*one_id_));
    } else if (plan.order != SliceOrder::any) {
        list_in_order(plan);
    } else if (use_name_ && list_names) {
        list(rows_.of_name(name_), false);
    } else {
        runs_ = lane_ ? rows_.slice_runs(*lane_) : rows_.runs();
        more_runs_ = lane_ ? rows_.instant_runs(*lane_) : std::span<const SliceRun>();
        next_run_ = 0;
        index_ = end_ = 0;
        ended_ = false;
        settle_in_runs();
    }
}

bool SliceCursor::enter_next_run() {
    if (next_run_ == runs_.size()) {
        if (more_runs_.empty()) return false;
        runs_ = more_runs_;
        more_runs_ = {};
        next_run_ = 0;
    }
    run_ = &runs_[next_run_++];
    const Nanos* const last = run_->start + run_->count;
    const Nanos* const begin =
        run_->start[0] >= low_ ? run_->start : std::lower_bound(run_->start, last, low_);
    const Nanos* const end = last[-1] <= high_ ? last : std::upper_bound(begin, last, high_);
    index_ = static_cast<uint32_t>(begin - run_->start);
    end_ = static_cast<uint32_t>(end - run_->start);
    return true;
}

void SliceCursor::settle_in_runs() {
    while (true) {
        if (!use_name_ && !use_category_) {
            if (index_ < end_) break;
        } else {
            while (index_ < end_ && !passes(*run_, index_)) ++index_;
            if (index_ < end_) break;
        }
        if (enter_next_run()) continue;
        ended_ = true;
        return;
    }
    id_ = run_->first + index_;
}

uint64_t SliceCursor::number_of(const SliceRun& run, uint32_t i) const {
    if (order_ == SliceOrder::name) return run.name[i];
    return order_ == SliceOrder::category ? run.category[i] : run.lane;
}

void SliceCursor::settle_in_list() {
    for (;; at_ += step_) {
        if (at_ == stop_ && !enter_next_lane()) break;
        id_ = *at_;
        if (!run_ || id_ - run_->first >= run_->count) run_ = &rows_.run_of(id_);
        index_ = id_ - run_->first;
        if (!passes(*run_, index_) || !passes_time(*run_, index_)) continue;
        if (lane_ && run_->lane != *lane_) continue;
        if (first_only_) {
            const uint64_t number = number_of(*run_, index_);
            if (number == last_number_) continue;
            last_number_ = number;
        }
        return;
    }
    ended_ = true;
}

void SliceCursor::give(sqlite3_context* context, int column) const {
    const auto optional_id = [&](std::optional<uint32_t> id) {
        if (id) sqlite3_result_int64(context, *id);
    };
    switch (column) {
        case kSliceId:
        case kSliceIdAlias:
        case kSliceArgSet:
            sqlite3_result_int64(context, id_);
            break;
        case kSliceTs:
            sqlite3_result_int64(context, run_->start[index_]);
            break;
        case kSliceDur:
            sqlite3_result_int64(context, run_->duration ? run_->duration[index_] : 0);
            break;
        case kSliceTrack:
            sqlite3_result_int64(context, run_->lane);
            break;
        case kSliceCategory:
        case kSliceCat:
            give_name(context, trace_.strings[trace_.categories[run_->category[index_]].name]);
            break;
        case kSliceName:
            give_name(context, trace_.strings[run_->name[index_]]);
            break;
        case kSliceDepth:
            sqlite3_result_int64(context, run_->duration ? run_->depth : rows_.depth(id_));
            break;
        case kSliceParent:
            optional_id(rows_.parent(id_));
            break;
        default:  // thread_ts and thread_dur, which are not kept
            break;
    }
}

}  // namespace lanescope
