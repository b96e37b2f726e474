// The layout of a spool file: recorded programs write it while they run, and readers read it, also
// while it grows. docs/formats/spool.md describes the same.
//
// Plain structs and inline functions without a runtime library: the library that is injected into
// other programs includes only this file and the writer.
#pragma once

#include <cstdint>
#include <cstring>

namespace lanescope {

inline constexpr char kSpoolMagic[8] = {'\x89', 'L', 'S', 'P', 'O', 'O', 'L', '\n'};
inline constexpr uint32_t kSpoolVersion = 1;
inline constexpr uint32_t kSpoolByteOrder = 0x01020304;
inline constexpr uint32_t kSpoolPage = 4096;  // size of the header, and unit of blocks
inline constexpr uint32_t kSpoolBlockMagic = 0x4B424C53;
inline constexpr uint32_t kSpoolMaxBlock = 64u << 20;

// Values of SpoolHeader::control. A writer obeys a change by its next event.
enum SpoolControl : uint32_t { kSpoolStopped = 0, kSpoolRecording = 1, kSpoolPaused = 2 };

// The unit of ticks.
enum SpoolTicks : uint32_t {
    kSpoolTsc = 1,           // the processor's time stamp counter
    kSpoolMonotonic = 2,     // nanoseconds of CLOCK_MONOTONIC
    kSpoolVirtualCount = 3,  // cntvct_el0
};

// The first page of the file. Members from `end` on change during a recording, by atomic operations
// of several processes.
struct SpoolHeader {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint32_t header_bytes;  // earliest position of the first block: 4096
    uint32_t tick_kind;     // SpoolTicks
    // One instant on three clocks, and the length of a tick: ns = ticks * tick_ns / 2^32. The
    // recorder measures it before the program begins, and again over the whole recording at the
    // end.
    uint64_t ticks;
    int64_t monotonic_ns;
    int64_t unix_ns;
    uint64_t tick_ns;
    uint64_t limit_bytes;  // writers claim no space beyond it; 0: no limit
    uint64_t ring_ns;      // blocks of older events may be dropped; 0: keep all
    uint32_t recorder_pid;
    uint32_t reserved;
    char host[64];      // this and the next end with a 0, truncated if necessary
    char command[512];  // as it was typed

    uint64_t end;              // of the last claimed block
    uint32_t control;          // SpoolControl
    uint32_t next_process;     // number of the next process that will write
    uint64_t dropped_records;  // for lack of disk space or memory
    uint32_t complete;         // 1: the recorder has finished; nothing will be added
    uint32_t reserved2;
};

enum SpoolBlockKind : uint16_t {
    kSpoolEvents = 1,  // given up first in a ring
    kSpoolFacts = 2,   // names, devices, clocks, messages: always kept
};

enum SpoolBlockState : uint32_t { kSpoolOpen = 1, kSpoolSealed = 2 };

// Blocks begin at multiples of 4096. A block is written by a single thread and is self-contained:
// it includes the texts that its records use, before these records.
struct SpoolBlock {
    uint32_t magic;
    uint16_t kind;        // SpoolBlockKind
    uint16_t head_bytes;  // 64; records begin there
    uint32_t bytes;       // of the whole block
    uint32_t used;        // size of complete records; grows while the block is open
    uint32_t state;       // SpoolBlockState
    uint32_t process;     // the process's number in this file; 0: the recorder
    uint32_t pid;
    uint32_t tid;
    uint64_t first_ticks;  // when it was claimed
    uint64_t last_ticks;   // when it was sealed
    uint64_t checksum;     // spool_checksum(), set by the recorder when it finishes; 0: not set
    uint32_t sequence;     // counts a thread's blocks from 0
    uint32_t dropped;      // records that the thread lost before this block
};

// A record's size is a multiple of 8 bytes. If it is shorter than its struct, the rest is zero; if
// it is longer, it comes from a later version, and the rest is skipped. Unknown kinds are skipped.
struct SpoolRecord {
    uint16_t kind;   // SpoolKind
    uint16_t bytes;  // with this head
    uint32_t text;   // the record's name: a text id of its block; 0: none
};

enum SpoolKind : uint16_t {
    // In any block
    kSpoolText = 1,
    // In blocks of facts
    kSpoolProcess = 2,
    kSpoolThreadName = 3,
    kSpoolCategoryName = 4,
    kSpoolClock = 5,
    kSpoolDevice = 6,
    kSpoolContext = 7,
    kSpoolStreamName = 8,
    kSpoolMessage = 9,
    kSpoolDropped = 10,
    kSpoolProcessEnd = 11,
    kSpoolObjectName = 12,
    // NVTX
    kSpoolPush = 20,
    kSpoolPop = 21,
    kSpoolRangeStart = 22,
    kSpoolRangeEnd = 23,
    kSpoolMark = 24,
    // CUDA
    kSpoolCall = 40,
    kSpoolKernel = 41,
    kSpoolCopy = 42,
    kSpoolSet = 43,
    kSpoolSynchronisation = 44,
    kSpoolOverhead = 45,
    kSpoolMemory = 46,
    // Sampled
    kSpoolCounter = 60,
    kSpoolSample = 61,
    // … and in blocks of facts, what samples refer to
    kSpoolImage = 62,
    kSpoolFrame = 63,
    kSpoolSampledThread = 64,
    // NVTX, brief: SpoolBrief
    kSpoolBriefPush = 0x100,
    kSpoolBriefPop = 0x200,
};

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
    uint32_t command;  // a text: its command line
    uint32_t reserved;
};

