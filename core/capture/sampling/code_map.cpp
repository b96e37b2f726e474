#include "core/capture/sampling/code_map.h"

#include <iterator>
#include <utility>

namespace lanescope {

namespace {

// A limit above any real program; code of further processes stays unnamed.
constexpr std::size_t kMaxMappedProcesses = 1 << 17;
constexpr std::size_t kMaxMappings = 1 << 16;
constexpr std::size_t kMaxImages = 1 << 20;

}  // namespace

void CodeMaps::take(const PerfRecord& record) {
    switch (record.kind) {
        case PerfKind::mapping:
            return add(record);
        case PerfKind::name:
            if (record.by_exec) of_process_.erase(record.pid);
            return;
        case PerfKind::fork: {
            const auto parent = of_process_.find(record.parent);
            if (record.pid == record.parent || parent == of_process_.end()) return;
            if (of_process_.size() < kMaxMappedProcesses) of_process_[record.pid] = parent->second;
            return;
        }
        case PerfKind::exit:
            if (record.pid == record.tid) of_process_.erase(record.pid);
            return;
        default:
            return;
    }
}

void CodeMaps::add(const PerfRecord& mapping) {
    if (mapping.bytes == 0) return;
    if (of_process_.size() >= kMaxMappedProcesses && !of_process_.contains(mapping.pid)) return;
    std::shared_ptr<Map>& shared = of_process_[mapping.pid];
    if (!shared)
        shared = std::make_shared<Map>();
    else if (shared.use_count() > 1)
        shared = std::make_shared<Map>(*shared);
    Map& map = *shared;
    const uint64_t begin = mapping.address;
    const uint64_t end = begin + mapping.bytes;
    auto at = map.lower_bound(begin);
    if (at != map.begin() && std::prev(at)->second.end > begin) --at;
    while (at != map.end() && at->first < end) {
        const uint64_t old_begin = at->first;
        const Mapping old = at->second;
        at = map.erase(at);
        if (old_begin < begin) map[old_begin] = {begin, old.offset, old.image};
        if (old.end > end)
            at = map.insert({end, {old.end, old.offset + (end - old_begin), old.image}}).first;
    }
    if (map.size() >= kMaxMappings) return;
    map[begin] = {end, mapping.offset, image_of(mapping)};
}

uint32_t CodeMaps::image_of(const PerfRecord& mapping) {
    if (images_.size() >= kMaxImages) return 0;
    const auto [known, is_new] = known_images_.try_emplace({mapping.text, mapping.build_id},
                                                           static_cast<uint32_t>(images_.size()));
    if (is_new) images_.push_back({mapping.text, mapping.build_id, mapping.pid});
    return known->second;
}

std::optional<CodePlace> CodeMaps::find(uint32_t pid, uint64_t address) const {
    const auto process = of_process_.find(pid);
    if (process == of_process_.end()) return std::nullopt;
    const Map& map = *process->second;
    auto after = map.upper_bound(address);
    if (after == map.begin()) return std::nullopt;
    const auto& [begin, mapping] = *std::prev(after);
    if (address >= mapping.end) return std::nullopt;
    return CodePlace{mapping.image, address - begin + mapping.offset};
}

}  // namespace lanescope
