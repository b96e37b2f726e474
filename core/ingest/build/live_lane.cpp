#include "core/ingest/build/live_lane.h"

#include <algorithm>
#include <functional>

namespace lanescope {

namespace {

constexpr uint32_t kSealedSlices = 4096;  // slices in a chunk, unless they arrive too slowly
constexpr unsigned kLongestWait = 20;     // snapshots
constexpr Nanos kMaxLateness = 2'000'000'000;

// Raw indices in the order of a plan.
std::vector<uint32_t> order_of(const NestingPlan& plan) {
    std::vector<uint32_t> order(plan.place.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[plan.place[i]] = i;
    return order;
}

template <typename T>
Column<T> picked(const Column<T>& from, const std::vector<uint32_t>& indices) {
    Column<T> to(indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i) to[i] = from[indices[i]];
    return to;
}

RawSlices picked(const RawSlices& raw, const std::vector<uint32_t>& indices) {
    return {picked(raw.start, indices), picked(raw.duration, indices), picked(raw.name, indices),
            picked(raw.category, indices), picked(raw.source, indices)};
}

// Makes a chunk of the slices in `wanted`, at the depths of the plan; `order` receives their raw
// indices.
std::shared_ptr<Chunk> make_chunk(const RawSlices& raw, const NestingPlan& plan, uint32_t first,
                                  const std::function<bool(uint32_t)>& wanted,
                                  std::vector<uint32_t>& order) {
    const std::vector<uint32_t> all = order_of(plan);
    auto chunk = std::make_shared<Chunk>();
    chunk->first = first;
    order.clear();
    for (const DepthRow& row : plan.rows) {
        DepthRow& made = chunk->rows.emplace_back();
        made.begin = static_cast<uint32_t>(order.size());
        for (uint32_t at = row.begin; at < row.end; ++at)
            if (wanted(all[at])) order.push_back(all[at]);
        made.end = static_cast<uint32_t>(order.size());
    }
    while (!chunk->rows.empty() && chunk->rows.back().size() == 0) chunk->rows.pop_back();
    RawSlices columns = picked(raw, order);
    chunk->start = std::move(columns.start);
    chunk->duration = std::move(columns.duration);
    chunk->name = std::move(columns.name);
    chunk->category = std::move(columns.category);
    chunk->source = std::move(columns.source);
    for (DepthRow& row : chunk->rows)
        if (row.size() >= kMinLevelSlices) sum_up_row(*chunk, row);
    return chunk;
}

uint64_t bytes_of(const Chunk& chunk) {
    uint64_t bytes = sizeof(Chunk) + chunk.start.bytes() + chunk.duration.bytes() +
                     chunk.name.bytes() + chunk.category.bytes() + chunk.source.bytes();
    for (const DepthRow& row : chunk.rows) bytes += sizeof(DepthRow) + row.levels.bytes();
    return bytes;
}

TimeRange span_of(const Chunk& chunk) {
    TimeRange span{INT64_MAX, INT64_MIN};
    for (const DepthRow& row : chunk.rows) {
        if (row.size() == 0) continue;
        span.begin = std::min(span.begin, chunk.start[row.begin]);
        span.end = std::max(span.end, chunk.end(row.end - 1));
    }
    return span;
}

// The same chunk at another position in its lane.
std::shared_ptr<const Chunk> at_place(const std::shared_ptr<const Chunk>& chunk, uint32_t first) {
    auto copy = std::make_shared<Chunk>();
    copy->first = first;
    copy->start = chunk->start.shared(chunk);
    copy->duration = chunk->duration.shared(chunk);
    copy->name = chunk->name.shared(chunk);
    copy->category = chunk->category.shared(chunk);
    copy->source = chunk->source.shared(chunk);
    copy->rows.reserve(chunk->rows.size());
    for (const DepthRow& row : chunk->rows) {
        DepthRow& made = copy->rows.emplace_back();
        made.begin = row.begin;
        made.end = row.end;
        made.levels.sections = row.levels.sections;
        made.levels.levels = row.levels.levels;
        made.levels.entries = row.levels.entries.shared(chunk);
    }
    return copy;
}

template <typename T>
GrowingColumn<T> reordered(const GrowingColumn<T>& column, const Column<uint32_t>& order) {
    GrowingColumn<T> result;
    for (const uint32_t i : order) result.push_back(column[i]);
    return result;
}

// Sorts by time; empty if already sorted.
Column<uint32_t> order_by_time(const GrowingColumn<Nanos>& time) {
    const Column<Nanos> values = time.so_far();
    return time_order(values);
}

template <typename Growing>
std::size_t count_before(const Growing& time, Nanos t) {
    const auto values = time.so_far();
    return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), t) -
                                    values.begin());
}

}  // namespace

