// Writes NVTX's ranges and marks: the code that runs at every call.
#pragma once

#include <cstddef>

#include "app/inject/nvtx_names.h"
#include "app/inject/process.h"

namespace lanescope {

// Calls use(text) with the text of attributes. A converted wide text is valid only during the call.
template <typename Use>
auto with_text(const nvtxEventAttributes_t* attributes, const Use& use) {
    if (attributes && attributes->size >= sizeof(nvtxEventAttributes_t)) {
        const nvtxMessageValue_t& message = attributes->message;
        if (attributes->messageType == NVTX_MESSAGE_TYPE_ASCII && message.ascii)
            return use(NvtxText{message.ascii, false});
        if (attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED && message.registered)
            return use(NvtxText{reinterpret_cast<const char*>(message.registered), true});
        if (attributes->messageType == NVTX_MESSAGE_TYPE_UNICODE && message.unicode) {
            const Narrow narrow(message.unicode);
            return use(NvtxText{narrow.text(), false});
        }
    }
    return use(NvtxText{});
}

// How much of a record is written: the other members are zero and may be omitted.
inline constexpr uint32_t kPlainRange = offsetof(SpoolRange, domain);
inline constexpr uint32_t kRangeInDomain = offsetof(SpoolRange, color);
inline constexpr uint32_t kRangeWithAttributes = offsetof(SpoolRange, id);

inline uint32_t text_id(ThreadState& thread, const NvtxText& text) {
    if (!text.text) return 0;
    return text.stays ? spool_lasting_text(spool, thread.events, text.text)
                      : spool_text(spool, thread.events, text.text);
}

struct Payload {
    SpoolPayload kind;
    uint64_t bits;
};

inline Payload payload_of(const nvtxEventAttributes_t& attributes) {
    const auto real = [](double value) {
        Payload payload = {kSpoolReal, 0};
        std::memcpy(&payload.bits, &value, sizeof payload.bits);
        return payload;
    };
    switch (attributes.payloadType) {
        case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
            return {kSpoolUnsigned, attributes.payload.ullValue};
        case NVTX_PAYLOAD_TYPE_INT64:
            return {kSpoolSigned, static_cast<uint64_t>(attributes.payload.llValue)};
        case NVTX_PAYLOAD_TYPE_DOUBLE:
            return real(attributes.payload.dValue);
        case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
            return {kSpoolUnsigned, attributes.payload.uiValue};
        case NVTX_PAYLOAD_TYPE_INT32:
            return {kSpoolSigned, static_cast<uint64_t>(int64_t{attributes.payload.iValue})};
        case NVTX_PAYLOAD_TYPE_FLOAT:
            return real(static_cast<double>(attributes.payload.fValue));
        default:
            return {kSpoolNoPayload, 0};
    }
}

// Category, colour and payload; returns the number of bytes that the record needs for them.
uint32_t fill_attributes(SpoolRange& range, const nvtxEventAttributes_t& attributes);

template <uint32_t bytes>
inline bool write_range_of(ThreadState& thread, SpoolKind kind, const NvtxDomain& domain,
                           const NvtxText& text, SpoolRange& range) {
    return write_record(
        spool, thread.events, range, kind,
        SpoolBytes<bytes>(), [&](SpoolRange & record) __attribute__((always_inline)) {
            record.record.text = text_id(thread, text);
            if constexpr (bytes > kPlainRange) record.domain = text_id(thread, {domain.name, true});
            // The time comes last, so that the work above is not part of the range.
            record.ticks = spool_ticks(spool.tick_kind);
        });
}

// During its lifetime, events from signal handlers are dropped.
class Writing {
  public:
    explicit Writing(ThreadState& thread) : thread_(thread) {
        thread_.is_writing = 1;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
    ~Writing() {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        thread_.is_writing = 0;
    }
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

  private:
    ThreadState& thread_;
};

// Writes one record with its texts, at least its first `bytes`. False if there is no space, or if
// this thread is already writing a record (in a signal handler).
inline bool write_range(ThreadState& thread, SpoolKind kind, const NvtxDomain& domain,
                        const NvtxText& text, SpoolRange& range, uint32_t bytes) {
    if (thread.is_writing != 0) return false;
    const Writing writing(thread);
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
    return written;
}

// The processor's time stamp counter, read inline; with other ticks, the common push and pop are
// not written here.
#if defined(__x86_64__)
inline constexpr uint32_t kCounter = kSpoolTsc;
#else
inline constexpr uint32_t kCounter = kSpoolVirtualCount;
#endif

// The attributes of a range except its text: category and colour and, with 24 bytes, a payload.
template <uint32_t bytes>
__attribute__((always_inline)) inline void fill_brief(SpoolBrief& brief,
                                                      const nvtxEventAttributes_t& attributes) {
    brief.category = attributes.category;
    if (attributes.colorType == NVTX_COLOR_ARGB && attributes.color != 0)
        brief.look = kSpoolLookColor | (attributes.color & 0xFFFFFF);
    if constexpr (bytes == sizeof brief) {
        const Payload payload = payload_of(attributes);
        brief.look |= payload.kind << 24;
        brief.payload = payload.bits;
    }
}

// The common push: its text has the same pointer as before and is already in the block, its domain
// is too, and there is space. Calls no function, so that it needs no stack. In all other cases
// returns false and writes nothing. `attributes` are only read if `bytes` is above 8.
template <bool text_stays, uint32_t bytes>
__attribute__((always_inline)) inline bool write_known_push(
    ThreadState& thread, const RangeDepth& depth, bool has_domain, const char* text,
    const nvtxEventAttributes_t* attributes) {
    const Writing writing(thread);
    SpoolStream& events = thread.events;
    const SpoolPointerSlot& slot = pointer_slot(events, text);
    if (slot.pointer != text || slot.epoch != events.epoch) return false;
    if (has_domain && depth.epoch != events.epoch) return false;
    if (!text_stays && !has_text_of(slot, text)) return false;
    if (spool.tick_kind != kCounter) return false;
    SpoolBrief brief = {};
    if constexpr (bytes > sizeof(SpoolRecord)) fill_brief<bytes>(brief, *attributes);
    return write_brief_push<bytes>(events, brief, spool_ticks(kCounter),
                                   has_domain ? depth.text : 0, slot.id);
}

// Any push; returns the level of the new range, from 0.
int push_range(const NvtxDomain& domain, const NvtxText& text, SpoolRange& range, uint32_t bytes);
// push_range() for the common push (`domain` null: the default domain); -1: this is not a common
// push.
template <bool text_stays, uint32_t bytes>
__attribute__((always_inline)) inline int push_known(const NvtxDomain* domain, const char* text,
                                                     const nvtxEventAttributes_t* attributes) {
    ThreadState* const thread = this_thread;
    if (!thread || thread->is_writing != 0 || !is_recording()) return -1;
    RangeDepth& depth = thread->depths[domain ? domain->slot : 0];
    if (!write_known_push<text_stays, bytes>(*thread, depth, domain, text, attributes)) return -1;
    depth.left_out <<= 1;
    return static_cast<int>(depth.depth++ & INT32_MAX);
}

// Any pop; returns the level of the range that ends.
int pop_range(const NvtxDomain& domain);
// pop_range() for the common pop; -1: this is not a common pop.
__attribute__((always_inline)) inline int pop_known(const NvtxDomain* domain) {
    ThreadState* const thread = this_thread;
    if (!thread || spool.tick_kind != kCounter) return -1;
    const uint64_t ticks = spool_ticks(kCounter);
    RangeDepth& depth = thread->depths[domain ? domain->slot : 0];
    // A range that began before a pause ends during the pause.
    if (depth.depth == 0 || (depth.left_out & 1) != 0 || thread->is_writing != 0 ||
        spool_load(spool.header->control) == kSpoolStopped)
        return -1;
    {
        const Writing writing(*thread);
        if (domain && depth.epoch != thread->events.epoch) return -1;
        if (!write_brief_pop(thread->events, ticks, domain ? depth.text : 0)) return -1;
    }
    depth.left_out >>= 1;
    return static_cast<int>(--depth.depth & INT32_MAX);
}

void write_mark(const NvtxDomain& domain, const NvtxText& text, SpoolRange& range, uint32_t bytes);
// The new range's id; 0 if it is not recorded.
uint64_t start_range(const NvtxDomain& domain, const NvtxText& text, SpoolRange& range);
void end_range(uint64_t id);

}  // namespace lanescope
