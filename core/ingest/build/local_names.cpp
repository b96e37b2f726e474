#include "core/ingest/build/local_names.h"

#include <cstring>

namespace lanescope {

namespace {

std::size_t hash_pair(LocalId a, LocalId b) {
    return static_cast<std::size_t>(((uint64_t{a} << 32 | b) * 0x9E3779B97F4A7C15ULL) >> 32);
}

}  // namespace

LocalId LocalNames::find_lane(std::string_view pid, std::string_view tid) {
    ShortLane key;
    if (pid.size() > sizeof key.pid || tid.size() > sizeof key.tid) return find_long_lane(pid, tid);
    if (!pid.empty()) std::memcpy(&key.pid, pid.data(), pid.size());
    if (!tid.empty()) std::memcpy(&key.tid, tid.data(), tid.size());
    key.pid_size = static_cast<uint8_t>(pid.size());
    key.tid_size = static_cast<uint8_t>(tid.size());
    ShortLane& slot = short_slot(key);
    if (slot.lane != 0) return slot.lane - 1;
    const LocalId lane = find_long_lane(pid, tid);
    key.lane = lane + 1;
    slot = key;
    if (++short_lane_count_ * 2 > short_lanes_.size()) grow_short_lanes();
    return lane;
}

// The slot of the key, or the free slot where it belongs.
LocalNames::ShortLane& LocalNames::short_slot(const ShortLane& key) {
    const std::size_t mask = short_lanes_.size() - 1;
    const uint64_t mixed = (key.pid * 0x9E3779B97F4A7C15ULL) ^ (key.tid * 0xD1B54A32D192ED03ULL);
    std::size_t i = static_cast<std::size_t>(mixed ^ mixed >> 32U) & mask;
    while (short_lanes_[i].lane != 0 && !short_lanes_[i].same_key(key)) i = (i + 1) & mask;
    return short_lanes_[i];
}

void LocalNames::grow_short_lanes() {
    std::vector<ShortLane> old(short_lanes_.size() * 2);
    old.swap(short_lanes_);
    for (const ShortLane& lane : old)
        if (lane.lane != 0) short_slot(lane) = lane;
}

LocalId LocalNames::find_long_lane(std::string_view pid, std::string_view tid) {
    const std::pair<LocalId, LocalId> key(pool_.intern(pid), pool_.intern(tid));
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash_pair(key.first, key.second) & mask;
    for (; slots_[i] != 0; i = (i + 1) & mask) {
        if (keys_[slots_[i] - 1] == key) return slots_[i] - 1;
    }
    keys_.push_back(key);
    slots_[i] = static_cast<uint32_t>(keys_.size());
    if (keys_.size() * 2 > slots_.size()) grow_slots();
    return static_cast<LocalId>(keys_.size() - 1);
}

void LocalNames::grow_slots() {
    slots_.assign(slots_.size() * 2, 0);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t lane = 0; lane < keys_.size(); ++lane) {
        std::size_t i = hash_pair(keys_[lane].first, keys_[lane].second) & mask;
        while (slots_[i] != 0) i = (i + 1) & mask;
        slots_[i] = static_cast<uint32_t>(lane + 1);
    }
}

}  // namespace lanescope
