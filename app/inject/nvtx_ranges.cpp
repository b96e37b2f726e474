#include "app/inject/nvtx_ranges.h"

namespace lanescope {

uint32_t fill_attributes(SpoolRange& range, const nvtxEventAttributes_t& attributes) {
    range.category = attributes.category;
    uint32_t bytes = attributes.category == 0 ? kPlainRange : kRangeInDomain;
    if (attributes.colorType == NVTX_COLOR_ARGB) {
        range.color = attributes.color;
        bytes = kRangeWithAttributes;
    }
    const Payload payload = payload_of(attributes);
    range.payload_kind = payload.kind;
    range.payload = payload.bits;
    if (payload.kind != kSpoolNoPayload) bytes = kRangeWithAttributes;
    return bytes;
}

namespace {

// All domains beyond the slots share the last slot.
void remember_text(const NvtxDomain& domain, RangeDepth& depth, uint32_t text, uint32_t epoch) {
    if (!domain.name || domain.slot == kDomainSlots - 1) return;
    depth.text = text;
    depth.epoch = epoch;
}

void write_pop(ThreadState& thread, const NvtxDomain& domain, uint64_t ticks) {
    RangeDepth& depth = thread.depths[domain.slot];
    const bool is_known = !domain.name || depth.epoch == thread.events.epoch;
    if (is_known && write_brief_pop(thread.events, ticks, depth.text)) return;
    SpoolPop pop = {};
    pop.ticks = ticks;
    const bool written = write_record(spool, thread.events, pop, kSpoolPop,
                                      SpoolBytes<sizeof(SpoolPop)>(), [&](SpoolPop& record) {
                                          record.domain = text_id(thread, {domain.name, true});
                                      });
    if (!written) return;
    thread.events.last_ticks = ticks;
    remember_text(domain, depth, pop.domain, thread.events.epoch);
}

}  // namespace

int push_range(const NvtxDomain& domain, const NvtxText& text, SpoolRange& range, uint32_t bytes) {
    ThreadState* thread = thread_state();
    if (!thread) return NVTX_NO_PUSH_POP_TRACKING;
    RangeDepth& depth = thread->depths[domain.slot];
    const bool written =
        is_recording() && write_range(*thread, kSpoolPush, domain, text, range, bytes);
    if (written) remember_text(domain, depth, range.domain, thread->events.epoch);
    depth.left_out = depth.left_out << 1 | static_cast<uint64_t>(!written);
    return static_cast<int>(depth.depth++);
}

int pop_range(const NvtxDomain& domain) {
    ThreadState* thread = this_thread;
    if (!thread || thread->depths[domain.slot].depth == 0) return NVTX_NO_PUSH_POP_TRACKING;
    RangeDepth& depth = thread->depths[domain.slot];
    const uint64_t ticks = spool_ticks(spool.tick_kind);
    const bool left_out = depth.left_out & 1;
    depth.left_out >>= 1;
    --depth.depth;
    // A range that began before a pause ends during the pause.
    if (!left_out && thread->is_writing == 0 &&
        spool_load(spool.header->control) != kSpoolStopped) {
        const Writing writing(*thread);
        write_pop(*thread, domain, ticks);
    }
    return static_cast<int>(depth.depth);
}

void write_mark(const NvtxDomain& domain, const NvtxText& text, SpoolRange& range, uint32_t bytes) {
    ThreadState* thread = thread_state();
    if (thread && is_recording()) write_range(*thread, kSpoolMark, domain, text, range, bytes);
}

uint64_t start_range(const NvtxDomain& domain, const NvtxText& text, SpoolRange& range) {
    ThreadState* thread = thread_state();
    if (!thread || !is_recording()) return 0;
    range.id = next_range_id();
    return write_range(*thread, kSpoolRangeStart, domain, text, range, sizeof range) ? range.id : 0;
}

void end_range(uint64_t id) {
    ThreadState* thread = thread_state();
    if (!thread || id == 0 || thread->is_writing != 0 ||
        spool_load(spool.header->control) == kSpoolStopped)
        return;
    SpoolRangeEnd end = {};
    end.ticks = spool_ticks(spool.tick_kind);
    end.id = id;
    const Writing writing(*thread);
    write_record(spool, thread->events, end, kSpoolRangeEnd);
}

}  // namespace lanescope
