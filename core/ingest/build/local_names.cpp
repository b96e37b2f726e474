#include "core/ingest/build/local_names.h"

namespace lanescope {

namespace {

std::size_t hash_pair(LocalId a, LocalId b) {
    return static_cast<std::size_t>(((uint64_t{a} << 32 | b) * 0x9E3779B97F4A7C15ULL) >> 32);
}

}  // namespace

LocalId LocalNames::find_lane(std::string_view pid, std::string_view tid) {
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
