// Writes records to a spool file: claims blocks, interns texts, publishes record by record.
//
// Compiled into the core and into the library that other programs load. Therefore it needs no
// runtime library, allocates nothing but the blocks themselves, and preserves errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <type_traits>

#include "core/spool/spool_records.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace lanescope {

// A spool file, as a process sees it. Constant once attached.
struct SpoolFile {
    SpoolHeader* header = nullptr;
    // Device and inode identify the file, so that no other file is ever written.
    uint64_t device = 0;
    uint64_t inode = 0;
    uint32_t tick_kind = 0;
    bool is_on_disk = true;  // false: it is only in memory
    char path[1024] = {};
};

struct SpoolTextSlot {
    uint32_t hash;
    uint32_t epoch;   // epoch of the block that contains the text
    uint32_t offset;  // offset of its SpoolText, relative to the first record
    uint32_t id;
};

inline constexpr uint32_t kSpoolHeadBytes = 32;

// A pointer whose text was interned, and the text's beginning; one cache line.
struct alignas(64) SpoolPointerSlot {
    char head[kSpoolHeadBytes];
    const char* pointer;  // the pointer as the caller gave it
    uint32_t epoch, offset, id;
    uint32_t head_bits;  // mask of the bytes of `head` that are the text and its 0; 0: longer
};

inline constexpr uint32_t kSpoolTextBits = 11;
inline constexpr uint32_t kSpoolTextSlots = 1u << kSpoolTextBits;
inline constexpr uint32_t kSpoolPointerBits = 12;

// One thread's writing position in the file. All zero means that it has not begun.
struct SpoolStream {
    SpoolBlock* block;
    uint32_t used;
    uint32_t capacity;
    uint32_t epoch;  // counts blocks from 1: text ids are valid within one
    uint32_t next_text;
    uint32_t process, pid, tid;
    uint32_t sequence;
    uint32_t next_bytes;  // desired size of the next block
    uint32_t dropped;     // records lost since the last block
    uint16_t kind;        // SpoolBlockKind
    uint64_t retry_ticks;
    uint64_t last_ticks;  // ticks of the previous push, pop or mark in this block; 0: none
    SpoolPointerSlot by_pointer[1u << kSpoolPointerBits];
    SpoolTextSlot by_content[kSpoolTextSlots];
};

// Opens an existing spool for writing. False if there is none, or it is not writable.
bool attach_spool(SpoolFile& file, const char* path);

// Resets `stream`, without a block.
void begin_stream(SpoolStream& stream, SpoolBlockKind kind, uint32_t process, uint32_t pid,
                  uint32_t tid);
// Seals the stream's block, so that others can read all of it.
void seal_stream(const SpoolFile& file, SpoolStream& stream);

// Claims a block with space for `bytes` more. If there is none, returns false and counts a lost
// record.
bool claim_block(const SpoolFile& file, SpoolStream& stream, uint32_t bytes);

// The stored length of a text: it is never cut within a UTF-8 character.
uint32_t cut_spool_text(const char* text, std::size_t length);
// Counts a text that was cut.
void count_cut_text(const SpoolFile& file);

// The id of a text in the stream's block; 0 if there was no space. `length` may exceed the stored
// length. May begin a new block: see SpoolStream::epoch.
uint32_t spool_text(const SpoolFile& file, SpoolStream& stream, const char* text,
                    std::size_t length);
uint32_t intern_at_pointer(const SpoolFile& file, SpoolStream& stream, const char* text);

inline uint64_t spool_ticks(uint32_t tick_kind) {
#if defined(__x86_64__)
    if (tick_kind == kSpoolTsc) return __rdtsc();
#elif defined(__aarch64__)
    if (tick_kind == kSpoolVirtualCount) {
        uint64_t count = 0;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
        return count;
    }
#else
    (void)tick_kind;
#endif
    struct timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// The first of a pointer's two slots; the neighbour is the other one.
inline uint32_t pointer_place(const char* text) {
    const auto address = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(text));
    return static_cast<uint32_t>((address * 0x9E3779B97F4A7C15ULL) >> (64 - kSpoolPointerBits));
}

// The slot of a pointer, which may hold another pointer.
inline const SpoolPointerSlot& pointer_slot(const SpoolStream& stream, const char* text) {
    const uint32_t place = pointer_place(text);
    const SpoolPointerSlot& slot = stream.by_pointer[place];
    return slot.pointer == text ? slot : stream.by_pointer[place ^ 1];
}

// The id of a zero-terminated text. Most texts come from the same pointer as before. The text
// itself is compared too, since memory is reused.
inline uint32_t spool_text(const SpoolFile& file, SpoolStream& stream, const char* text) {
    const SpoolPointerSlot& slot = pointer_slot(stream, text);
    if (slot.pointer == text && slot.epoch == stream.epoch && stream.block) {
        const char* known = reinterpret_cast<const char*>(stream.block) + sizeof(SpoolBlock) +
                            slot.offset + sizeof(SpoolText);
        if (std::strcmp(known, text) == 0) return slot.id;
    }
    return intern_at_pointer(file, stream, text);
}

