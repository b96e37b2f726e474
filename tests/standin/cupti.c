/* A stand-in for NVIDIA's CUPTI, for tests on machines without a GPU. It measures nothing. It has
   the functions that liblanescope_inject.so calls, fills the structs of NVIDIA's headers with the
   activities that a test program describes (standin.h), and delivers them in buffers like CUPTI.
   So tests with it check how records are transferred and decoded; they check nothing about GPUs.

   Environment variables configure it (defaults in brackets):
   STANDIN_VERSION    the version of the interface and its structs (by default the headers' version)
   STANDIN_SUBSCRIBE  the result of cuptiSubscribe (0)
   STANDIN_ENABLE     results of cuptiActivityEnable by kind, as KIND=RESULT,... (0)
   STANDIN_CLOCK      nanoseconds by which its clock is ahead of CLOCK_REALTIME (0)
   STANDIN_DROPS      the number of dropped records that it reports with the first buffer (0) */
#define _GNU_SOURCE
#include <cupti.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "standin.h"

enum { most_enabled = 64, context_id = 1, device_id = 0, largest_record = 512 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int enabled[most_enabled];
static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;
static CUpti_CallbackFunc callback;
static int has_subscriber, reports_resets, reports_profiler, has_system_ids;
static uint32_t next_correlation = 100;
static size_t dropped;

/* The buffer that is being filled. It is incomplete if the activity of one of its records has not ended. */
static struct {
    uint8_t* memory;
    size_t bytes, used;
    int is_incomplete;
} current;

static uint32_t version(void) {
    const char* text = getenv("STANDIN_VERSION");
    return text ? (uint32_t)atoi(text) : CUPTI_API_VERSION;
}

static int integer_from(const char* variable) {
    const char* text = getenv(variable);
    return text ? atoi(text) : 0;
}

/* The structs of each kind of record, with the version that introduced them, as far as the headers define them. */
#if CUPTI_API_VERSION >= 130400
#define KERNEL_13(X) X(130400, CUpti_ActivityKernel13)
#else
#define KERNEL_13(X)
#endif
#if CUPTI_API_VERSION >= 130300
#define KERNEL_12(X) X(130300, CUpti_ActivityKernel12)
#else
#define KERNEL_12(X)
#endif
#if CUPTI_API_VERSION >= 130100
#define KERNEL_11(X) X(130100, CUpti_ActivityKernel11)
#else
#define KERNEL_11(X)
#endif
#if CUPTI_API_VERSION >= 130000
#define KERNEL_10(X) X(130000, CUpti_ActivityKernel10)
#else
#define KERNEL_10(X)
#endif
#define KERNELS(X)                                                      \
    KERNEL_13(X)                                                        \
    KERNEL_12(X) KERNEL_11(X) KERNEL_10(X) X(19, CUpti_ActivityKernel9) \
        X(1, CUpti_ActivityKernel8)

#if CUPTI_API_VERSION >= 130400
#define COPIES(X) \
    X(130400, CUpti_ActivityMemcpy7) X(26, CUpti_ActivityMemcpy6) X(1, CUpti_ActivityMemcpy5)
#define SETS(X) X(130400, CUpti_ActivityMemset5) X(1, CUpti_ActivityMemset4)
#elif CUPTI_API_VERSION >= 26
#define COPIES(X) X(26, CUpti_ActivityMemcpy6) X(1, CUpti_ActivityMemcpy5)
#define SETS(X) X(1, CUpti_ActivityMemset4)
#else
#define COPIES(X) X(1, CUpti_ActivityMemcpy5)
#define SETS(X) X(1, CUpti_ActivityMemset4)
#endif
#if CUPTI_API_VERSION >= 26
#define WAITS(X) X(26, CUpti_ActivitySynchronization2) X(1, CUpti_ActivitySynchronization)
#else
#define WAITS(X) X(1, CUpti_ActivitySynchronization)
#endif
#if CUPTI_API_VERSION >= 22
#define OVERHEADS(X) \
    X(22, CUpti_ActivityOverhead3) X(21, CUpti_ActivityOverhead2) X(1, CUpti_ActivityOverhead)
#else
#define OVERHEADS(X) X(1, CUpti_ActivityOverhead)
#endif
#if CUPTI_API_VERSION >= 24
#define MEMORIES(X) X(24, CUpti_ActivityMemory4) X(1, CUpti_ActivityMemory3)
#else
#define MEMORIES(X) X(1, CUpti_ActivityMemory3)
#endif
#if CUPTI_API_VERSION >= 130200
#define DEVICES(X) \
    X(130200, CUpti_ActivityDevice6) X(20, CUpti_ActivityDevice5) X(1, CUpti_ActivityDevice4)
#elif CUPTI_API_VERSION >= 20
#define DEVICES(X) X(20, CUpti_ActivityDevice5) X(1, CUpti_ActivityDevice4)
#else
#define DEVICES(X) X(1, CUpti_ActivityDevice4)
#endif
#if CUPTI_API_VERSION >= 130100
#define CONTEXTS(X)                   \
    X(130100, CUpti_ActivityContext4) \
    X(23, CUpti_ActivityContext3) X(22, CUpti_ActivityContext2) X(1, CUpti_ActivityContext)
#elif CUPTI_API_VERSION >= 23
#define CONTEXTS(X) \
    X(23, CUpti_ActivityContext3) X(22, CUpti_ActivityContext2) X(1, CUpti_ActivityContext)
#else
#define CONTEXTS(X) X(1, CUpti_ActivityContext)
#endif

#define RETURN_SIZE(since, type) \
    if (version() >= (since)) return sizeof(type);

static size_t size_of(uint32_t kind) {
    switch (kind) {
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
            KERNELS(RETURN_SIZE) break;
        case CUPTI_ACTIVITY_KIND_MEMCPY:
            COPIES(RETURN_SIZE) break;
        case CUPTI_ACTIVITY_KIND_MEMCPY2:
            return sizeof(CUpti_ActivityMemcpyPtoP4);
        case CUPTI_ACTIVITY_KIND_MEMSET:
            SETS(RETURN_SIZE) break;
        case CUPTI_ACTIVITY_KIND_RUNTIME:
        case CUPTI_ACTIVITY_KIND_DRIVER:
            return sizeof(CUpti_ActivityAPI);
        case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
            WAITS(RETURN_SIZE) break;
        case CUPTI_ACTIVITY_KIND_OVERHEAD:
            OVERHEADS(RETURN_SIZE) break;
        case CUPTI_ACTIVITY_KIND_MEMORY2:
            MEMORIES(RETURN_SIZE) break;
        case CUPTI_ACTIVITY_KIND_DEVICE:
            DEVICES(RETURN_SIZE) break;
        case CUPTI_ACTIVITY_KIND_CONTEXT:
            CONTEXTS(RETURN_SIZE) break;
        default:
            break;
    }
    return 0;
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    const char* ahead = getenv("STANDIN_CLOCK");
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec +
           (uint64_t)(ahead ? atoll(ahead) : 0);
}

static void wait_until(uint64_t time) {
    while (now() < time) {
    }
}

static uint64_t free_at[64]; /* by stream */

/* The begin of work on a stream: after the call that starts it, and after the stream's earlier
   work. */
static uint64_t begin_on(uint32_t stream, uint64_t call_end, uint64_t duration) {
    uint64_t* at = &free_at[stream % 64];
    const uint64_t begin = *at > call_end + 1000 ? *at : call_end + 1000;
    *at = begin + duration;
    return begin;
}

static uint32_t thread_id(void) {
    return has_system_ids ? (uint32_t)syscall(SYS_gettid) : (uint32_t)(uintptr_t)pthread_self();
}

/* Delivers the current buffer. The caller holds the lock, which is released during the delivery. */
static void deliver_buffer(void) {
    if (!current.memory) return;
    uint8_t* memory = current.memory;
    const size_t bytes = current.bytes, used = current.used;
    memset(&current, 0, sizeof current);
    pthread_mutex_unlock(&lock);
    complete(NULL, 0, memory, bytes, used);
    pthread_mutex_lock(&lock);
}

/* Allocates a record filled with zeros. Null if its kind is not enabled or there is no buffer. The
   caller holds the lock. */
static void* add_record(uint32_t kind) {
    const size_t bytes = size_of(kind);
    if (!enabled[kind] || bytes == 0) return NULL;
    if (current.memory && current.used + bytes > current.bytes) deliver_buffer();
    if (!current.memory) {
        size_t most = 0;
        request(&current.memory, &current.bytes, &most);
        for (size_t i = 0; current.memory && i < current.bytes; i += 4096)
            if (current.memory[i] != 0) abort(); /* the library promises zeros */
    }
    if (!current.memory) {
        ++dropped;
        return NULL;
    }
    void* record = current.memory + current.used;
    current.used += bytes;
    ((CUpti_Activity*)record)->kind = (CUpti_ActivityKind)kind;
    return record;
}

static void record_call(uint32_t kind, uint32_t number, uint64_t start, uint64_t end,
                        uint32_t correlation) {
    CUpti_ActivityAPI* call = add_record(kind);
    if (!call) return;
    call->cbid = number;
    call->start = start;
    call->end = end;
    call->processId = (uint32_t)getpid();
    call->threadId = thread_id();
    call->correlationId = correlation;
}

/* Records a call of the runtime that takes `duration`. Returns its correlation, and its end in
   *end. The caller holds the lock. */
static uint32_t call_for(uint32_t number, uint64_t duration, uint64_t* end) {
    const uint64_t start = now();
    const uint32_t correlation = next_correlation++;
    *end = start + duration;
    wait_until(*end);
    record_call(CUPTI_ACTIVITY_KIND_RUNTIME, number, start, *end, correlation);
    return correlation;
}

static uint32_t call_runtime(uint32_t number, uint64_t* end) {
    return call_for(number, 2000, end);
}

#define FILL_KERNEL(since, type)                                  \
    if (version() >= (since)) {                                   \
        type* k = record;                                         \
        k->registersPerThread = (uint16_t)kernel->registers;      \
        k->start = kernel->duration ? start : 0;                  \
        k->end = kernel->duration ? start + kernel->duration : 0; \
        k->deviceId = device_id;                                  \
        k->contextId = context_id;                                \
        k->streamId = kernel->stream;                             \
        k->gridX = (int32_t)kernel->grid[0];                      \
        k->gridY = (int32_t)kernel->grid[1];                      \
        k->gridZ = (int32_t)kernel->grid[2];                      \
        k->blockX = (int32_t)kernel->block[0];                    \
        k->blockY = (int32_t)kernel->block[1];                    \
        k->blockZ = (int32_t)kernel->block[2];                    \
        k->staticSharedMemory = (int32_t)kernel->static_shared;   \
        k->dynamicSharedMemory = (int32_t)kernel->dynamic_shared; \
        k->correlationId = correlation;                           \
        k->name = kernel->name;                                   \
        k->graphNodeId = kernel->graph_node;                      \
        k->graphId = kernel->graph;                               \
        return;                                                   \
    }

static void fill_kernel(void* record, const StandinKernel* kernel, uint64_t start,
                        uint32_t correlation) {
    KERNELS(FILL_KERNEL)
}

/* Records a call of the driver outside the runtime, as GPU compilers launch their kernels. */
static uint32_t call_driver(uint64_t* end) {
    const uint64_t start = now();
    const uint32_t correlation = next_correlation++;
    *end = start + 1000;
    wait_until(*end);
    record_call(CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, start, *end, correlation);
    return correlation;
}

static uint32_t launch(const StandinKernel* kernel) {
    pthread_mutex_lock(&lock);
    uint64_t end;
    const uint32_t correlation = kernel->launched_by_driver
                                     ? call_driver(&end)
                                     : call_runtime(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, &end);
    void* record = add_record(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    if (record) fill_kernel(record, kernel, begin_on(kernel->stream, end, kernel->duration), correlation);
    if (record && kernel->duration == 0) current.is_incomplete = 1;
    pthread_mutex_unlock(&lock);
    return correlation;
}

#define FILL_COPY(since, type)                                                                     \
    if (version() >= (since)) {                                                                    \
        type* c = record;                                                                          \
        c->copyKind = kind;                                                                        \
        c->srcKind = kind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD ? CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE \
                                                             : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;  \
        c->dstKind = kind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH ? CUPTI_ACTIVITY_MEMORY_KIND_PINNED   \
                                                             : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;  \
        c->bytes = bytes;                                                                          \
        c->start = start;                                                                          \
        c->end = start + duration;                                                                 \
        c->deviceId = device_id;                                                                   \
        c->contextId = context_id;                                                                 \
        c->streamId = stream;                                                                      \
        c->correlationId = correlation;                                                            \
        return;                                                                                    \
    }

static void fill_copy(void* record, uint8_t kind, uint64_t bytes, uint32_t stream, uint64_t start,
                      uint64_t duration, uint32_t correlation) {
    COPIES(FILL_COPY)
}

static uint32_t copy(uint8_t kind, uint64_t bytes, uint32_t stream, uint64_t duration) {
    pthread_mutex_lock(&lock);
    uint64_t end;
    const uint32_t correlation = call_runtime(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, &end);
    void* record = add_record(CUPTI_ACTIVITY_KIND_MEMCPY);
    if (record)
        fill_copy(record, kind, bytes, stream, begin_on(stream, end, duration), duration,
                  correlation);
    pthread_mutex_unlock(&lock);
    return correlation;
}

static uint32_t copy_between(uint32_t from, uint32_t to, uint64_t bytes, uint64_t duration) {
    pthread_mutex_lock(&lock);
    uint64_t end;
    const uint32_t correlation =
        call_runtime(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyPeerAsync_v4000, &end);
    CUpti_ActivityMemcpyPtoP4* record = add_record(CUPTI_ACTIVITY_KIND_MEMCPY2);
    if (record) {
        record->copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
        record->srcKind = record->dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
        record->bytes = bytes;
        record->start = begin_on(7, end, duration);
        record->end = record->start + duration;
        record->deviceId = from;
        record->contextId = context_id;
        record->streamId = 7;
        record->srcDeviceId = from;
        record->dstDeviceId = to;
        record->correlationId = correlation;
    }
    pthread_mutex_unlock(&lock);
    return correlation;
}

#define FILL_SET(since, type)                              \
    if (version() >= (since)) {                            \
        type* s = record;                                  \
        s->value = value;                                  \
        s->bytes = bytes;                                  \
        s->start = start;                                  \
        s->end = start + duration;                         \
        s->deviceId = device_id;                           \
        s->contextId = context_id;                         \
        s->streamId = stream;                              \
        s->correlationId = correlation;                    \
        s->memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE; \
        return;                                            \
    }

static void fill_set(void* record, uint32_t value, uint64_t bytes, uint32_t stream, uint64_t start,
                     uint64_t duration, uint32_t correlation) {
    SETS(FILL_SET)
}

static uint32_t set(uint32_t value, uint64_t bytes, uint32_t stream, uint64_t duration) {
    pthread_mutex_lock(&lock);
    uint64_t end;
    const uint32_t correlation = call_runtime(CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020, &end);
    void* record = add_record(CUPTI_ACTIVITY_KIND_MEMSET);
    if (record)
        fill_set(record, value, bytes, stream, begin_on(stream, end, duration), duration,
                 correlation);
    pthread_mutex_unlock(&lock);
    return correlation;
}

#define FILL_WAIT(since, Wait)                                            \
    if (version() >= (since)) {                                           \
        Wait* w = record;                                                 \
        w->type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE; \
        w->start = start;                                                 \
        w->end = start + duration;                                        \
        w->correlationId = correlation;                                   \
        w->contextId = context_id;                                        \
        w->streamId = stream;                                             \
        w->cudaEventId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;             \
        return;                                                           \
    }

static void fill_wait(void* record, uint32_t stream, uint64_t start, uint64_t duration,
                      uint32_t correlation) {
    WAITS(FILL_WAIT)
}

/* Waits until the stream is idle. */
static uint32_t synchronise(uint32_t stream) {
    pthread_mutex_lock(&lock);
    const uint64_t start = now(), free = free_at[stream % 64];
    uint64_t end;
    const uint32_t correlation = call_for(CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020,
                                          free > start ? free - start + 500 : 500, &end);
    void* record = add_record(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
    if (record) fill_wait(record, stream, start, end - start, correlation);
    pthread_mutex_unlock(&lock);
    return correlation;
}

#define FILL_MEMORY(since, type)                           \
    if (version() >= (since)) {                            \
        type* m = record;                                  \
        m->memoryOperationType = operation;                \
        m->memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE; \
        m->correlationId = correlation;                    \
        m->address = address;                              \
        m->bytes = bytes;                                  \
        m->timestamp = time;                               \
        m->processId = (uint32_t)getpid();                 \
        m->deviceId = device_id;                           \
        m->contextId = context_id;                         \
        return;                                            \
    }

static void fill_memory(void* record, CUpti_ActivityMemoryOperationType operation, uint64_t address,
                        uint64_t bytes, uint64_t time, uint32_t correlation) {
    MEMORIES(FILL_MEMORY)
}

static uint32_t change_memory(uint32_t number, CUpti_ActivityMemoryOperationType operation,
                              uint64_t address, uint64_t bytes) {
    pthread_mutex_lock(&lock);
    uint64_t end;
    const uint32_t correlation = call_runtime(number, &end);
    void* record = add_record(CUPTI_ACTIVITY_KIND_MEMORY2);
    if (record) fill_memory(record, operation, address, bytes, end, correlation);
    pthread_mutex_unlock(&lock);
    return correlation;
}

static uint32_t allocate(uint64_t address, uint64_t bytes) {
    return change_memory(CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020,
                         CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION, address, bytes);
}

static uint32_t release(uint64_t address) {
    return change_memory(CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020,
                         CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE, address, 0);
}

#define FILL_OVERHEAD(since, type)                                    \
    if (version() >= (since)) {                                       \
        type* o = record;                                             \
        o->overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH; \
        o->objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;                 \
        o->objectId.pt.processId = (uint32_t)getpid();                \
        o->objectId.pt.threadId = thread_id();                        \
        o->start = start;                                             \
        o->end = start + duration;                                    \
        return;                                                       \
    }

static void fill_overhead(void* record, uint64_t start, uint64_t duration) {
    OVERHEADS(FILL_OVERHEAD)
}

static void overhead(uint64_t duration) {
    pthread_mutex_lock(&lock);
    void* record = add_record(CUPTI_ACTIVITY_KIND_OVERHEAD);
    if (record) fill_overhead(record, now(), duration);
    pthread_mutex_unlock(&lock);
}

static void device_reset(void) {
    if (!callback || !reports_resets) return;
    CUpti_CallbackData data;
    memset(&data, 0, sizeof data);
    data.callbackSite = CUPTI_API_ENTER;
    callback(NULL, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020,
             &data);
    pthread_mutex_lock(&lock); /* a reset destroys records that were not delivered */
    if (current.memory) memset(current.memory, 0, current.used);
    current.used = 0;
    pthread_mutex_unlock(&lock);
}

/* Like CUDA, which calls back before and after the call. */
static void profiler(int starts) {
    const CUpti_CallbackId call = starts ? CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000
                                         : CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000;
    CUpti_CallbackData data;
    memset(&data, 0, sizeof data);
    if (!callback || !(reports_profiler & (starts ? 1 : 2))) return;
    data.callbackSite = CUPTI_API_ENTER;
    callback(NULL, CUPTI_CB_DOMAIN_RUNTIME_API, call, &data);
    data.callbackSite = CUPTI_API_EXIT;
    callback(NULL, CUPTI_CB_DOMAIN_RUNTIME_API, call, &data);
}

static uint64_t take_buffers(uint64_t count) {
    enum { most = 1024 };
    uint8_t* taken[most];
    size_t bytes[most];
    uint64_t got = 0;
    pthread_mutex_lock(&lock);
    for (uint64_t i = 0; i < count && got < most; ++i) {
        size_t records = 0;
        request(&taken[got], &bytes[got], &records);
        if (taken[got]) ++got;
    }
    pthread_mutex_unlock(&lock);
    for (uint64_t i = 0; i < got; ++i) complete(NULL, 0, taken[i], bytes[i], 0);
    return got;
}

/* Devices and contexts are recorded when their kind is enabled. */
#define FILL_DEVICE(since, type)                                            \
    if (version() >= (since)) {                                             \
        type* d = record;                                                   \
        d->id = device_id;                                                  \
        d->name = "Stand-in GPU";                                           \
        d->computeCapabilityMajor = 9;                                      \
        d->numMultiprocessors = 132;                                        \
        d->numThreadsPerWarp = 32;                                          \
        d->maxWarpsPerMultiprocessor = 64;                                  \
        d->maxBlocksPerMultiprocessor = 32;                                 \
        d->maxThreadsPerBlock = 1024;                                       \
        d->maxRegistersPerBlock = d->maxRegistersPerMultiprocessor = 65536; \
        d->maxSharedMemoryPerBlock = 49152;                                 \
        d->maxSharedMemoryPerMultiprocessor = 233472;                       \
        d->globalMemorySize = 85899345920u;                                 \
        d->l2CacheSize = 52428800;                                          \
        return;                                                             \
    }

static void fill_device(void* record) {
    DEVICES(FILL_DEVICE)
}

#define FILL_CONTEXT(since, type)  \
    if (version() >= (since)) {    \
        type* c = record;          \
        c->contextId = context_id; \
        c->deviceId = device_id;   \
        return;                    \
    }

static void fill_context(void* record){CONTEXTS(FILL_CONTEXT)}

/* CUPTI's own functions, as its headers declare them. */

CUptiResult CUPTIAPI cuptiGetVersion(uint32_t* result) {
    *result = version();
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult result, const char** text) {
    static char buffer[32];
    snprintf(buffer, sizeof buffer, "stand-in error %d", (int)result);
    *text = buffer;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc function,
                                    void* user) {
    (void)user;
    const int refused = integer_from("STANDIN_SUBSCRIBE");
    if (refused) return (CUptiResult)refused;
    if (has_subscriber) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    has_subscriber = 1;
    callback = function;
    *subscriber = (CUpti_SubscriberHandle)&has_subscriber;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
    (void)subscriber;
    has_subscriber = 0;
    callback = NULL;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                         CUpti_CallbackDomain domain, CUpti_CallbackId number) {
    (void)subscriber;
    if (domain == CUPTI_CB_DOMAIN_RUNTIME_API &&
        number == CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020)
        reports_resets = (int)enable;
    if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && enable) {
        if (number == CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000) reports_profiler |= 1;
        if (number == CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000) reports_profiler |= 2;
    }
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t number,
                                          const char** name) {
    static const struct {
        uint32_t number;
        const char* name;
    } runtime[] = {
        {CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, "cudaLaunchKernel_v7000"},
        {CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, "cudaMemcpyAsync_v3020"},
        {CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyPeerAsync_v4000, "cudaMemcpyPeerAsync_v4000"},
        {CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020, "cudaMemsetAsync_v3020"},
        {CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020, "cudaStreamSynchronize_v3020"},
        {CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, "cudaMalloc_v3020"}};
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API && number == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel) {
        *name = "cuLaunchKernel";
        return CUPTI_SUCCESS;
    }
    for (size_t i = 0; i < sizeof runtime / sizeof runtime[0]; ++i) {
        if (domain != CUPTI_CB_DOMAIN_RUNTIME_API || runtime[i].number != number) continue;
        *name = runtime[i].name;
        return CUPTI_SUCCESS;
    }
    return CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                                    CUpti_BuffersCallbackCompleteFunc completed) {
    request = requested;
    complete = completed;
    return CUPTI_SUCCESS;
}

static CUptiResult result_of_enabling(uint32_t kind) {
    const char* at = getenv("STANDIN_ENABLE");
    for (; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strtoul(at, NULL, 10) == kind) return (CUptiResult)atoi(strchr(at, '=') + 1);
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
    const CUptiResult refused = result_of_enabling(kind);
    if (refused != CUPTI_SUCCESS) return refused;
    pthread_mutex_lock(&lock);
    enabled[kind] = 1;
    void* record = NULL;
    if (kind == CUPTI_ACTIVITY_KIND_DEVICE && (record = add_record(kind))) fill_device(record);
    if (kind == CUPTI_ACTIVITY_KIND_CONTEXT && (record = add_record(kind))) fill_context(record);
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind) {
    enabled[kind] = 0;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t flag) {
    pthread_mutex_lock(&lock);
    if (flag == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED || !current.is_incomplete) deliver_buffer();
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityGetNextRecord(uint8_t* buffer, size_t used,
                                                CUpti_Activity** record) {
    uint8_t* next = *record ? (uint8_t*)*record + size_of((*record)->kind) : buffer;
    if (next >= buffer + used) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity*)next;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream,
                                                       size_t* count) {
    static int reported;
    (void)context;
    (void)stream;
    pthread_mutex_lock(&lock);
    *count = dropped + (reported ? 0 : (size_t)integer_from("STANDIN_DROPS"));
    reported = 1;
    dropped = 0;
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetTimestamp(uint64_t* time) {
    *time = now();
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
    has_system_ids = type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t* bytes,
                                               void* value) {
    (void)attribute;
    (void)bytes;
    (void)value;
    return CUPTI_SUCCESS;
}

const StandinCuda* standin_cuda(void) {
    static const StandinCuda functions = {launch,       copy,        copy_between, set,
                                          synchronise,  allocate,    release,      overhead,
                                          device_reset, profiler, take_buffers};
    return version() > CUPTI_API_VERSION ? NULL : &functions;
}
