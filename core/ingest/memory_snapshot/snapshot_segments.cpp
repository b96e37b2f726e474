// Reads what a snapshot says of the moment when it was taken: segments and their blocks.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/ingest/memory_snapshot/snapshot_reader.h"

namespace lanescope {

namespace {

constexpr uint64_t kBytesOfBlock = 64;  // that one needs in the trace, about

}  // namespace

SnapshotReader::Device* SnapshotReader::device(int64_t ordinal) {
    const auto known = devices_.find(ordinal);
    if (known != devices_.end()) return &known->second;
    if (devices_.size() >= kMostDevices) return nullptr;
    Device& added = devices_[ordinal];
    added.ordinal = static_cast<int32_t>(std::clamp<int64_t>(ordinal, -1, 1 << 20));
    added.lane = sink_.thread(process_, fmt::format("GPU {}", ordinal));
    added.older = sink_.thread(process_, fmt::format("GPU {} before the first event", ordinal));
    return &added;
}

void SnapshotReader::read_segments(const PickleValue& segments) {
    for (const PickleValue& segment : pickle_.items(segments)) {
        Device* const on = device(pickle_.integer_of(segment, "device").value_or(0));
        if (!on) {
            budget_.blocks += pickle_.items_of(segment, "blocks").size();
            continue;
        }
        on->reserved = snapshot_bytes(on->reserved) +
                       snapshot_bytes(pickle_.integer_of(segment, "total_size").value_or(0));
        const std::optional<int64_t> requested = pickle_.integer_of(segment, "requested_size");
        on->allocated =
            snapshot_bytes(on->allocated) +
            snapshot_bytes(requested ? *requested
                                     : pickle_.integer_of(segment, "active_size").value_or(0));
        read_blocks(segment, *on);
    }
}

void SnapshotReader::read_blocks(const PickleValue& segment, Device& on) {
    int64_t next = pickle_.address_of(segment, "address").value_or(0);
    const std::span<const PickleValue> blocks = pickle_.items_of(segment, "blocks");
    for (const PickleValue& block : blocks) {
        if (!budget_.take_for_block(kBytesOfBlock)) {
            budget_.blocks += static_cast<uint64_t>(blocks.data() + blocks.size() - &block);
            return;
        }
        const int64_t size = snapshot_bytes(pickle_.integer_of(block, "size").value_or(0));
        const int64_t address = pickle_.address_of(block, "address").value_or(next);
        next = static_cast<int64_t>(static_cast<uint64_t>(address) + static_cast<uint64_t>(size));
        if (!pickle_.text_of(block, "state").starts_with("active")) continue;
        const PickleValue* frames = pickle_.find(block, "frames");
        // Older snapshots have the block's last stack in its history.
        const auto history = pickle_.items_of(block, "history");
        if (!frames && !history.empty()) frames = pickle_.find(history.front(), "frames");
        const int64_t asked = pickle_.integer_of(block, "requested_size").value_or(size);
        on.used.push_back({address, snapshot_bytes(asked), frames ? stack(*frames) : 0});
    }
}

// Blocks that were in use before the first event and still are at the end, one nanosecond apart.
void SnapshotReader::add_older_blocks(const Device& on, const std::vector<Entry>& entries,
                                      int64_t allocated, int64_t reserved) {
    std::set<int64_t> in_events;
    for (const Entry& entry : entries)
        if (memory_.words[entry.facts.action] == "alloc") in_events.insert(entry.facts.address);
    std::vector<Entry> older;
    for (const Block& block : on.used) {
        if (in_events.contains(block.address)) continue;
        SnapshotEvent& facts = older.emplace_back().facts;
        facts.action = word(on.has_events ? "allocated before the first event"
                                          : "in use when the snapshot was taken");
        facts.address = block.address;
        facts.size = block.size;
        facts.stack = block.stack;
    }
    const Nanos first = entries.empty() ? 0 : entries.front().time;
    for (std::size_t i = 0; i < older.size(); ++i)
        older[i].time = first - static_cast<Nanos>(older.size() - i);
    add_calls(on.older, older);
    for (const Entry& entry : older)
        add_memory(on, on.older, entry.time, entry.facts, entry.facts.size, allocated, reserved);
}

// What was in use at the end on devices without a history, or without events in it.
void SnapshotReader::add_devices_without_events() {
    for (const auto& [ordinal, on] : devices_)
        if (stopped_ && !on.has_events) add_older_blocks(on, {}, on.allocated, on.reserved);
}

}  // namespace lanescope
