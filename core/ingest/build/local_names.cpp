#include "core/ingest/build/local_names.h"

#include <cstring>

namespace lanescope {

namespace {

std::size_t hash_of(const LaneKey& key) {
    const uint64_t pair = uint64_t{key.process} << 32 | key.tid;
    return static_cast<std::size_t>(
        ((pair + static_cast<uint64_t>(key.role)) * 0x9E3779B97F4A7C15ULL) >> 32);
}

}  // namespace

LocalId LocalNames::find_row(std::string_view pid, std::string_view tid) {
    ShortLane key;
    if (pid.size() > sizeof key.pid || tid.size() > sizeof key.tid) return find_long_row(pid, tid);
    if (!pid.empty()) std::memcpy(&key.pid, pid.data(), pid.size());
    if (!tid.empty()) std::memcpy(&key.tid, tid.data(), tid.size());
    key.pid_size = static_cast<uint8_t>(pid.size());
    key.tid_size = static_cast<uint8_t>(tid.size());
    ShortLane& slot = short_slot(key);
    if (slot.lane != 0) return slot.lane - 1;
    const LocalId lane = find_long_row(pid, tid);
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

LocalId LocalNames::find_long_row(std::string_view pid, std::string_view tid) {
    const LocalId process_id = process({pool_.intern(pid), kNoLocalId, -1, 0});
    return lane({process_id, pool_.intern(tid), LaneRole::row});
}

LocalId LocalNames::process(const ProcessKey& key) {
    const auto next = static_cast<LocalId>(processes_.size());
    if (key.device >= 0) {
        const auto [found, is_new] =
            process_of_device_.try_emplace({key.owner, key.program, key.device}, next);
        if (is_new) processes_.push_back(key);
        return found->second;
    }
    if (key.pid >= process_of_pid_.size()) process_of_pid_.resize(key.pid + 64, kNoLocalId);
    LocalId& known = process_of_pid_[key.pid];
    if (known == kNoLocalId) {
        known = next;
        processes_.push_back(key);
    }
    return known;
}

LocalId LocalNames::lane(const LaneKey& key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash_of(key) & mask;
    for (; slots_[i] != 0; i = (i + 1) & mask) {
        if (lanes_[slots_[i] - 1] == key) return slots_[i] - 1;
    }
    lanes_.push_back(key);
    pids_.push_back(processes_[key.process].pid);
    slots_[i] = static_cast<uint32_t>(lanes_.size());
    if (lanes_.size() * 2 > slots_.size()) grow_slots();
    return static_cast<LocalId>(lanes_.size() - 1);
}

void LocalNames::grow_slots() {
    slots_.assign(slots_.size() * 2, 0);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        std::size_t i = hash_of(lanes_[lane]) & mask;
        while (slots_[i] != 0) i = (i + 1) & mask;
        slots_[i] = static_cast<uint32_t>(lane + 1);
    }
}

void LocalNames::hand_over(Batch& batch) {
    for (; written_texts_ < pool_.size(); ++written_texts_)
        batch.texts.push_back(pool_[written_texts_]);
    batch.categories.insert(batch.categories.end(), new_categories_.begin(), new_categories_.end());
    new_categories_.clear();
    for (; written_processes_ < processes_.size(); ++written_processes_)
        batch.processes.push_back(processes_[written_processes_]);
    for (; written_lanes_ < lanes_.size(); ++written_lanes_)
        batch.lanes.push_back(lanes_[written_lanes_]);
}

}  // namespace lanescope
