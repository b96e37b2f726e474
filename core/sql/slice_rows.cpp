#include "core/sql/slice_rows.h"

#include <algorithm>
#include <numeric>

#include "core/base/radix_sort.h"
#include "core/trace/query.h"

namespace lanescope {

namespace {

struct TimedRow {
    uint64_t key = 0;
    uint32_t id = 0;
};

// The rows of runs by (start, order of the runs).
void sort_by_start(std::span<const SliceRun> runs, std::vector<TimedRow>& rows) {
    rows.clear();
    bool sorted = true;  // as rows of one depth are
    for (const SliceRun& run : runs) {
        if (!rows.empty() && radix_key(run.start[0]) < rows.back().key) sorted = false;
        for (uint32_t i = 0; i < run.count; ++i)
            rows.push_back({radix_key(run.start[i]), run.first + i});
    }
    if (sorted) return;
    radix_sort(rows, [](const TimedRow& row) { return row.key; });
}

// The ids of all rows, ordered by the rank of a number that each row has, which is below
// ranks.size(). `first` receives the place of each rank.
template <typename NumberOf>
std::vector<uint32_t> counting_sort(const SliceRows& rows, std::span<const uint32_t> ranks,
                                    std::vector<uint32_t>& first, const NumberOf& number_of) {
    first.assign(ranks.size() + 1, 0);
    for (const SliceRun& run : rows.runs())
        for (uint32_t i = 0; i < run.count; ++i) ++first[ranks[number_of(run, i)] + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<uint32_t> next(first.begin(), first.end() - 1);
    std::vector<uint32_t> order(rows.count());
    for (const SliceRun& run : rows.runs())
        for (uint32_t i = 0; i < run.count; ++i)
            order[next[ranks[number_of(run, i)]]++] = run.first + i;
    return order;
}

// Returns the rank of each number, when the used numbers are sorted by their texts.
template <typename TextOf>
std::vector<uint32_t> ranks_of(const std::vector<uint8_t>& used, const TextOf& text_of) {
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < used.size(); ++i)
        if (used[i]) numbers.push_back(i);
    std::sort(numbers.begin(), numbers.end(),
              [&](uint32_t a, uint32_t b) { return text_of(a) < text_of(b); });
    std::vector<uint32_t> ranks(used.size(), 0);
    for (uint32_t rank = 0; rank < numbers.size(); ++rank) ranks[numbers[rank]] = rank;
    return ranks;
}

}  // namespace

SliceRows::SliceRows(const Trace& trace)
    : trace_(trace), of_lanes_(trace.lanes.size()), deeper_of_lanes_(trace.lanes.size()) {
    const auto lanes = static_cast<LaneId>(trace.lanes.size());
    for (LaneId lane = 0; lane < lanes; ++lane) add_slices(lane);
    slice_runs_at_.push_back(static_cast<uint32_t>(runs_.size()));
    slice_count_ = count_;
    for (LaneId lane = 0; lane < lanes; ++lane) add_instants(lane);
    instant_run_at_.push_back(static_cast<uint32_t>(runs_.size()));
    run_of_block_.reserve((count_ >> kBlockShift) + 1);
    uint32_t run = 0;
    for (uint32_t id = 0; id < count_; id += uint32_t{1} << kBlockShift) {
        while (id - runs_[run].first >= runs_[run].count) ++run;
        run_of_block_.push_back(run);
    }
}

void SliceRows::add_slices(LaneId lane) {
    first_of_lane_.push_back(count_);
    slice_runs_at_.push_back(static_cast<uint32_t>(runs_.size()));
    if (trace_.lanes[lane].derived) return;
    for (const auto& chunk : trace_.lanes[lane].chunks)
        for (uint32_t depth = 0; depth < chunk->rows.size(); ++depth) {
            const DepthRow& row = chunk->rows[depth];
            if (row.size() == 0) continue;
            runs_.push_back({chunk->start.data() + row.begin, chunk->duration.data() + row.begin,
                             chunk->name.data() + row.begin, chunk->category.data() + row.begin,
                             chunk->source.data() + row.begin, count_, row.size(), lane, depth});
            count_ += row.size();
        }
}

void SliceRows::add_instants(LaneId lane) {
    instant_run_at_.push_back(static_cast<uint32_t>(runs_.size()));
    const auto& instants = trace_.lanes[lane].instants;
    if (!instants || instants->time.empty()) return;
    runs_.push_back({instants->time.data(), nullptr, instants->name.data(),
                     instants->category.data(), instants->source.data(), count_,
                     static_cast<uint32_t>(instants->time.size()), lane, 0});
    count_ += runs_.back().count;
}

std::span<const SliceRun> SliceRows::slice_runs(LaneId lane) const {
    return std::span(runs_).subspan(slice_runs_at_[lane],
                                    slice_runs_at_[lane + 1] - slice_runs_at_[lane]);
}

std::span<const SliceRun> SliceRows::instant_runs(LaneId lane) const {
    return std::span(runs_).subspan(instant_run_at_[lane],
                                    instant_run_at_[lane + 1] - instant_run_at_[lane]);
}

SliceRef SliceRows::slice_of(uint32_t id) const {
    const LaneId lane = run_of(id).lane;
    return {lane, id - first_of_lane_[lane]};
}

SliceRef SliceRows::innermost(LaneId lane, Nanos time) const {
    SliceRef found;
    for (uint32_t depth = 0; depth < trace_.lanes[lane].depth_count; ++depth)
        if (const SliceRef slice = slice_at(trace_, lane, depth, time)) found = slice;
    return found;
}

uint32_t SliceRows::depth(uint32_t id) const {
    const SliceRun& run = run_of(id);
    if (!is_instant(id)) return run.depth;
    const SliceRef around = innermost(run.lane, run.start[id - run.first]);
    return around ? depth_of(trace_, around) + 1 : 0;
}

std::optional<uint32_t> SliceRows::parent(uint32_t id) const {
    const SliceRun& run = run_of(id);
    if (!is_instant(id) && run.depth == 0) return std::nullopt;
    const Nanos start = run.start[id - run.first];
    if (is_instant(id)) {
        const SliceRef around = innermost(run.lane, start);
        return around ? std::optional(id_of(around)) : std::nullopt;
    }
    const Nanos end = start + run.duration[id - run.first];
    for (uint32_t depth = run.depth; depth-- > 0;) {
        const SliceRef around = slice_at(trace_, run.lane, depth, start);
        if (around && trace_.start(around) + trace_.duration(around) >= end) return id_of(around);
    }
    return std::nullopt;
}

std::span<const uint32_t> SliceRows::deeper_children(LaneId lane) const {
    LaneRows& deeper = deeper_of_lanes_[lane];
    std::call_once(deeper.once, [&] {
        for (const SliceRun& run : slice_runs(lane))
            for (uint32_t row = run.first; row < run.first + run.count; ++row) {
                const auto around = parent(row);
                if (around && run_of(*around).depth + 1 < run.depth) deeper.rows.push_back(row);
            }
        std::ranges::sort(deeper.rows, {}, [this](uint32_t row) { return start_of_row(row); });
    });
    return deeper.rows;
}

void SliceRows::add_children(uint32_t id, std::vector<uint32_t>& inside) const {
    if (is_instant(id)) return;
    const SliceRun& own = run_of(id);
    const Nanos begin = own.start[id - own.first];
    const Nanos end = begin + std::max<Nanos>(own.duration[id - own.first], 1);
    const auto add = [&](const SliceRun& run) {
        const Nanos* const last = run.start + run.count;
        for (const Nanos* at = std::lower_bound(run.start, last, begin); at < last && *at < end;
             ++at) {
            const auto row = run.first + static_cast<uint32_t>(at - run.start);
            if (parent(row) == id) inside.push_back(row);
        }
    };
    for (const SliceRun& run : slice_runs(own.lane))
        if (run.depth == own.depth + 1) add(run);
    const std::span<const uint32_t> deeper = deeper_children(own.lane);
    const auto by_start = [this](uint32_t row) { return start_of_row(row); };
    for (auto at = std::ranges::lower_bound(deeper, begin, {}, by_start);
         at != deeper.end() && by_start(*at) < end; ++at)
        if (parent(*at) == id) inside.push_back(*at);
    for (const SliceRun& run : instant_runs(own.lane)) add(run);
}

std::vector<uint32_t> SliceRows::children(uint32_t id) const {
    std::vector<uint32_t> inside;
    add_children(id, inside);
    return inside;
}

std::vector<uint32_t> SliceRows::descendants(uint32_t id) const {
    std::vector<uint32_t> inside;
    add_children(id, inside);
    for (std::size_t i = 0; i < inside.size(); ++i) add_children(inside[i], inside);
    std::ranges::sort(inside);
    return inside;
}

std::span<const uint32_t> SliceRows::by_time() const {
    std::call_once(time_once_, [this] {
        std::vector<TimedRow> rows;
        rows.reserve(count_);
        sort_by_start(runs_, rows);
        by_time_.reserve(count_);
        for (const TimedRow& row : rows) by_time_.push_back(row.id);
    });
    return by_time_;
}

std::span<const uint32_t> SliceRows::of_lane(LaneId lane) const {
    LaneRows& of_lane = of_lanes_[lane];
    std::call_once(of_lane.once, [&] {
        const auto slices = slice_runs(lane);
        const auto instants = instant_runs(lane);
        std::vector<SliceRun> runs(slices.begin(), slices.end());
        runs.insert(runs.end(), instants.begin(), instants.end());
        std::vector<TimedRow> rows;
        sort_by_start(runs, rows);
        of_lane.rows.reserve(rows.size());
        for (const TimedRow& row : rows) of_lane.rows.push_back(row.id);
    });
    return of_lane.rows;
}

std::span<const uint32_t> SliceRows::by_name() const {
    std::call_once(name_once_, [this] {
        std::vector<uint8_t> used(trace_.strings.size());
        for (const SliceRun& run : runs_)
            for (uint32_t i = 0; i < run.count; ++i) used[run.name[i]] = 1;
        const std::vector<uint32_t> ranks =
            ranks_of(used, [this](uint32_t text) { return trace_.strings[text]; });
        std::vector<uint32_t> first;
        by_name_ = counting_sort(*this, ranks, first,
                                 [](const SliceRun& run, uint32_t i) { return run.name[i]; });
        name_first_.assign(used.size(), 0);
        name_count_.assign(used.size(), 0);
        for (StringId name = 0; name < used.size(); ++name) {
            if (!used[name]) continue;
            name_first_[name] = first[ranks[name]];
            name_count_[name] = first[ranks[name] + 1] - first[ranks[name]];
        }
    });
    return by_name_;
}

std::span<const uint32_t> SliceRows::of_name(StringId name) const {
    const std::span<const uint32_t> all = by_name();
    return name < name_first_.size() ? all.subspan(name_first_[name], name_count_[name])
                                     : std::span<const uint32_t>();
}

std::span<const uint32_t> SliceRows::by_category() const {
    std::call_once(category_once_, [this] {
        const std::vector<uint8_t> used(trace_.categories.size(), 1);
        const std::vector<uint32_t> ranks = ranks_of(used, [this](uint32_t category) {
            return trace_.strings[trace_.categories[category].name];
        });
        std::vector<uint32_t> first;
        by_category_ = counting_sort(
            *this, ranks, first, [](const SliceRun& run, uint32_t i) { return run.category[i]; });
    });
    return by_category_;
}

}  // namespace lanescope
