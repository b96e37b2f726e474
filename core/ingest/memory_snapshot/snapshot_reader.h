// Builds a trace from a decoded memory snapshot of PyTorch's allocator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ingest/build/trace_sink.h"
#include "core/ingest/format.h"
#include "core/ingest/memory_snapshot/pickle.h"
#include "core/ingest/memory_snapshot/snapshot_budget.h"
#include "core/ingest/memory_snapshot/snapshot_memory.h"

namespace lanescope {

// A number of bytes in the bounds of what a device can have.
constexpr int64_t snapshot_bytes(int64_t bytes) {
    return std::clamp<int64_t>(bytes, 0, int64_t{1} << 52);
}

class SnapshotReader {
  public:
    // `pickle_bytes`: the pickle's size.
    SnapshotReader(const ReadJob& job, TraceBuilder& builder, const Pickle& pickle,
                   uint64_t pickle_bytes);

    // Errors: it is no snapshot, or an empty one; cancelled.
    Result<void> run();

  private:
    static constexpr std::size_t kMostDevices = 1024;

    struct Block {  // in a segment
        int64_t address, size;
        uint32_t stack;
    };
    struct Device {
        int64_t reserved = 0;   // bytes at the end
        int64_t allocated = 0;  // bytes at the end, as the events count them
        std::vector<Block> used;
        LocalId lane = 0;
        LocalId older = 0;  // lane of the blocks allocated before the first event
        int32_t ordinal = 0;
        bool has_events = false;
    };
    struct Entry {
        Nanos time = 0;
        SnapshotEvent facts;
    };
    struct Call {  // an open call in a lane of stacks
        uint32_t function;
        bool is_innermost;
        Nanos begin;
        uint64_t source;
    };

    void read_segments(const PickleValue& segments);
    void read_blocks(const PickleValue& segment, Device& device);
    void read_trace(uint32_t ordinal, const PickleValue& trace);
    std::vector<Entry> entries_of(const PickleValue& trace);
    void add_entries(Device& device, std::vector<Entry>& entries);
    void add_older_blocks(const Device& device, const std::vector<Entry>& entries,
                          int64_t allocated, int64_t reserved);
    void add_devices_without_events();
    void warn_of_snapshot();
    void add_memory(const Device& device, LocalId lane, Nanos time, const SnapshotEvent& facts,
                    int64_t bytes, int64_t allocated, int64_t reserved);
    void add_mark(const Device& device, const Entry& entry);
    void add_calls(LocalId lane, std::span<const Entry> entries);
    void close_calls(LocalId lane, std::vector<Call>& open, std::size_t kept, Nanos end);
    void add_settings();
    void add_annotations(const PickleValue& annotations);
    Device* device(int64_t ordinal);  // null: there are too many
    uint32_t word(std::string_view text);
    uint32_t function(const PickleValue& frame);
    uint32_t stack(const PickleValue& frames);
    uint64_t keep(const SnapshotEvent& facts);
    Nanos relative(int64_t microseconds);

    const ReadJob& job_;
    TraceBuilder& builder_;
    const Pickle& pickle_;
    SnapshotMemory& memory_;
    TraceSink sink_;
    SnapshotBudget budget_;
    Result<void> stopped_;
    LocalId process_ = 0;
    std::map<int64_t, Device> devices_;
    std::map<std::string, uint32_t, std::less<>> words_;
    std::map<std::string, uint32_t, std::less<>> functions_;
    std::vector<bool> is_operator_;  // by index in SnapshotMemory::functions
    // Index of the function by index of the frame's container.
    std::unordered_map<uint32_t, uint32_t> frames_;
    // Index of the stack by index of the frame list's container.
    std::unordered_map<uint32_t, uint32_t> stacks_;
    std::map<std::vector<uint32_t>, uint32_t> equal_stacks_;
    std::optional<int64_t> begin_us_;  // Unix time of the first event
    bool has_times_ = true;
    bool has_history_ = false;
};

}  // namespace lanescope
