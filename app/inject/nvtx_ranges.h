// Writes NVTX's ranges and marks: what costs at every call.
#pragma once

#include <cstddef>

#include "app/inject/nvtx_names.h"
#include "app/inject/process.h"

namespace lanescope {

// How much of a record is written: the rest is zeros, which need not be there.
inline constexpr uint32_t kPlainRange = offsetof(SpoolRange, domain);
inline constexpr uint32_t kRangeInDomain = offsetof(SpoolRange, color);
inline constexpr uint32_t kRangeWithAttributes = offsetof(SpoolRange, id);

inline uint32_t text_id(ThreadState& thread, const NvtxText& text) {
    if (!text.text) return 0;
    return text.stays ? spool_lasting_text(spool, thread.events, text.text)
                      : spool_text(spool, thread.events, text.text);
}

// Category, colour and payload; how many bytes of the record they need.
uint32_t fill_attributes(SpoolRange& range, const nvtxEventAttributes_t& attributes);

template <uint32_t bytes>
inline bool write_range_of(ThreadState& thread, SpoolKind kind, const NvtxDomain& domain,
                           const NvtxText& text, SpoolRange& range) {
    return write_record(
        spool, thread.events, range, kind,
        SpoolBytes<bytes>(), [&](SpoolRange & record) __attribute__((always_inline)) {
            record.record.text = text_id(thread, text);
            if constexpr (bytes > kPlainRange) record.domain = text_id(thread, {domain.name, true});
            // The time last, so that what went before is not in the range.
            record.ticks = spool_ticks(spool.tick_kind);
        });
}

// Writes one record with its texts, its first `bytes` at least. False when there is no room, or we
// are in the middle of another record already (in a signal's handler).
inline bool write_range(ThreadState& thread, SpoolKind kind, const NvtxDomain& domain,
                        const NvtxText& text, SpoolRange& range, uint32_t bytes) {
    if (thread.is_writing != 0) return false;
    thread.is_writing = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    bool written = false;
    if (bytes == kPlainRange && !domain.name)
        written = write_range_of<kPlainRange>(thread, kind, domain, text, range);
    else if (bytes <= kRangeInDomain)
        written = write_range_of<kRangeInDomain>(thread, kind, domain, text, range);
    else if (bytes <= kRangeWithAttributes)
        written = write_range_of<kRangeWithAttributes>(thread, kind, domain, text, range);
    else
        written = write_range_of<sizeof(SpoolRange)>(thread, kind, domain, text, range);
    if (written && kind != kSpoolRangeStart) thread.events.last_ticks = range.ticks;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread.is_writing = 0;
    return written;
}

// The usual push: of the default domain, with a text that the block has from this place already,
// and room for it. False, and nothing done, when it is not that.
inline bool write_known_push(SpoolStream& events, const char* text) {
    const SpoolTextSlot& slot = pointer_slot(events, text);
    if (slot.pointer != text || slot.epoch != events.epoch || !events.block ||
        events.used + kPlainRange > events.capacity)
        return false;
    char* const records = reinterpret_cast<char*>(events.block) + sizeof(SpoolBlock);
    if (std::strcmp(records + slot.offset + sizeof(SpoolText), text) != 0) return false;
    struct {
        SpoolRecord record;
        uint64_t ticks;
    } push = {{kSpoolPush, kPlainRange, slot.id}, spool_ticks(spool.tick_kind)};
    static_assert(sizeof push == kPlainRange && offsetof(SpoolRange, ticks) == sizeof push.record);
    std::memcpy(records + events.used, &push, sizeof push);
    events.last_ticks = push.ticks;
    publish_record(events, sizeof push);
    return true;
}

// Gives the level of the new range, from 0; -1: it is none that write_known_push() takes.
__attribute__((always_inline)) inline int push_known(const char* text) {
    ThreadState* thread = this_thread;
    if (!thread || thread->events.tid == 0 || thread->is_writing != 0 || !text || !is_recording())
        return -1;
    thread->is_writing = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    const bool written = write_known_push(thread->events, text);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->is_writing = 0;
    if (!written) return -1;
    RangeDepth& depth = thread->depths[kDefaultDomain.slot];
    depth.left_out <<= 1;
    return static_cast<int>(depth.depth++);
}

// Gives the level of the new range, from 0.
inline int push_range(const NvtxDomain& domain, const NvtxText& text, SpoolRange& range,
                      uint32_t bytes) {
    ThreadState* thread = thread_state();
    if (!thread) return NVTX_NO_PUSH_POP_TRACKING;
    RangeDepth& depth = thread->depths[domain.slot];
    const bool written =
        is_recording() && write_range(*thread, kSpoolPush, domain, text, range, bytes);
    depth.left_out = depth.left_out << 1 | static_cast<uint64_t>(!written);
    return static_cast<int>(depth.depth++);
}

void write_pop(ThreadState& thread, const NvtxDomain& domain, uint64_t ticks);

// Gives the level of the range that ends.
__attribute__((always_inline)) inline int pop_range(const NvtxDomain& domain) {
    ThreadState* thread = this_thread;
    if (!thread || thread->depths[domain.slot].depth == 0) return NVTX_NO_PUSH_POP_TRACKING;
    RangeDepth& depth = thread->depths[domain.slot];
    const uint64_t ticks = spool_ticks(spool.tick_kind);
    const bool left_out = depth.left_out & 1;
    depth.left_out >>= 1;
    --depth.depth;
    // A range that began before a pause ends in it.
    if (!left_out && thread->is_writing == 0 &&
        spool_load(spool.header->control) != kSpoolStopped) {
        thread->is_writing = 1;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (domain.name || !write_short_pop(thread->events, ticks))
            write_pop(*thread, domain, ticks);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        thread->is_writing = 0;
    }
    return static_cast<int>(depth.depth);
}

void write_mark(const NvtxDomain& domain, const NvtxText& text, SpoolRange& range, uint32_t bytes);
// The new range's id; 0 when it is not recorded.
uint64_t start_range(const NvtxDomain& domain, const NvtxText& text, SpoolRange& range);
void end_range(uint64_t id);

}  // namespace lanescope
