// What a loaded snapshot keeps for the arguments of its events: texts and numbers, without the
// pickle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ingest/format.h"

namespace lanescope {

struct SnapshotEvent {
    uint32_t action = 0;  // in SnapshotMemory::words
    uint32_t stack = 0;   // in SnapshotMemory::stacks
    int64_t address = kNoValue;
    int64_t size = kNoValue;
    int64_t stream = kNoValue;
    int64_t device_free = kNoValue;  // of an error of memory
};

// Events by their position, which is Chunk::source or Instants::source.
struct SnapshotMemory : FormatMemory {
    std::vector<std::string> words;
    // Functions, the innermost first: "forward (model.py:12)".
    std::vector<std::string> functions;
    std::vector<std::vector<uint32_t>> stacks;  // of numbers of functions; 0: no stack
    std::vector<SnapshotEvent> events;

    std::vector<Argument> arguments(uint64_t source) const;
};

}  // namespace lanescope
