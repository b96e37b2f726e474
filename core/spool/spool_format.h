// The layout of a spool file: recorded programs write it while they run, and readers read it, also
// while it grows. docs/formats/spool.md describes the same.
//
// This file has the header, blocks and the head of a record; spool_records.h has the records. Plain
// structs and inline functions without a runtime library: the library that is injected into other
// programs includes only these files and the writer.
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
inline constexpr uint32_t kSpoolLongestText = 32000;  // in bytes; writers cut longer ones

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

    uint64_t end;              // position of the last claimed block
    uint32_t control;          // SpoolControl
    uint32_t next_process;     // number of the next process that will write
    uint64_t dropped_records;  // for lack of disk space or memory
    uint32_t complete;         // 1: the recorder has finished; nothing will be added
    uint32_t cut_texts;        // longer than kSpoolLongestText, as often as they were written
    uint32_t open_captures;    // ranges of `record --capture-range` that are open, in all processes
    uint32_t captures;         // number of such ranges, also of those that have ended
};

enum SpoolBlockKind : uint16_t {
    kSpoolEvents = 1,  // dropped first in a ring
    kSpoolFacts = 2,   // names, devices, clocks, messages: always kept
};

enum SpoolBlockState : uint32_t { kSpoolOpen = 1, kSpoolSealed = 2 };

// Blocks begin at multiples of 4096. A block is written by a single thread and is self-contained:
// it includes the texts that its records use, before these records.
struct SpoolBlock {
    uint32_t magic;
    uint16_t kind;        // SpoolBlockKind
    uint16_t head_bytes;  // 64; records begin there
    uint32_t bytes;       // bytes of the whole block
    uint32_t used;        // size of complete records; grows while the block is open
    uint32_t state;       // SpoolBlockState
    uint32_t process;     // the process's number in this file; 0: the recorder
    uint32_t pid;
    uint32_t tid;
    uint64_t first_ticks;  // time when it was claimed
    uint64_t last_ticks;   // time when it was sealed
    uint64_t checksum;     // spool_checksum(), set by the recorder when it finishes; 0: not set
    uint32_t sequence;     // counts a thread's blocks from 0
    uint32_t dropped;      // records that the thread lost before this block
};

// A record's size is a multiple of 8 bytes. If it is shorter than its struct, the rest is zero; if
// it is longer, it comes from a later version, and the rest is skipped. Unknown kinds are skipped.
struct SpoolRecord {
    uint16_t kind;   // SpoolKind
    uint16_t bytes;  // including this head
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
    // Python: sampled, and in blocks of facts, what these samples refer to
    kSpoolPythonSample = 65,
    kSpoolPythonFrame = 66,
    kSpoolPythonThread = 67,
    // Sampled: times in which a thread did not run
    kSpoolWait = 70,
    // NVTX, brief: SpoolBrief
    kSpoolBriefPush = 0x100,
    kSpoolBriefPop = 0x200,
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

// Changes the control if it is `from`; returns whether it was.
inline bool change_spool_control(SpoolHeader& header, SpoolControl from, SpoolControl to) {
    uint32_t expected = from;
    return __atomic_compare_exchange_n(&header.control, &expected, static_cast<uint32_t>(to), false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
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
