#include "app/inject/nvtx_ranges.h"

namespace lanescope {

uint32_t fill_attributes(SpoolRange& range, const nvtxEventAttributes_t& attributes) {
    range.category = attributes.category;
    uint32_t bytes = attributes.category == 0 ? kPlainRange : kRangeInDomain;
    if (attributes.colorType == NVTX_COLOR_ARGB) {
        range.color = attributes.color;
        bytes = kRangeWithAttributes;
    }
    const auto set = [&](SpoolPayload kind, uint64_t value) {
        range.payload_kind = kind;
        range.payload = value;
        bytes = kRangeWithAttributes;
    };
    const auto set_real = [&](double value) {
        uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        set(kSpoolReal, bits);
    };
    switch (attributes.payloadType) {
        case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
            set(kSpoolUnsigned, attributes.payload.ullValue);
            break;
        case NVTX_PAYLOAD_TYPE_INT64:
            set(kSpoolSigned, static_cast<uint64_t>(attributes.payload.llValue));
            break;
        case NVTX_PAYLOAD_TYPE_DOUBLE:
            set_real(attributes.payload.dValue);
            break;
        case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
            set(kSpoolUnsigned, attributes.payload.uiValue);
            break;
        case NVTX_PAYLOAD_TYPE_INT32:
            set(kSpoolSigned, static_cast<uint64_t>(int64_t{attributes.payload.iValue}));
            break;
        case NVTX_PAYLOAD_TYPE_FLOAT:
            set_real(static_cast<double>(attributes.payload.fValue));
            break;
        default:
            break;
    }
    return bytes;
}

void write_pop(ThreadState& thread, const NvtxDomain& domain, uint64_t ticks) {
    SpoolPop pop = {};
    pop.ticks = ticks;
    const bool written = write_record(spool, thread.events, pop, kSpoolPop,
                                      SpoolBytes<sizeof(SpoolPop)>(), [&](SpoolPop& record) {
                                          record.domain = text_id(thread, {domain.name, true});
                                      });
    if (written) thread.events.last_ticks = ticks;
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
    thread->is_writing = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    write_record(spool, thread->events, end, kSpoolRangeEnd);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->is_writing = 0;
}

}  // namespace lanescope
