#include "core/ingest/perfetto/clock_tracker.h"

#include <algorithm>
#include <deque>

#include "core/ingest/json/json_number.h"
#include "core/ingest/perfetto/wire.h"

namespace lanescope {

namespace {

constexpr std::size_t kMostSnapshots = std::size_t{1} << 20;

// Times beyond the range of a trace are damaged.
std::optional<Nanos> in_range(int64_t time) {
    return time > kMaxTime || time < -kMaxTime ? std::nullopt : std::optional<Nanos>(time);
}

int64_t wrapping_product(uint64_t reading, int64_t unit) {
    int64_t product = 0;
    const bool is_large = reading > INT64_MAX;
    if (is_large || __builtin_mul_overflow(static_cast<int64_t>(reading), unit, &product))
        return INT64_MAX;
    return product;
}

}  // namespace

void ClockTracker::take(std::string_view message, uint32_t sequence) {
    if (snapshots_.size() >= kMostSnapshots) return;
    std::map<ClockKey, int64_t> snapshot;
    for (WireMessage in(message); in.next();) {
        if (in.field() == 2 && !in.is_bytes() && !has_primary_ && in.number() < 64 &&
            in.number() != 0) {
            trace_clock_ = static_cast<uint32_t>(in.number());
            has_primary_ = true;
            paths_.clear();
        }
        if (in.field() != 1 || !in.is_bytes()) continue;
        uint64_t id = 0, reading = 0, unit = 0;
        bool is_incremental = false;
        for (WireMessage of(in.bytes()); of.next();) {
            if (of.is_bytes()) continue;
            if (of.field() == 1) id = of.number();
            if (of.field() == 2) reading = of.number();
            if (of.field() == 3) is_incremental = of.number() != 0;
            if (of.field() == 4) unit = of.number();
        }
        const ClockKey key = key_of(sequence, static_cast<uint32_t>(id));
        Clock& clock = clocks_[key];
        clock.is_incremental = is_incremental;
        clock.unit = std::clamp<int64_t>(static_cast<int64_t>(std::min<uint64_t>(unit, 1u << 30)),
                                         1, 1 << 30);
        clock.last = wrapping_product(reading, clock.unit);
        snapshot[key] = clock.last;
    }
    const auto number = static_cast<uint32_t>(snapshots_.size());
    bool has_new_pair = false;
    for (const auto& [key, time] : snapshot) {
        auto& times = clocks_[key].times;
        const std::pair<int64_t, uint32_t> entry{time, number};
        times.insert(std::ranges::upper_bound(times, entry), entry);
        for (const auto& [other, other_time] : snapshot)
            if (other != key) has_new_pair |= neighbours_[key].insert(other).second;
    }
    snapshots_.push_back(std::move(snapshot));
    if (has_new_pair) paths_.clear();
}

int64_t ClockTracker::absolute(Clock& clock, uint64_t reading) {
    int64_t time = wrapping_product(reading, clock.unit);
    if (clock.is_incremental && __builtin_add_overflow(clock.last, time, &time)) return INT64_MAX;
    if (clock.is_incremental) clock.last = time;
    return time;
}

const std::vector<ClockTracker::Step>* ClockTracker::path(ClockKey from) {
    const auto [known, is_new] = paths_.try_emplace(from);
    if (!is_new) return known->second ? &*known->second : nullptr;
    std::map<ClockKey, ClockKey> came_from;
    std::deque<ClockKey> next = {from};
    const ClockKey target{0, trace_clock_};
    while (!next.empty() && !came_from.contains(target)) {
        const ClockKey at = next.front();
        next.pop_front();
        for (const ClockKey& to : neighbours_[at])
            if (to != from && came_from.try_emplace(to, at).second) next.push_back(to);
    }
    if (!came_from.contains(target)) return nullptr;
    std::vector<Step> steps;
    for (ClockKey at = target; at != from; at = came_from[at])
        steps.insert(steps.begin(), {came_from[at], at});
    known->second = std::move(steps);
    return &*known->second;
}

// By the last snapshot of both clocks that is not later than the time, or else by the first one.
std::optional<int64_t> ClockTracker::step(const Step& step, int64_t time) const {
    const auto& times = clocks_.at(step.from).times;
    auto after = std::ranges::upper_bound(times, std::pair(time, UINT32_MAX));
    const auto value_at = [&](uint32_t snapshot) -> std::optional<int64_t> {
        const auto found = snapshots_[snapshot].find(step.to);
        if (found == snapshots_[snapshot].end()) return std::nullopt;
        int64_t shift = 0, result = 0;
        if (__builtin_sub_overflow(found->second, snapshots_[snapshot].at(step.from), &shift) ||
            __builtin_add_overflow(time, shift, &result))
            return std::nullopt;
        return result;
    };
    for (auto at = after; at != times.begin();)
        if (const auto value = value_at((--at)->second)) return value;
    for (; after != times.end(); ++after)
        if (const auto value = value_at(after->second)) return value;
    return std::nullopt;
}

std::optional<Nanos> ClockTracker::convert(ClockKey key, uint64_t reading) {
    if (key == ClockKey{0, trace_clock_}) return in_range(wrapping_product(reading, 1));
    const auto clock = clocks_.find(key);
    if (clock == clocks_.end()) return std::nullopt;
    const std::vector<Step>* const steps = path(key);
    if (!steps) return std::nullopt;
    std::optional<int64_t> time = absolute(clock->second, reading);
    for (const Step& one : *steps)
        if (time) time = step(one, *time);
    return time ? in_range(*time) : std::nullopt;
}

Nanos ClockTracker::plain(ClockKey key, uint64_t reading) {
    return in_range(absolute(clocks_[key], reading)).value_or(kMaxTime);
}

std::optional<Nanos> ClockTracker::unix_offset() const {
    for (const auto& snapshot : snapshots_) {
        const auto own = snapshot.find({0, trace_clock_});
        const auto real = snapshot.find({0, kRealTimeClock});
        if (own == snapshot.end() || real == snapshot.end()) continue;
        int64_t offset = 0;
        if (!__builtin_sub_overflow(real->second, own->second, &offset)) return offset;
    }
    return std::nullopt;
}

}  // namespace lanescope