// Whether the text now at the pointer is the slot's text. Returns false, too, if a check would take
// longer: the text is long, or the memory after it may not be readable.
__attribute__((no_sanitize("address"))) inline bool has_text_of(const SpoolPointerSlot& slot,
                                                                const char* text) {
#if defined(__SSE2__)
    // Reads bytes beyond the text too, as strcmp() does, but never beyond the text's page.
    if (reinterpret_cast<uintptr_t>(text) % kSpoolPage > kSpoolPage - kSpoolHeadBytes) return false;
    const auto equal_bits = [&](int from) {
        const __m128i now = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + from));
        const __m128i then = _mm_load_si128(reinterpret_cast<const __m128i*>(slot.head + from));
        return static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(now, then)));
    };
    const uint32_t equal = equal_bits(0) | equal_bits(16) << 16;
    return slot.head_bits != 0 && (slot.head_bits & ~equal) == 0;
#else
    return slot.head_bits != 0 && std::strcmp(slot.head, text) == 0;
#endif
}

// spool_text() for a text that never changes: comparing the pointer is enough.
inline uint32_t spool_lasting_text(const SpoolFile& file, SpoolStream& stream, const char* text) {
    const SpoolPointerSlot& slot = pointer_slot(stream, text);
    if (slot.pointer == text && slot.epoch == stream.epoch && stream.block) return slot.id;
    return intern_at_pointer(file, stream, text);
}

// Space for one record, or null. The record counts only after publish_record().
inline void* reserve_record(const SpoolFile& file, SpoolStream& stream, uint32_t bytes) {
    if (stream.used + bytes > stream.capacity || !stream.block) [[unlikely]] {
        if (!claim_block(file, stream, bytes)) return nullptr;
    }
    return reinterpret_cast<char*>(stream.block) + sizeof(SpoolBlock) + stream.used;
}

inline void publish_record(SpoolStream& stream, uint32_t bytes) {
    stream.used += bytes;
    spool_store(stream.block->used, stream.used);
}

// A constant length, so that the compiler copies without a call.
template <uint32_t bytes>
using SpoolBytes = std::integral_constant<uint32_t, bytes>;

// Writes the first `bytes` (a number, or SpoolBytes) of one record with at most two texts.
// `name_texts(record)` sets their ids; it is called again if a new block begins between a text and
// its record.
template <typename Record, typename Bytes, typename NameTexts>
inline bool write_record(const SpoolFile& file, SpoolStream& stream, Record& record, SpoolKind kind,
                         Bytes bytes, const NameTexts& name_texts) {
    for (int tries = 0; tries < 6; ++tries) {
        if (!reserve_record(file, stream, bytes)) return false;
        const uint32_t epoch = stream.epoch;
        name_texts(record);
        void* at = reserve_record(file, stream, bytes);
        if (!at) return false;
        if (stream.epoch != epoch) continue;
        record.record.kind = kind;
        record.record.bytes = static_cast<uint16_t>(bytes);
        std::memcpy(at, &record, bytes);
        publish_record(stream, bytes);
        return true;
    }
    return false;
}

// Writes a brief record of `bytes` bytes, if there is space. Its parts are stored one by one from
// registers: storing them to memory and then copying them together would stall.
template <uint32_t bytes>
__attribute__((always_inline)) inline bool write_brief(SpoolStream& stream, const SpoolBrief& brief,
                                                       uint32_t kind, uint32_t value,
                                                       uint64_t ticks) {
    if (stream.used + bytes > stream.capacity) [[unlikely]]
        return false;
    char* const at = reinterpret_cast<char*>(stream.block) + sizeof(SpoolBlock) + stream.used;
    const uint64_t head = uint64_t{value} << 32 | bytes << 16 | kind;
    std::memcpy(at, &head, sizeof head);
    if constexpr (bytes > 8) {
        const uint64_t look = uint64_t{brief.look} << 32 | brief.category;
        std::memcpy(at + 8, &look, sizeof look);
    }
    if constexpr (bytes > 16) std::memcpy(at + 16, &brief.payload, sizeof brief.payload);
    stream.last_ticks = ticks;
    publish_record(stream, bytes);
    return true;
}

// `brief` holds category, look and payload, as far as `bytes` reach; `domain` and `text` are ids of
// the block. False if a brief record cannot hold them.
template <uint32_t bytes>
__attribute__((always_inline)) inline bool write_brief_push(SpoolStream& stream,
                                                            const SpoolBrief& brief, uint64_t ticks,
                                                            uint32_t domain, uint32_t text) {
    const uint64_t elapsed = ticks - stream.last_ticks;
    if ((elapsed >> kSpoolBriefTickBits | text >> (32 - kSpoolBriefTickBits) |
         domain / kSpoolBriefDomains) != 0)
        return false;
    return write_brief<bytes>(stream, brief, kSpoolBriefPush | domain,
                              text << kSpoolBriefTickBits | static_cast<uint32_t>(elapsed), ticks);
}

inline bool write_brief_pop(SpoolStream& stream, uint64_t ticks, uint32_t domain) {
    const uint64_t elapsed = ticks - stream.last_ticks;
    if ((elapsed >> 32 | domain / kSpoolBriefDomains) != 0) return false;
    return write_brief<8>(stream, {}, kSpoolBriefPop | domain, static_cast<uint32_t>(elapsed),
                          ticks);
}

template <typename Record>
bool write_record(const SpoolFile& file, SpoolStream& stream, Record record, SpoolKind kind) {
    return write_record(file, stream, record, kind, SpoolBytes<sizeof(Record)>(), [](Record&) {});
}

}  // namespace lanescope
