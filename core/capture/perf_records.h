// What Linux writes about a sampled process into the rings of perf events, as linux/perf_event.h
// has it: records of the events that cpu_sampler opens, and no others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/nanos.h"

namespace lanescope {

enum class PerfKind : uint8_t {
    sample,   // a stack
    mapping,  // a file was mapped, so that code can run from it
    name,     // a thread was named; by exec: its process runs another program from now on
    fork,     // a thread or process begins
    exit,     // a thread ends
    lost,     // there was no room for so many records
};

struct PerfRecord {
    PerfKind kind = PerfKind::sample;
    Nanos time = 0;  // of CLOCK_MONOTONIC
    uint32_t pid = 0, tid = 0;
    uint32_t parent = 0;  // of fork: the pid that it was forked from
    bool by_exec = false;
    uint64_t count = 0;            // of lost
    uint64_t address = 0;          // of mapping, as is the rest; in the process
    uint64_t bytes = 0;            //
    uint64_t offset = 0;           // in the file
    std::string build_id;          // empty: not told
    std::string text;              // the path, or the name
    std::vector<uint64_t> frames;  // of sample: of user code, from the innermost outwards
};

// Calls take() for each whole record of a known kind; others are passed over. Gives how many bytes
// were whole records: less than there are where they are damaged, or cut.
std::size_t read_perf_records(std::string_view bytes,
                              const std::function<void(PerfRecord&&)>& take);

// Takes the samples out of whole records and leaves the rest; how many they were.
uint64_t drop_samples(std::string& bytes);

// What a ring of `size` bytes holds between the two positions, which count all bytes ever written.
std::string bytes_of_ring(const char* ring, std::size_t size, uint64_t tail, uint64_t head);

}  // namespace lanescope
