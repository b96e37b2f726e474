#include "app/inject/cuda.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "app/inject/capture_range.h"
#include "app/inject/cuda_reasons.h"
#include "app/inject/cuda_records.h"
#include "app/inject/cupti_buffers.h"
#include "app/inject/process.h"
#include "core/capture/cuda/cupti_records.h"

namespace lanescope {

namespace {

constexpr int64_t kFlushEveryNs = 100'000'000;
constexpr int kRuntimeDomain = 2;
// Runtime calls in CUPTI's numbering.
constexpr uint32_t kDeviceReset = 164;
constexpr uint32_t kProfilerStart = 171;
constexpr uint32_t kProfilerStop = 172;
constexpr int kSystemThreadIds = 1;
constexpr int kBuffersAreZeros = 5;  // CUPTI need not clear buffers on the program's threads

struct Recorded {
    CuptiKind kind;
    const char* what;
};
constexpr Recorded kRecorded[] = {
    {kCuptiDevice, "devices"},
    {kCuptiContext, "contexts"},
    {kCuptiKernel, "kernels"},
    {kCuptiCopy, "copies"},
    {kCuptiPeerCopy, "copies between devices"},
    {kCuptiSet, "sets"},
    {kCuptiRuntimeCall, "calls of the runtime"},
    {kCuptiDriverCall, "calls of the driver"},
    {kCuptiSynchronisation, "synchronisation"},
    {kCuptiMemory, "memory operations"},
    {kCuptiOverhead, "overhead"},
};

Cupti cupti;
void* subscriber = nullptr;
CudaState* cuda = nullptr;

bool is_ours() {
    return cuda && __atomic_load_n(&cuda->is_begun, __ATOMIC_ACQUIRE) != 0;
}

void say(SpoolSeverity severity, const char* text) {
    SpoolStream* facts = take_facts();
    if (!facts) return;
    SpoolMessage message = {};
    message.severity = severity;
    write_record(spool, *facts, message, kSpoolMessage, sizeof message, [&](SpoolMessage& written) {
        written.record.text = spool_text(spool, *facts, text, std::strlen(text));
    });
    give_back_facts();
}

// The owner of the lock may be interrupted by code that waits for it: do not wait forever.
bool lock_events() {
    constexpr uint64_t at_most_ns = 2'000'000'000;
    const uint64_t begin = spool_ticks(kSpoolMonotonic);
    while (__atomic_exchange_n(&cuda->lock, 1, __ATOMIC_ACQUIRE) != 0) {
        if (spool_ticks(kSpoolMonotonic) - begin > at_most_ns) return false;
        sched_yield();
    }
    return true;
}
void unlock_events() {
    __atomic_store_n(&cuda->lock, 0, __ATOMIC_RELEASE);
}

void buffer_requested(uint8_t** buffer, size_t* bytes, size_t* most_records) {
    const int kept = errno;
    *buffer = is_ours() ? take_cupti_buffer() : nullptr;
    *bytes = *buffer ? kCuptiBufferBytes : 0;
    *most_records = 0;
    errno = kept;
}

void take_records(uint8_t* buffer, size_t used) {
    void* record = nullptr;
    while (cupti.next_record(buffer, used, &record) == kCuptiDone && record) {
        take_cupti_record(*cuda, cupti, record);
        ++cuda->delivered;
    }
}

void count_lost(uint8_t* buffer, size_t used) {
    void* record = nullptr;
    uint64_t lost = 0;
    while (cupti.next_record(buffer, used, &record) == kCuptiDone && record) ++lost;
    __atomic_fetch_add(&spool.header->dropped_records, lost, __ATOMIC_RELAXED);
}

void record_lost(void* context, uint32_t stream) {
    size_t dropped = 0;
    if (cupti.count_dropped(context, stream, &dropped) == kCuptiDone && dropped > 0)
        write_dropped(dropped, "CUPTI, which had no buffer for them");
    const uint64_t without_times = __atomic_exchange_n(&cuda->without_times, 0, __ATOMIC_RELAXED);
    if (without_times > 0) write_dropped(without_times, "CUPTI, which gave them no times");
}

void buffer_completed(void* context, uint32_t stream, uint8_t* buffer, size_t, size_t used) {
    const int kept = errno;
    if (is_ours() && buffer) {
        if (lock_events()) {
            take_records(buffer, used);
            unlock_events();
        } else {
            count_lost(buffer, used);
        }
        record_lost(context, stream);
    }
    if (buffer) give_back_cupti_buffer(buffer);
    errno = kept;
}

// A device's records are collected before they are lost with it. The program's calls for its
// profiler begin and end a capture. `data` begins with 0 before a call, and with 1 after it.
void called_back(void*, int, uint32_t call, const void* data) {
    if (!is_ours()) return;
    uint32_t is_after = 0;
    std::memcpy(&is_after, data, sizeof is_after);
    uint32_t& is_open = cuda->is_captured;
    if (call == kProfilerStart && is_after &&
        __atomic_exchange_n(&is_open, 1, __ATOMIC_ACQ_REL) == 0)
        begin_capture();
    if (call == kProfilerStop && !is_after &&
        __atomic_exchange_n(&is_open, 0, __ATOMIC_ACQ_REL) == 1)
        end_capture();
    if (call == kDeviceReset) cupti.flush_all(0);
}

// One instant on both clocks: the shortest of several attempts.
SpoolClock read_clock() {
    SpoolClock clock = {};
    uint64_t shortest = UINT64_MAX;
    for (int tries = 0; tries < 5; ++tries) {
        uint64_t ns = 0;
        const uint64_t before = spool_ticks(spool.tick_kind);
        if (cupti.timestamp(&ns) != kCuptiDone) continue;
        const uint64_t took = spool_ticks(spool.tick_kind) - before;
        if (took >= shortest) continue;
        shortest = took;
        clock.ticks = before + took / 2;
        clock.ns = static_cast<int64_t>(ns);
    }
    return clock;
}

void write_clock(const SpoolClock& clock) {
    SpoolStream* facts = clock.ticks != 0 ? take_facts() : nullptr;
    if (!facts) return;
    write_record(spool, *facts, clock, kSpoolClock);
    give_back_facts();
}

// Makes CUPTI deliver complete records (all records if `forced`), and relates the clocks if there
// were any records.
void flush(bool forced, uint64_t& last_delivered) {
    const SpoolClock clock = read_clock();
    cupti.flush_all(forced ? 1 : 0);
    const uint64_t delivered = __atomic_load_n(&cuda->delivered, __ATOMIC_RELAXED);
    if (delivered != last_delivered) write_clock(clock);
    last_delivered = delivered;
}

// Waits until `word` is not 0, a signal arrives or the time is up.
void wait_on(uint32_t& word, int64_t ns) {
    const struct timespec time = {ns / 1'000'000'000, ns % 1'000'000'000};
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &time, nullptr, 0);
}

void set_and_wake(uint32_t& word) {
    __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

bool is_ending() {
    return __atomic_load_n(&cuda->is_ending, __ATOMIC_ACQUIRE) != 0;
}

void leave_out_from_now() {
    RecordedTime& recorded = cuda->times[cuda->last_time];
    if (recorded.until == kAlways) recorded.until = static_cast<uint64_t>(read_clock().ns);
}

void take_from_now() {
    if (cuda->times[cuda->last_time].until == kAlways) return;
    const uint32_t next = (cuda->last_time + 1) % kTimesKept;
    if (cuda->time_count < kTimesKept) ++cuda->time_count;
    RecordedTime& recorded = cuda->times[next];
    recorded.until = 0;
    recorded.from = static_cast<uint64_t>(read_clock().ns);
    recorded.until = kAlways;
    cuda->last_time = next;
}

// Releases CUPTI for other tools; from then on it costs the program nothing.
void let_go(uint64_t& last_delivered) {
    leave_out_from_now();
    for (const Recorded& recorded : kRecorded) cupti.disable(recorded.kind);
    flush(false, last_delivered);
    wait_on(cuda->is_ending, kFlushEveryNs);  // for work still running on the device
    flush(true, last_delivered);
    __atomic_store_n(&cuda->is_begun, 0, __ATOMIC_RELEASE);
    cupti.unsubscribe(subscriber);
}

void* flush_often(void*) {
    prctl(PR_SET_NAME, "lanescope");
    uint64_t last_delivered = 0;
    for (;;) {
        wait_on(cuda->is_ending, kFlushEveryNs);
        const uint32_t control = spool_load(spool.header->control);
        if (control == kSpoolStopped) {
            let_go(last_delivered);
            break;
        }
        if (is_ending()) {
            flush(true, last_delivered);
            break;
        }
        if (control == kSpoolPaused) leave_out_cuda_from_now();
        flush(false, last_delivered);
        // The control may have changed during the flush.
        if (is_recording()) record_cuda_from_now();
    }
    set_and_wake(cuda->has_ended);
    return nullptr;
}

// Called when the program ends by exit() or returns from main(): makes the flusher collect the
// remaining records. The flusher's thread does this, and with a time limit, because a signal
// handler that interrupted CUPTI may have called exit(): CUPTI's locks then never open.
void end_cuda() {
    if (!is_ours()) return;
    constexpr int64_t at_most_ns = 3'000'000'000;
    const int kept = errno;
    set_and_wake(cuda->is_ending);
    const uint64_t begin = spool_ticks(kSpoolMonotonic);
    for (;;) {
        const auto left = at_most_ns - static_cast<int64_t>(spool_ticks(kSpoolMonotonic) - begin);
        if (left <= 0 || __atomic_load_n(&cuda->has_ended, __ATOMIC_ACQUIRE) != 0) break;
        wait_on(cuda->has_ended, left);
    }
    __atomic_store_n(&cuda->is_begun, 0, __ATOMIC_RELEASE);
    errno = kept;
}

// Starts one thread, which blocks the program's signals.
bool start_flusher() {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread = {};
    const bool started = pthread_create(&thread, &attributes, flush_often, nullptr) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    return started;
}

// Enables what is to be recorded. Reports and skips what one CUPTI cannot record.
bool why_not_enabled(Reason& why) {
    char left_out[256] = "";
    std::size_t length = 0;
    int first = kCuptiDone;
    for (const Recorded& recorded : kRecorded) {
        const int result = cupti.enable(recorded.kind);
        if (result == kCuptiDone) continue;
        if (recorded.kind == kCuptiKernel)
            return why_refused(cupti, why, "cuptiActivityEnable for kernels", result);
        if (first == kCuptiDone) first = result;
        const int added = std::snprintf(left_out + length, sizeof left_out - length, "%s%s",
                                        length == 0 ? "" : ", ", recorded.what);
        if (added > 0 && length + static_cast<std::size_t>(added) < sizeof left_out)
            length += static_cast<std::size_t>(added);
    }
    if (first != kCuptiDone) {
        char text[512];
        std::snprintf(text, sizeof text, "CUPTI does not record %s: %s", left_out,
                      name_of_result(cupti, first));
        say(kSpoolWarning, text);
    }
    return false;
}

bool why_not_subscribed(Reason& why) {
    if (why_refused(cupti, why, "cuptiSubscribe",
                    cupti.subscribe(&subscriber, called_back, nullptr)))
        return true;
    cupti.set_thread_id_type(kSystemThreadIds);
    uint8_t yes = 1;
    size_t bytes = sizeof yes;
    cupti.set_attribute(kBuffersAreZeros, &bytes,
                        &yes);  // if CUPTI does not support this, it clears the buffers itself
    // From here on CUPTI may request buffers.
    __atomic_store_n(&cuda->is_begun, 1, __ATOMIC_RELEASE);
    if (!why_refused(cupti, why, "cuptiActivityRegisterCallbacks",
                     cupti.register_buffers(buffer_requested, buffer_completed)) &&
        !why_not_enabled(why))
        return false;
    __atomic_store_n(&cuda->is_begun, 0, __ATOMIC_RELEASE);
    for (const Recorded& recorded : kRecorded) cupti.disable(recorded.kind);
    cupti.unsubscribe(subscriber);
    return true;
}

bool begin_state() {
    if (!cuda) cuda = static_cast<CudaState*>(map_wiped(sizeof(CudaState)));
    if (!cuda || __atomic_exchange_n(&cuda->is_tried, 1, __ATOMIC_ACQ_REL) != 0) return false;
    begin_process_events(cuda->events);
    if (is_recording()) cuda->times[0].until = kAlways;
    return true;
}

}  // namespace

void begin_cuda() {
    const int kept = errno;
    Reason why = "";
    if (begin_state()) {
        if (why_not_loaded(cupti, why) || why_unknown(cupti, why) || why_not_subscribed(why)) {
            char text[600];
            std::snprintf(text, sizeof text, "CUDA is not recorded: %s", why);
            say(kSpoolWarning, text);
        } else {
            write_clock(read_clock());
            cupti.enable_callback(1, subscriber, kRuntimeDomain, kDeviceReset);
            if (is_cuda_capture()) {
                cupti.enable_callback(1, subscriber, kRuntimeDomain, kProfilerStart);
                cupti.enable_callback(1, subscriber, kRuntimeDomain, kProfilerStop);
            }
            if (start_flusher())
                std::atexit(end_cuda);
            else
                say(kSpoolWarning,
                    "no thread could be started to collect CUDA's records; the trace only has "
                    "records from full buffers");
        }
    }
    errno = kept;
}

// Another thread may hold the lock for long: then the flusher follows the control within 100 ms.
void record_cuda_from_now() {
    if (!is_ours() || !lock_events()) return;
    if (is_recording()) take_from_now();
    unlock_events();
}

void leave_out_cuda_from_now() {
    if (!is_ours() || !lock_events()) return;
    leave_out_from_now();
    unlock_events();
}

}  // namespace lanescope
