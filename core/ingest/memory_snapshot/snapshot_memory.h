// Texts and numbers of a loaded snapshot that the arguments of its events need; replaces the
// pickle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ingest/format.h"

namespace lanescope {

struct SnapshotEvent {
    uint32_t action = 0;  // index in SnapshotMemory::words
    uint32_t stack = 0;   // index in SnapshotMemory::stacks
    int64_t address = kNoValue;
    int64_t size = kNoValue;  // bytes
    int64_t stream = kNoValue;
    int64_t device_free = kNoValue;  // bytes free on the device; only in out-of-memory events
};

// Chunk::source and Instants::source are indices in `events`.
struct SnapshotMemory : FormatMemory {
    std::vector<std::string> words;
    // Texts of the functions: "forward (model.py:12)".
    std::vector<std::string> functions;
    // Indices in `functions`, innermost first; stack 0 is empty.
    std::vector<std::vector<uint32_t>> stacks;
    std::vector<SnapshotEvent> events;

    std::vector<Argument> arguments(uint64_t source) const;
};

}  // namespace lanescope