// Learns from past slices how late slices can be: CUDA calls arrive a tenth of a second after the
// ranges around them.
void LiveLane::note_lateness(const RawSlices& raw, uint32_t closed) {
    for (; known_until_ < closed; ++known_until_) {
        const Nanos end = raw.start[known_until_] + raw.duration[known_until_];
        if (end < last_end_) lateness_ = std::max(lateness_, last_end_ - end);
        last_end_ = std::max(last_end_, end);
    }
    lateness_ = std::min(lateness_, kMaxLateness);
}

bool LiveLane::should_seal(const RawSlices& raw, uint32_t closed) const {
    if (closed == 0) return false;
    if (closed >= kSealedSlices || waited_ >= kLongestWait)
        return lateness_ == 0 || raw.start[0] + raw.duration[0] <= last_end_ - 2 * lateness_;
    return false;
}

void LiveLane::seal(RawSlices& raw, uint32_t closed) {
    const Nanos until = lateness_ == 0 ? last_end_ : last_end_ - 2 * lateness_;
    const auto is_old = [&](uint32_t i) {
        return i < closed && raw.start[i] + raw.duration[i] <= until;
    };
    const NestingPlan plan = plan_nesting(raw.start, raw.duration, last_);
    std::vector<uint32_t> order;
    const auto chunk = make_chunk(raw, plan, sealed_slices_ - forgotten_, is_old, order);
    if (order.empty()) return;
    overlaps_ += plan.partial_overlaps;
    if (last_.size() < chunk->rows.size()) last_.resize(chunk->rows.size());
    for (std::size_t depth = 0; depth < chunk->rows.size(); ++depth) {
        const DepthRow& row = chunk->rows[depth];
        if (row.size() > 0) last_[depth] = {chunk->start[row.end - 1], chunk->end(row.end - 1)};
    }
    moved_.assign(closed, 0);
    for (uint32_t i = 0; i < order.size(); ++i)
        moved_[order[i]] = (sealed_slices_ + i) | kSealedIndex;
    std::vector<uint32_t> left;
    for (uint32_t i = 0; i < raw.size(); ++i) {
        if (is_old(i)) continue;
        if (i < closed) moved_[i] = static_cast<uint32_t>(left.size());
        left.push_back(i);
    }
    sealed_slices_ += chunk->size();
    sealed_.push_back({chunk, span_of(*chunk), bytes_of(*chunk)});
    bytes_ += sealed_.back().bytes;
    raw = picked(raw, left);
    waited_ = 0;
}

void LiveLane::take(RawSlices& raw, uint32_t closed) {
    moved_.clear();
    const bool nothing_new = known_until_ == closed && raw.size() == closed;
    const bool stands = nothing_new && (tail_ ? tail_->size() : 0) == closed;
    note_lateness(raw, closed);
    ++waited_;
    if (should_seal(raw, closed)) {
        const uint32_t open = raw.size() - closed;
        seal(raw, closed);
        closed = raw.size() - open;
        known_until_ = closed;
    } else if (stands) {
        return;
    }
    tail_.reset();
    if (raw.size() > 0) {
        const NestingPlan plan = plan_nesting(raw.start, raw.duration, last_);
        deepest_ = std::max(deepest_, plan.deepest_stack);
        std::vector<uint32_t> order;
        tail_ = make_chunk(
            raw, plan, sealed_slices_ - forgotten_, [](uint32_t) { return true; }, order);
    }
    raw.start.keep_first(closed);
    raw.duration.keep_first(closed);
    raw.name.keep_first(closed);
    raw.category.keep_first(closed);
    raw.source.keep_first(closed);
}

