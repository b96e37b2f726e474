// The records of a spool file, by SpoolKind.
#pragma once

#include <cstdint>

#include "core/spool/spool_format.h"

namespace lanescope {

// Defines a text under the id `record.text`, counted from 1 in each block. `length` bytes of UTF-8
// without escapes follow, and one or more zeros.
struct SpoolText {
    SpoolRecord record;
    uint32_t length;
};

// A process begins to write. Its name is `record.text`.
struct SpoolProcess {
    SpoolRecord record;
    uint64_t ticks;
    uint32_t pid;
    uint32_t parent;
    uint32_t command;       // a text: its command line
    uint32_t rank_and_one;  // rank in a distributed job + 1; 0: none
};

// The recorder saw that a process had ended. `status` as from wait(); -1: unknown. If `was_running`
// is not 0, the process executed another program instead, between that time and `ticks`.
struct SpoolProcessEnd {
    SpoolRecord record;
    uint64_t ticks;
    uint32_t pid;
    int32_t status;
    uint64_t was_running;  // ticks
};

// The thread `tid` of this process has the name `record.text`: given by the system or, with higher
// priority, by the program through NVTX.
struct SpoolThreadName {
    SpoolRecord record;
    uint32_t tid;
    uint32_t by_program;
};

// The category `category` of `domain` (a text; 0: the default domain) has the name `record.text`.
struct SpoolCategoryName {
    SpoolRecord record;
    uint32_t domain;
    uint32_t category;
};

// One instant, on CUPTI's clock in this process and in ticks.
struct SpoolClock {
    SpoolRecord record;
    uint64_t ticks;
    int64_t ns;
};

// A GPU with the name `record.text`. Unknown values are 0.
struct SpoolDevice {
    SpoolRecord record;
    uint32_t device;
    uint32_t capability_major, capability_minor;
    uint32_t multiprocessors;
    uint32_t warp_size;
    uint32_t max_threads_per_block, max_threads_per_multiprocessor;
    uint32_t max_warps_per_multiprocessor, max_blocks_per_multiprocessor;
    uint32_t registers_per_block, registers_per_multiprocessor;
    uint32_t shared_per_block, shared_per_multiprocessor;
    uint32_t core_clock_khz, memory_clock_khz, memory_bus_bits;
    uint64_t memory_bytes, memory_bandwidth_kb_per_s, l2_bytes;
};

// A context of this process, and its device.
struct SpoolContext {
    SpoolRecord record;
    uint32_t context;
    uint32_t device;
};

// A stream of this process has the name `record.text`.
struct SpoolStreamName {
    SpoolRecord record;
    uint32_t context;
    uint32_t stream;
};

// A device or context of this process has the name `record.text`: kind 1 device, 2 context.
struct SpoolObjectName {
    SpoolRecord record;
    uint32_t kind;
    uint32_t id;
};

enum SpoolSeverity : uint32_t { kSpoolNote = 0, kSpoolWarning = 1 };

// A message for the reader: `record.text`.
struct SpoolMessage {
    SpoolRecord record;
    uint32_t severity;  // SpoolSeverity
    uint32_t reserved;
};

// A number of lost records; `record.text` says who lost them.
struct SpoolDropped {
    SpoolRecord record;
    uint64_t ticks;
    uint64_t count;
};

enum SpoolPayload : uint32_t {
    kSpoolNoPayload = 0,
    kSpoolUnsigned = 1,
    kSpoolSigned = 2,
    kSpoolReal = 3,  // the bits of a double
};

// NVTX: a range begins on this thread, or a mark. The shortest form has 16 bytes.
struct SpoolRange {
    SpoolRecord record;
    uint64_t ticks;
    uint32_t domain;  // a text; 0: the default domain
    uint32_t category;
    uint32_t color;         // ARGB; 0: none
    uint32_t payload_kind;  // SpoolPayload
    uint64_t payload;
    uint64_t id;  // kSpoolRangeStart: unique in this process
};

// The innermost range of this thread and domain ends.
struct SpoolPop {
    SpoolRecord record;
    uint64_t ticks;
    uint32_t domain;
    uint32_t reserved;
};

// Most pushes and pops are brief: the low byte of `kind` is the domain (a text id below 256; 0: the
// default domain). In a pop, `text` is the number of ticks since the previous push, pop or mark in
// the block. In a push, the low 20 bits are these ticks and the high 12 bits are the text id. A pop
// takes 8 bytes, as does a push without attributes; with category and look a push takes 16, with a
// payload 24.
struct SpoolBrief {
    SpoolRecord record;
    uint32_t category;
    uint32_t look;  // red, green, blue; from bit 24 SpoolPayload; bit 31: has a colour
    uint64_t payload;
};

inline constexpr uint32_t kSpoolBriefTickBits = 20;
inline constexpr uint32_t kSpoolBriefDomains = 256;
inline constexpr uint32_t kSpoolLookColor = 1u << 31;

inline constexpr bool spool_is_brief(uint16_t kind, SpoolKind which) {
    return (kind & ~(kSpoolBriefDomains - 1)) == which;
}

struct SpoolRangeEnd {
    SpoolRecord record;
    uint64_t ticks;
    uint64_t id;
};

enum SpoolApi : uint32_t { kSpoolRuntimeApi = 1, kSpoolDriverApi = 2 };

// All following times are nanoseconds of CUPTI's clock: see SpoolClock. A call of the CUDA runtime
// or driver named `record.text` by thread `tid`.
struct SpoolCall {
    SpoolRecord record;
    int64_t start, end;
    uint32_t tid;
    uint32_t correlation;
    uint32_t api;  // SpoolApi
    uint32_t result;
};

struct SpoolKernel {
    SpoolRecord record;
    int64_t start, end;
    uint32_t device, context, stream, correlation;
    int32_t grid[3], block[3];
    int32_t cluster[3];
    uint32_t registers;
    int32_t static_shared, dynamic_shared;  // bytes
    uint32_t local_per_thread;              // bytes
    uint32_t graph;
    uint64_t graph_node;
    int64_t queued, submitted;  // 0: not recorded
};

// A copy; between devices, `to_device` and `to_context` are the destination.
struct SpoolCopy {
    SpoolRecord record;  // no text
    int64_t start, end;
    uint64_t bytes;
    uint32_t device, context, stream, correlation;
    uint8_t copy_kind, from_kind, to_kind, is_peer;  // as CUPTI numbers them
    uint32_t from_device, to_device;
    uint32_t graph;
    uint64_t graph_node;
};

struct SpoolSet {
    SpoolRecord record;  // no text
    int64_t start, end;
    uint64_t bytes;
    uint32_t device, context, stream, correlation;
    uint32_t value;
    uint32_t memory_kind;
    uint32_t graph;
    uint32_t reserved;
    uint64_t graph_node;
};

struct SpoolSynchronisation {
    SpoolRecord record;  // no text
    int64_t start, end;
    uint32_t sync_kind;  // as CUPTI numbers them
    uint32_t context, stream, correlation;
    uint32_t event;
    uint32_t device;
};

// Overhead of the profiler itself.
struct SpoolOverhead {
    SpoolRecord record;  // no text
    int64_t start, end;
    uint32_t overhead_kind;  // as CUPTI numbers them
    uint32_t tid;
};

// An allocation or release of memory.
struct SpoolMemory {
    SpoolRecord record;  // no text
    int64_t time;
    uint64_t address, bytes;
    uint32_t device, context, stream, correlation;
    uint32_t operation;  // 1 allocation, 2 release
    uint32_t memory_kind;
    uint32_t tid;
    uint32_t reserved;
};

// A value at a time in ticks. The curve's name is `record.text`.
struct SpoolCounter {
    SpoolRecord record;
    uint64_t ticks;
    double value;
    uint32_t pid;     // the process; 0: the machine or the device
    uint32_t device;  // a GPU's number + 1; 0: none
    uint32_t unit;    // a text: "%", "bytes", "W", …
    uint32_t reserved;
};

// The stack of one thread at one time. `frames` numbers of SpoolFrame follow, 32 bits each, from
// the outermost function to the running one.
struct SpoolSample {
    SpoolRecord record;  // no text
    int64_t ns;          // of CLOCK_MONOTONIC; the recorder's SpoolClock relates it to ticks
    uint32_t pid, tid;
    uint32_t period_ns;  // CPU time between samples
    uint32_t frames;
};

enum SpoolWaitState : uint32_t {
    kSpoolBlocked = 1,    // it waited for something
    kSpoolPreempted = 2,  // it could have continued, but other threads ran
};

// A time in which a thread did not run. Numbers of frames follow as for SpoolSample: the stack in
// which it waited, or none if that is not known. The record is written when the time ends.
struct SpoolWait {
    SpoolRecord record;  // no text
    int64_t ns, end_ns;  // of CLOCK_MONOTONIC, like SpoolSample
    uint32_t pid, tid;
    uint32_t state;  // SpoolWaitState
    uint32_t frames;
};

// A file with code. `record.text` is its path, or the kernel's name.
struct SpoolImage {
    SpoolRecord record;
    uint32_t image;           // its number in this file, from 1
    uint32_t build_id_bytes;  // 0: not known
    uint8_t build_id[24];
};

// A code location; `record.text` is the function from the symbol table, 0 if it was not found.
struct SpoolFrame {
    SpoolRecord record;
    uint32_t frame;       // its number in this file, from 1
    uint32_t image;       // 0: none is known
    uint64_t address;     // SpoolAddress says what it is relative to
    uint32_t address_of;  // SpoolAddress
    uint32_t reserved;
};

enum SpoolAddress : uint32_t {
    kSpoolElfAddress = 1,      // as in the image's headers
    kSpoolFileOffset = 2,      // offset in the image, which could not be read
    kSpoolProcessAddress = 3,  // address in the process: the image is unknown
};

// A sampled thread; `record.text` is its name in the system.
struct SpoolSampledThread {
    SpoolRecord record;
    uint32_t pid, tid;
};

enum SpoolPythonFlags : uint32_t {
    kSpoolKnowsGil = 1,  // whether the thread holds the GIL is known …
    kSpoolHoldsGil = 2,
    kSpoolKnowsRunning = 4,  // … and whether it runs on a processor, or could run
    kSpoolRunning = 8,
};

// The Python functions on the stack of one thread at one time. `frames` numbers of SpoolPythonFrame
// follow, 32 bits each, from the outermost function to the innermost one.
struct SpoolPythonSample {
    SpoolRecord record;  // no text
    uint64_t ticks;
    uint32_t pid, tid;
    uint32_t period_ns;  // wall-clock time since the thread's previous sample
    uint32_t frames;
    uint32_t flags;  // SpoolPythonFlags
    uint32_t reserved;
};

// A line of a Python function; `record.text` is the function's qualified name. Numbers are separate
// from those of SpoolFrame.
struct SpoolPythonFrame {
    SpoolRecord record;
    uint32_t frame;       // its number in this file, from 1
    uint32_t file;        // a text: the source file; 0: not known
    uint32_t first_line;  // where the function begins; lines count from 1
    uint32_t line;
};

// A thread with Python samples; `record.text` is its name in the system.
struct SpoolPythonThread {
    SpoolRecord record;
    uint32_t pid, tid;
};

}  // namespace lanescope
