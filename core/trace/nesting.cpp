#include "core/trace/nesting.h"

#include <algorithm>
#include <utility>

#include "core/base/radix_sort.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxListedOverlaps = 20;

struct Event {
    Nanos start;
    Nanos duration;
    uint32_t index;

    bool before(const Event& other) const {
        if (start != other.start) return start < other.start;
        if (duration != other.duration) return duration > other.duration;
        return index < other.index;
    }
};

bool in_order(std::span<const Nanos> start, std::span<const Nanos> duration) {
    for (std::size_t i = 1; i < start.size(); ++i) {
        if (start[i] < start[i - 1] || (start[i] == start[i - 1] && duration[i] > duration[i - 1]))
            return false;
    }
    return true;
}

// Late events mostly form a few sorted runs, such as a thread's runtime calls written after all its
// operators.
void sort_runs(std::vector<Event>& events) {
    const auto before = [](const Event& a, const Event& b) { return a.before(b); };
    std::vector<std::ptrdiff_t> bounds = {0};
    for (std::size_t i = 1; i < events.size(); ++i)
        if (events[i].before(events[i - 1])) bounds.push_back(static_cast<std::ptrdiff_t>(i));
    if (bounds.size() > events.size() / 16 + 1) {
        radix_sort(events, [](const Event& event) { return radix_key(event.start); });
        for (auto first = events.begin(); first != events.end();) {
            auto next = first + 1;
            while (next != events.end() && next->start == first->start) ++next;
            if (next - first > 1) std::sort(first, next, before);
            first = next;
        }
        return;
    }
    bounds.push_back(static_cast<std::ptrdiff_t>(events.size()));
    const auto at = events.begin();
    while (bounds.size() > 2) {
        std::size_t kept = 1;
        for (std::size_t i = 2; i < bounds.size(); i += 2) {
            const std::ptrdiff_t middle = bounds[i - 1];
            if (at[middle].before(at[middle - 1]))
                std::inplace_merge(at + bounds[i - 2], at + middle, at + bounds[i], before);
            bounds[kept++] = bounds[i];
        }
        if (bounds.size() % 2 == 0) bounds[kept++] = bounds.back();
        bounds.resize(kept);
    }
}

// Most rows are almost sorted: the few events out of order are taken out, sorted and merged back.
Column<uint32_t> sorted_order(std::span<const Nanos> start, std::span<const Nanos> duration) {
    const auto n = static_cast<uint32_t>(start.size());
    const auto event = [&](uint32_t i) { return Event{start[i], duration[i], i}; };
    Column<uint32_t> order(n);
    uint32_t kept = 0;  // the last kept position in `order`
    std::vector<Event> late;
    Event newest{};  // the latest of the kept events
    for (uint32_t i = 0; i < n; ++i) {
        const Event here = event(i);
        if (kept > 0 && !newest.before(here)) {
            // An early outlier must not make all later events count as late: if the next two events
            // agree, the outlier is the one that is taken out.
            const bool was_outlier = i + 1 < n && here.before(event(i + 1)) &&
                                     (kept < 2 || event(order[kept - 2]).before(here));
            late.push_back(was_outlier ? newest : here);
            if (!was_outlier) continue;
            --kept;
        }
        order[kept++] = i;
        newest = here;
    }
    sort_runs(late);
    for (uint32_t to = n; !late.empty();) {
        if (kept > 0 && late.back().before(event(order[kept - 1]))) {
            order[--to] = order[--kept];
        } else {
            order[--to] = late.back().index;
            late.pop_back();
        }
    }
    return order;
}

// Two stacks side by side. `stack_` is a plain call stack and determines the counts. `last_` holds,
// for each depth, when that depth is free, and determines the drawn depth. They are identical until
// a slice overlaps another one only partly, or if there are earlier chunks.
class DepthFinder {
  public:
    explicit DepthFinder(std::span<const RowEnd> before)
        : last_(before.begin(), before.end()), separate_(!before.empty()) {}

    uint32_t place(Nanos start, Nanos duration) {
        const Nanos end = start + duration;
        while (!stack_.empty() && stack_.back() <= start) stack_.pop_back();
        if (!stack_.empty() && end > stack_.back()) {
            ++partial_overlaps_;
            if (!std::exchange(separate_, true))
                for (const Nanos open : stack_) last_.push_back({INT64_MIN, open});
        }
        const auto stack_depth = static_cast<uint32_t>(stack_.size());
        stack_.push_back(end);
        deepest_ = std::max(deepest_, stack_depth + 1);
        return separate_ ? place_apart(start, end) : stack_depth;
    }