void LiveLane::sort_instants() {
    const Column<uint32_t> order = order_by_time(instants_.time);
    if (order.empty()) return;
    instants_.time = reordered(instants_.time, order);
    instants_.name = reordered(instants_.name, order);
    instants_.category = reordered(instants_.category, order);
    instants_.source = reordered(instants_.source, order);
}

void LiveLane::take_instants(Instants& instants) {
    if (instants.time.empty()) return;
    bool in_order = true;
    for (std::size_t i = 0; i < instants.time.size(); ++i) {
        const std::size_t size = instants_.time.size();
        in_order &= size == 0 || instants_.time[size - 1] <= instants.time[i];
        instants_.time.push_back(instants.time[i]);
        instants_.name.push_back(instants.name[i]);
        instants_.category.push_back(instants.category[i]);
        instants_.source.push_back(instants.source[i]);
    }
    instants = {};
    if (!in_order) sort_instants();
}

void LiveLane::sort_samples() {
    const Column<uint32_t> order = order_by_time(samples_.time);
    if (order.empty()) return;
    samples_.time = reordered(samples_.time, order);
    samples_.value = reordered(samples_.value, order);
}

void LiveLane::take_sample(Nanos time, double value) {
    const std::size_t size = samples_.time.size();
    min_ = size == 0 ? value : std::min(min_, value);
    max_ = size == 0 ? value : std::max(max_, value);
    const bool in_order = size == 0 || samples_.time[size - 1] <= time;
    samples_.time.push_back(time);
    samples_.value.push_back(value);
    if (!in_order) sort_samples();
}

void LiveLane::show(Lane& lane) const {
    lane.chunks.reserve(sealed_.size() + 1);
    for (const Sealed& one : sealed_) lane.chunks.push_back(one.chunk);
    if (tail_) lane.chunks.push_back(tail_);
    lane.slice_count = sealed_slices_ - forgotten_ + (tail_ ? tail_->size() : 0);
    lane.depth_count =
        static_cast<uint32_t>(std::max(last_.size(), tail_ ? tail_->rows.size() : std::size_t{0}));
    if (!has_instants()) return;
    auto instants = std::make_shared<Instants>();
    instants->time = instants_.time.so_far();
    instants->name = instants_.name.so_far();
    instants->category = instants_.category.so_far();
    instants->source = instants_.source.so_far();
    lane.instants = std::move(instants);
}

std::shared_ptr<const CounterSeries> LiveLane::series() const {
    auto series = std::make_shared<CounterSeries>();
    series->time = samples_.time.so_far();
    series->value = samples_.value.so_far();
    series->min = min_;
    series->max = max_;
    return series;
}

// The last point before `time` is still valid at `time`.
void LiveLane::forget_points(Nanos time) {
    const std::size_t instants = count_before(instants_.time, time);
    instants_.time.forget_first(instants);
    instants_.name.forget_first(instants);
    instants_.category.forget_first(instants);
    instants_.source.forget_first(instants);
    const std::size_t samples = count_before(samples_.time, time);
    if (samples < 2) return;
    samples_.time.forget_first(samples - 1);
    samples_.value.forget_first(samples - 1);
}

// Chunk positions are rewritten only after an eighth of the chunks was dropped: too rarely to
// matter.
void LiveLane::forget_before(Nanos time) {
    forget_points(time);
    std::size_t old = 0;
    while (old < sealed_.size() && sealed_[old].span.end < time) ++old;
    if (old == 0 || old < sealed_.size() / 8) return;
    for (std::size_t i = 0; i < old; ++i) {
        forgotten_ += sealed_[i].chunk->size();
        bytes_ -= sealed_[i].bytes;
    }
    sealed_.erase(sealed_.begin(), sealed_.begin() + static_cast<std::ptrdiff_t>(old));
    uint32_t first = 0;
    for (Sealed& one : sealed_) {
        one.chunk = at_place(one.chunk, first);
        first += one.chunk->size();
    }
    if (tail_) tail_ = at_place(tail_, first);
}

bool LiveLane::shown_index(uint32_t sealed, uint32_t& index) const {
    const uint32_t count = sealed & ~kSealedIndex;
    if (count < forgotten_) return false;
    index = count - forgotten_;
    return true;
}

}  // namespace lanescope
