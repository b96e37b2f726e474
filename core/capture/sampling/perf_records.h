// Parses Linux's perf event records (linux/perf_event.h): only records of the events that
// cpu_sampler opens.
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
    sample,        // a stack
    mapping,       // a file was mapped for execution
    name,          // a thread was renamed; by exec: its process runs another program
    fork,          // a thread or process begins
    exit,          // a thread ends
    lost,          // records lost for lack of space
    lost_stacks,   // stacks of waits, lost for lack of space
    wait_stack,    // the stack of a thread that is about to stop running
    switched_out,  // a thread stops running
    switched_in,   // … and runs again
};

struct PerfRecord {
    PerfKind kind = PerfKind::sample;
    Nanos time = 0;  // of CLOCK_MONOTONIC
    uint32_t pid = 0, tid = 0;
    uint32_t parent = 0;  // fork: pid of the parent
    bool by_exec = false;
    bool is_preempted = false;  // switched_out: the thread could have continued
    uint64_t count = 0;         // number of lost records
    uint64_t address = 0;  // of a mapping, like all members that follow: address in the process
    uint64_t bytes = 0;    //
    uint64_t offset = 0;   // offset in the file
    std::string build_id;  // empty: not recorded
    std::string text;      // path of the file, or name of the thread
    std::vector<uint64_t> frames;  // sample: user code, innermost function first
    // Sample: registers of the user code by their DWARF numbers (kRegisterCount), and a copy of its
    // stack from the stack pointer on; empty: not recorded.
    std::vector<uint64_t> registers;
    std::string stack;
    bool is_stack_dropped = false;  // by drop_stacks()
};

// Calls take() for each complete record of a known kind. Returns the size of the complete records:
// less than all bytes if they are damaged or truncated.
std::size_t read_perf_records(std::string_view bytes,
                              const std::function<void(PerfRecord&&)>& take);

// Makes the samples of complete records stacks of waits, and likewise what is lost: a ring has only
// one kind, and the kernel's records are the same.
void mark_wait_stacks(std::string& bytes);

// Removes the samples from complete records; returns their number.
uint64_t drop_samples(std::string& bytes);

// Removes registers and copied stacks from the samples of complete records.
void drop_stacks(std::string& bytes);

// The contents of a ring of `size` bytes between two positions, which count all bytes ever written.
std::string bytes_of_ring(const char* ring, std::size_t size, uint64_t tail, uint64_t head);

}  // namespace lanescope