    uint32_t deepest() const { return deepest_; }
    uint32_t partial_overlaps() const { return partial_overlaps_; }

  private:
    // Returns the first free depth below all open slices that contain this one.
    uint32_t place_apart(Nanos start, Nanos end) {
        const auto holds = [&](const RowEnd& row) {
            return row.start <= start && row.end > start && row.end >= end;
        };
        std::size_t depth = last_.size();
        while (depth > 0 && !holds(last_[depth - 1])) --depth;
        while (depth < last_.size() && last_[depth].end > start) ++depth;
        if (depth == last_.size()) last_.emplace_back();
        last_[depth] = {start, end};
        return static_cast<uint32_t>(depth);
    }

    std::vector<Nanos> stack_;
    std::vector<RowEnd> last_;  // by depth; once `separate_`
    bool separate_;
    uint32_t deepest_ = 0;
    uint32_t partial_overlaps_ = 0;
};

}  // namespace

Column<uint32_t> time_order(std::span<const Nanos> start, std::span<const Nanos> duration) {
    return in_order(start, duration) ? Column<uint32_t>() : sorted_order(start, duration);
}

Column<uint32_t> time_order(std::span<const Nanos> time) {
    if (std::is_sorted(time.begin(), time.end())) return {};
    return sorted_order(time, Column<Nanos>::filled(time.size(), 0));
}

NestingPlan plan_nesting(std::span<const Nanos> start, std::span<const Nanos> duration,
                         std::span<const RowEnd> before) {
    const auto n = static_cast<uint32_t>(start.size());
    NestingPlan plan;
    plan.place = Column<uint32_t>(n);
    const Column<uint32_t> order = time_order(start, duration);
    const bool sorted = order.empty();
    DepthFinder finder(before);
    std::vector<uint32_t> count;
    for (uint32_t k = 0; k < n; ++k) {
        const uint32_t i = sorted ? k : order[k];
        const uint32_t overlaps = finder.partial_overlaps();
        const uint32_t depth = finder.place(start[i], duration[i]);
        if (finder.partial_overlaps() != overlaps && plan.overlapping.size() < kMaxListedOverlaps)
            plan.overlapping.push_back(i);
        if (depth >= count.size()) count.resize(depth + 1);
        ++count[depth];
        plan.place[i] = depth;
    }
    plan.rows.resize(count.size());
    uint32_t next = 0;
    for (std::size_t depth = 0; depth < count.size(); ++depth) {
        plan.rows[depth].begin = next;
        plan.rows[depth].end = next + count[depth];
        count[depth] = next;
        next = plan.rows[depth].end;
    }
    for (uint32_t k = 0; k < n; ++k) {
        const uint32_t i = sorted ? k : order[k];
        plan.place[i] = count[plan.place[i]]++;
    }
    plan.deepest_stack = finder.deepest();
    plan.partial_overlaps = finder.partial_overlaps();
    return plan;
}

void sum_up_row(const Chunk& chunk, DepthRow& row) {
    const auto part = [&](const auto& column) {
        return column.span().subspan(row.begin, row.size());
    };
    row.levels = build_levels(part(chunk.start), part(chunk.duration), part(chunk.name),
                              part(chunk.category));
}

NestingResult nest(RawSlices raw) {
    NestingPlan plan = plan_nesting(raw.start, raw.duration);
    NestingResult result;
    const auto move_column = [&](auto& from, auto& to) {
        to = lay_out(from, plan.place);
        from = {};
    };
    move_column(raw.start, result.chunk.start);
    move_column(raw.duration, result.chunk.duration);
    move_column(raw.name, result.chunk.name);
    move_column(raw.category, result.chunk.category);
    move_column(raw.source, result.chunk.source);
    result.chunk.rows = std::move(plan.rows);
    for (DepthRow& row : result.chunk.rows) sum_up_row(result.chunk, row);
    result.place = std::move(plan.place);
    result.deepest_stack = plan.deepest_stack;
    result.partial_overlaps = plan.partial_overlaps;
    return result;
}

}  // namespace lanescope