// The recorder saw a process end. `status` as from wait(); -1: unknown.
struct SpoolProcessEnd {
    SpoolRecord record;
    uint64_t ticks;
    uint32_t pid;
    int32_t status;
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
    uint32_t operation;  // 1 taken, 2 given back
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
    uint64_t address;     // SpoolAddress says of what
    uint32_t address_of;  // SpoolAddress
    uint32_t reserved;
};

enum SpoolAddress : uint32_t {
    kSpoolElfAddress = 1,      // as in the image's headers
    kSpoolFileOffset = 2,      // in the image, which could not be read
    kSpoolProcessAddress = 3,  // in the process: the image is unknown
};

// A sampled thread; `record.text` is its name in the system.
struct SpoolSampledThread {
    SpoolRecord record;
    uint32_t pid, tid;
};

static_assert(sizeof(SpoolHeader) <= kSpoolPage);
static_assert(sizeof(SpoolBlock) == 64 && sizeof(SpoolRecord) == 8);

// Reads and writes of words that another thread or process changes.
template <typename T>
inline T spool_load(const T& word) {
    return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}
template <typename T>
inline void spool_store(T& word, T value) {
    __atomic_store_n(&word, value, __ATOMIC_RELEASE);
}

// A checksum of a sealed block's records and of the fields that describe them: four lanes of 64-bit
// words. Never 0.
inline uint64_t spool_checksum(const SpoolBlock& head, const void* records, uint32_t bytes) {
    constexpr uint64_t prime = 0x9E3779B185EBCA87ULL;
    uint64_t lane[4] = {uint64_t{head.process} << 32 | head.pid, uint64_t{head.tid} << 32 | bytes,
                        head.first_ticks, uint64_t{head.sequence} << 32 | head.kind};
    const char* at = static_cast<const char*>(records);
    for (uint32_t left = bytes; left >= 8;) {
        for (uint32_t i = 0; i < 4 && left >= 8; ++i, at += 8, left -= 8) {
            uint64_t word = 0;
            std::memcpy(&word, at, 8);
            lane[i] = (lane[i] ^ word) * prime;
            lane[i] ^= lane[i] >> 29;
        }
    }
    uint64_t sum = prime;
    for (const uint64_t one : lane) sum = ((sum ^ one) * prime) ^ (sum >> 31);
    return sum == 0 ? 1 : sum;
}

}  // namespace lanescope
