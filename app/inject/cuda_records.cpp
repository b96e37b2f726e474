#include "app/inject/cuda_records.h"

#include <cstdio>

#include "app/inject/process.h"
#include "core/capture/cuda/cupti_records.h"

namespace lanescope {

namespace {

constexpr int kDriverDomain = 1;  // as CUPTI numbers them
constexpr int kRuntimeDomain = 2;
constexpr uint32_t kMaxCalls = 2048;

// Of the driver and of the runtime; also valid in forked children.
const char* call_names[2][kMaxCalls];

// "cudaLaunchKernel_v7000" appears as cudaLaunchKernel in programs.
std::size_t length_without_version(const char* name) {
    const std::size_t length = std::strlen(name);
    std::size_t begin = length;
    while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
    const bool has_version =
        begin < length && begin > 2 && name[begin - 1] == 'v' && name[begin - 2] == '_';
    return has_version ? begin - 2 : length;
}

const char* keep_call_name(const Cupti& cupti, bool is_driver, uint32_t number) {
    char text[256];
    const char* name = nullptr;
    if (cupti.callback_name(is_driver ? kDriverDomain : kRuntimeDomain, number, &name) == 0 && name)
        // A driver's version is part of its function's name.
        std::snprintf(
            text, sizeof text, "%.*s",
            static_cast<int>(is_driver ? std::strlen(name) : length_without_version(name)), name);
    else
        std::snprintf(text, sizeof text, "%s call %u", is_driver ? "driver" : "runtime", number);
    return keep_text(text);
}

const char* call_name(const Cupti& cupti, bool is_driver, uint32_t number) {
    if (number >= kMaxCalls) return "unknown call";
    const char*& known = call_names[is_driver ? 0 : 1][number];
    if (!known) known = keep_call_name(cupti, is_driver, number);
    return known ? known : "unknown call";
}

bool is_recorded(const CudaState& cuda, int64_t start) {
    const auto time = static_cast<uint64_t>(start);
    // Most records belong to the last times.
    for (uint32_t back = 0; back <= cuda.time_count && back < kTimesKept; ++back) {
        const RecordedTime& recorded =
            cuda.times[(cuda.last_time + kTimesKept - back) % kTimesKept];
        if (time >= recorded.from && time <= recorded.until) return true;
    }
    return false;
}

template <typename Record>
void write_plain(CudaState& cuda, const Record& record, SpoolKind kind) {
    if (is_recorded(cuda, record.start)) write_record(spool, cuda.events, record, kind);
}

// Work on a device; CUPTI returns time 0 if it could not measure it.
template <typename Record>
bool has_times(CudaState& cuda, const Record& work) {
    if (work.start != 0 && work.end != 0) return true;
    ++cuda.without_times;
    return false;
}

void take_kernel(CudaState& cuda, const void* record) {
    SpoolKernel kernel = cupti_kernel(record);
    if (!has_times(cuda, kernel) || !is_recorded(cuda, kernel.start)) return;
    const char* name = cupti_kernel_name(record);
    write_record(spool, cuda.events, kernel, kSpoolKernel, SpoolBytes<sizeof kernel>(),
                 [&](SpoolKernel& written) {
                     written.record.text = spool_text(spool, cuda.events, name ? name : "kernel");
                 });
}

void take_call(CudaState& cuda, const Cupti& cupti, const void* record) {
    SpoolCall call = cupti_call(record);
    if (!is_recorded(cuda, call.start)) return;
    const char* name = call_name(cupti, call.api == kSpoolDriverApi, cupti_call_number(record));
    write_record(spool, cuda.events, call, kSpoolCall, SpoolBytes<sizeof call>(),
                 [&](SpoolCall& written) {
                     written.record.text = spool_lasting_text(spool, cuda.events, name);
                 });
}

void take_device(const void* record) {
    SpoolStream* facts = take_facts();
    if (!facts) return;
    SpoolDevice device = cupti_device(record);
    const char* name = cupti_device_name(record);
    write_record(spool, *facts, device, kSpoolDevice, sizeof device, [&](SpoolDevice& written) {
        written.record.text = name ? spool_text(spool, *facts, name, std::strlen(name)) : 0;
    });
    give_back_facts();
}

void take_context(const void* record) {
    SpoolStream* facts = take_facts();
    if (!facts) return;
    write_record(spool, *facts, cupti_context(record), kSpoolContext);
    give_back_facts();
}

template <typename Record>
void take_work(CudaState& cuda, const Record& work, SpoolKind kind) {
    if (has_times(cuda, work)) write_plain(cuda, work, kind);
}

}  // namespace

void take_cupti_record(CudaState& cuda, const Cupti& cupti, const void* record) {
    switch (cupti_kind(record)) {
        case kCuptiKernel:
            return take_kernel(cuda, record);
        case kCuptiCopy:
            return take_work(cuda, cupti_copy(record), kSpoolCopy);
        case kCuptiPeerCopy:
            return take_work(cuda, cupti_peer_copy(record), kSpoolCopy);
        case kCuptiSet:
            return take_work(cuda, cupti_set(record), kSpoolSet);
        case kCuptiDriverCall:
        case kCuptiRuntimeCall:
            return take_call(cuda, cupti, record);
        case kCuptiSynchronisation:
            return write_plain(cuda, cupti_synchronisation(record), kSpoolSynchronisation);
        case kCuptiOverhead:
            return write_plain(cuda, cupti_overhead(record), kSpoolOverhead);
        case kCuptiMemory: {
            const SpoolMemory memory = cupti_memory(record);
            if (is_recorded(cuda, memory.time))
                write_record(spool, cuda.events, memory, kSpoolMemory);
            return;
        }
        case kCuptiDevice:
            return take_device(record);
        case kCuptiContext:
            return take_context(record);
        default:
            return;
    }
}

void write_dropped(uint64_t count, const char* lost_by) {
    SpoolStream* facts = take_facts();
    if (!facts) return;
    SpoolDropped dropped = {};
    dropped.ticks = spool_ticks(spool.tick_kind);
    dropped.count = count;
    write_record(spool, *facts, dropped, kSpoolDropped, sizeof dropped, [&](SpoolDropped& written) {
        written.record.text = spool_text(spool, *facts, lost_by, std::strlen(lost_by));
    });
    give_back_facts();
}

}  // namespace lanescope
