#include "core/ingest/perfetto/clock_tracker.h"

#include <algorithm>

#include "core/ingest/json/json_number.h"
#include "core/ingest/perfetto/wire.h"

namespace lanescope {

namespace {

constexpr std::size_t kMostSnapshots = std::size_t{1} << 20;
// Maximum number of conversions to the trace's clock; files need two or three.
constexpr uint32_t kMostSteps = 64;

// A time outside the range of a trace is damaged.
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
            are_hops_known_ = false;
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
    std::vector<ClockKey> group;
    for (const auto& [key, time] : snapshot) {
        clocks_[key].snapshots.push_back(number);
        group.push_back(key);
    }
    snapshots_.push_back(std::move(snapshot));
    if (group.size() > 1 && known_groups_.insert(group).second) add_group(std::move(group));
}

void ClockTracker::add_group(std::vector<ClockKey> group) {
    for (const ClockKey& key : group)
        clocks_[key].groups.push_back(static_cast<uint32_t>(groups_.size()));
    if (are_hops_known_) add_hops(group);
    groups_.push_back(std::move(group));
}

// Most groups only add clocks that are in no other group, so existing paths stay valid.
void ClockTracker::add_hops(const std::vector<ClockKey>& group) {
    std::optional<Hop> through;
    for (const ClockKey& key : group)
        if (const auto known = hops_.find(key); known != hops_.end()) {
            const Hop hop{known->second.steps + 1, key};
            if (!through || hop < *through) through = hop;
        }
    if (!through || through->steps > kMostSteps) return;
    for (const ClockKey& key : group) {
        const auto known = hops_.find(key);
        are_hops_known_ &=
            known == hops_.end() ? clocks_[key].groups.size() == 1 : known->second <= *through;
    }
    if (!are_hops_known_) return;
    for (const ClockKey& key : group) hops_.try_emplace(key, *through);
}

// Among several shortest paths between two clocks, the search takes the path through the lowest
// IDs.
void ClockTracker::find_hops() {
    if (are_hops_known_) return;
    are_hops_known_ = true;
    const ClockKey target{0, trace_clock_};
    hops_.clear();
    hops_[target] = {};
    std::vector<bool> is_done(groups_.size());
    std::vector<ClockKey> level = {target};
    for (uint32_t steps = 1; !level.empty() && steps <= kMostSteps; ++steps) {
        std::vector<ClockKey> next;
        for (const ClockKey& at : level)
            for (const uint32_t group : clocks_[at].groups) {
                if (is_done[group]) continue;
                is_done[group] = true;
                for (const ClockKey& key : groups_[group])
                    if (hops_.try_emplace(key, Hop{steps, at}).second) next.push_back(key);
            }
        std::ranges::sort(next);
        level = std::move(next);
    }
}

int64_t ClockTracker::absolute(Clock& clock, uint64_t reading) {
    int64_t time = wrapping_product(reading, clock.unit);
    if (clock.is_incremental && __builtin_add_overflow(clock.last, time, &time)) return INT64_MAX;
    if (clock.is_incremental) clock.last = time;
    return time;
}

const ClockTracker::Shifts& ClockTracker::shifts_of(ClockKey from, ClockKey to) {
    Shifts& shifts = shifts_[{from, to}];
    const std::vector<uint32_t>& numbers = clocks_[from].snapshots;
    for (; shifts.taken < numbers.size(); ++shifts.taken) {
        const uint32_t number = numbers[shifts.taken];
        const auto& snapshot = snapshots_[number];
        const auto other = snapshot.find(to);
        if (other == snapshot.end()) continue;
        const int64_t time = snapshot.at(from);
        int64_t shift = 0;
        if (!__builtin_sub_overflow(other->second, time, &shift))
            shifts.by_time.emplace(std::pair(time, number), shift);
    }
    return shifts;
}

// Uses the last snapshot of both clocks that is not later than the time, or else the first
// snapshot.
std::optional<int64_t> ClockTracker::step(ClockKey from, ClockKey to, int64_t time) {
    const auto& shifts = shifts_of(from, to).by_time;
    if (shifts.empty()) return std::nullopt;
    auto at = shifts.upper_bound({time, UINT32_MAX});
    if (at != shifts.begin()) --at;
    int64_t result = 0;
    if (__builtin_add_overflow(time, at->second, &result)) return std::nullopt;
    return result;
}

std::optional<Nanos> ClockTracker::convert(ClockKey key, uint64_t reading) {
    if (key == ClockKey{0, trace_clock_}) return in_range(wrapping_product(reading, 1));
    const auto clock = clocks_.find(key);
    if (clock == clocks_.end()) return std::nullopt;
    find_hops();
    auto hop = hops_.find(key);
    if (hop == hops_.end()) return std::nullopt;
    std::optional<int64_t> time = absolute(clock->second, reading);
    for (ClockKey at = key; time && hop->second.steps > 0; hop = hops_.find(at)) {
        time = step(at, hop->second.next, *time);
        at = hop->second.next;
    }
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
