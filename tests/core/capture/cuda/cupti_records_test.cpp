// Compares the layout of CUPTI's records with every struct in the available headers.
#include "core/capture/cuda/cupti_records.h"

#include <doctest/doctest.h>

#if LANESCOPE_HAVE_CUPTI
#include <cupti.h>
#endif

#include <cstring>
#include <memory>
#include <random>

#include "tests/skip.h"

using namespace lanescope;

#if LANESCOPE_HAVE_CUPTI

namespace {

// A struct of the headers with random bytes.
template <typename Struct>
class Random {
  public:
    explicit Random(CUpti_ActivityKind kind) {
        std::mt19937 random(static_cast<unsigned>(sizeof(Struct)) + static_cast<unsigned>(kind));
        for (unsigned char& byte : bytes_) byte = static_cast<unsigned char>(random());
        auto at = std::make_unique<Struct>();
        std::memcpy(at.get(), bytes_, sizeof bytes_);
        at->kind = kind;
        std::memcpy(bytes_, at.get(), sizeof bytes_);
        record_ = std::move(at);
    }
    const Struct& operator*() const { return *record_; }
    const Struct* operator->() const { return record_.get(); }
    const void* bytes() const { return bytes_; }

  private:
    alignas(8) unsigned char bytes_[sizeof(Struct)];
    std::unique_ptr<Struct> record_;
};

int64_t time_of(uint64_t ns) {
    return static_cast<int64_t>(ns);
}

template <typename Struct>
void check_kernel() {
    const Random<Struct> real(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    CHECK(cupti_kind(real.bytes()) == kCuptiKernel);
    const SpoolKernel kernel = cupti_kernel(real.bytes());
    CHECK(kernel.start == time_of(real->start));
    CHECK(kernel.end == time_of(real->end));
    CHECK(kernel.device == real->deviceId);
    CHECK(kernel.context == real->contextId);
    CHECK(kernel.stream == real->streamId);
    CHECK(kernel.correlation == real->correlationId);
    CHECK(kernel.grid[0] == real->gridX);
    CHECK(kernel.grid[1] == real->gridY);
    CHECK(kernel.grid[2] == real->gridZ);
    CHECK(kernel.block[0] == real->blockX);
    CHECK(kernel.block[1] == real->blockY);
    CHECK(kernel.block[2] == real->blockZ);
    CHECK(kernel.cluster[0] == static_cast<int32_t>(real->clusterX));
    CHECK(kernel.cluster[1] == static_cast<int32_t>(real->clusterY));
    CHECK(kernel.cluster[2] == static_cast<int32_t>(real->clusterZ));
    CHECK(kernel.registers == real->registersPerThread);
    CHECK(kernel.static_shared == real->staticSharedMemory);
    CHECK(kernel.dynamic_shared == real->dynamicSharedMemory);
    CHECK(kernel.local_per_thread == real->localMemoryPerThread);
    CHECK(kernel.graph == real->graphId);
    CHECK(kernel.graph_node == real->graphNodeId);
    CHECK(kernel.queued == time_of(real->queued));
    CHECK(kernel.submitted == time_of(real->submitted));
    CHECK(cupti_kernel_name(real.bytes()) == real->name);
}

template <typename Struct>
void check_copy() {
    const Random<Struct> real(CUPTI_ACTIVITY_KIND_MEMCPY);
    CHECK(cupti_kind(real.bytes()) == kCuptiCopy);
    const SpoolCopy copy = cupti_copy(real.bytes());
    CHECK(copy.start == time_of(real->start));
    CHECK(copy.end == time_of(real->end));
    CHECK(copy.bytes == real->bytes);
    CHECK(copy.device == real->deviceId);
    CHECK(copy.context == real->contextId);
    CHECK(copy.stream == real->streamId);
    CHECK(copy.correlation == real->correlationId);
    CHECK(copy.copy_kind == real->copyKind);
    CHECK(copy.from_kind == real->srcKind);
    CHECK(copy.to_kind == real->dstKind);
    CHECK(copy.is_peer == 0);
    CHECK(copy.graph == real->graphId);
    CHECK(copy.graph_node == real->graphNodeId);
}

template <typename Struct>
void check_set() {
    const Random<Struct> real(CUPTI_ACTIVITY_KIND_MEMSET);
    CHECK(cupti_kind(real.bytes()) == kCuptiSet);
    const SpoolSet set = cupti_set(real.bytes());
    CHECK(set.start == time_of(real->start));
    CHECK(set.end == time_of(real->end));
    CHECK(set.bytes == real->bytes);
    CHECK(set.device == real->deviceId);
    CHECK(set.context == real->contextId);
    CHECK(set.stream == real->streamId);
    CHECK(set.correlation == real->correlationId);
    CHECK(set.value == real->value);
    CHECK(set.memory_kind == real->memoryKind);
    CHECK(set.graph == real->graphId);
    CHECK(set.graph_node == real->graphNodeId);
}

template <typename Struct>
void check_synchronisation() {
    const Random<Struct> real(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
    CHECK(cupti_kind(real.bytes()) == kCuptiSynchronisation);
    const SpoolSynchronisation wait = cupti_synchronisation(real.bytes());
    CHECK(wait.start == time_of(real->start));
    CHECK(wait.end == time_of(real->end));
    CHECK(wait.sync_kind == static_cast<uint32_t>(real->type));
    CHECK(wait.context == real->contextId);
    CHECK(wait.stream == real->streamId);
    CHECK(wait.correlation == real->correlationId);
    CHECK(wait.event == real->cudaEventId);
    Struct none = {};
    none.cudaEventId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
    CHECK(cupti_synchronisation(&none).event == 0);
}

template <typename Struct>
void check_overhead() {
    const Random<Struct> real(CUPTI_ACTIVITY_KIND_OVERHEAD);
    CHECK(cupti_kind(real.bytes()) == kCuptiOverhead);
    const SpoolOverhead overhead = cupti_overhead(real.bytes());
    CHECK(overhead.start == time_of(real->start));
    CHECK(overhead.end == time_of(real->end));
    CHECK(overhead.overhead_kind == static_cast<uint32_t>(real->overheadKind));
    CHECK(overhead.tid == 0);
    Struct of_thread = {};
    of_thread.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
    of_thread.objectId.pt.processId = 5;
    of_thread.objectId.pt.threadId = 77;
    CHECK(cupti_overhead(&of_thread).tid == 77);
}

template <typename Struct>
void check_memory() {
    const Random<Struct> real(CUPTI_ACTIVITY_KIND_MEMORY2);
    CHECK(cupti_kind(real.bytes()) == kCuptiMemory);
    const SpoolMemory memory = cupti_memory(real.bytes());
    CHECK(memory.time == time_of(real->timestamp));
    CHECK(memory.address == real->address);
    CHECK(memory.bytes == real->bytes);
    CHECK(memory.device == real->deviceId);
    CHECK(memory.context == real->contextId);
    CHECK(memory.stream == real->streamId);
    CHECK(memory.correlation == real->correlationId);
    CHECK(memory.operation == static_cast<uint32_t>(real->memoryOperationType));
    CHECK(memory.memory_kind == static_cast<uint32_t>(real->memoryKind));
}

template <typename Struct>
void check_device() {
    const Random<Struct> real(CUPTI_ACTIVITY_KIND_DEVICE);
    CHECK(cupti_kind(real.bytes()) == kCuptiDevice);
    const SpoolDevice device = cupti_device(real.bytes());
    CHECK(device.device == real->id);
    CHECK(device.capability_major == real->computeCapabilityMajor);
    CHECK(device.capability_minor == real->computeCapabilityMinor);
    CHECK(device.multiprocessors == real->numMultiprocessors);
    CHECK(device.warp_size == real->numThreadsPerWarp);
    CHECK(device.max_threads_per_block == real->maxThreadsPerBlock);
    CHECK(device.max_warps_per_multiprocessor == real->maxWarpsPerMultiprocessor);
    CHECK(device.max_threads_per_multiprocessor ==
          real->maxWarpsPerMultiprocessor * real->numThreadsPerWarp);
    CHECK(device.max_blocks_per_multiprocessor == real->maxBlocksPerMultiprocessor);
    CHECK(device.registers_per_block == real->maxRegistersPerBlock);
    CHECK(device.registers_per_multiprocessor == real->maxRegistersPerMultiprocessor);
    CHECK(device.shared_per_block == real->maxSharedMemoryPerBlock);
    CHECK(device.shared_per_multiprocessor == real->maxSharedMemoryPerMultiprocessor);
    CHECK(device.core_clock_khz == real->coreClockRate);
    CHECK(device.memory_bytes == real->globalMemorySize);
    CHECK(device.memory_bandwidth_kb_per_s == real->globalMemoryBandwidth);
    CHECK(device.l2_bytes == real->l2CacheSize);
    CHECK(cupti_device_name(real.bytes()) == real->name);
}

template <typename Struct>
void check_context() {
    const Random<Struct> real(CUPTI_ACTIVITY_KIND_CONTEXT);
    CHECK(cupti_kind(real.bytes()) == kCuptiContext);
    const SpoolContext context = cupti_context(real.bytes());
    CHECK(context.context == real->contextId);
    CHECK(context.device == real->deviceId);
}

}  // namespace

TEST_CASE("CUPTI's kernels of every version are read") {
    check_kernel<CUpti_ActivityKernel8>();
#if !LANESCOPE_CUPTI_OF_CUDA_11  // which gives the same version as 12.0
    check_kernel<CUpti_ActivityKernel9>();
#endif
#if CUPTI_API_VERSION >= 130000
    check_kernel<CUpti_ActivityKernel10>();
#endif
#if CUPTI_API_VERSION >= 130100
    check_kernel<CUpti_ActivityKernel11>();
#endif
#if CUPTI_API_VERSION >= 130300
    check_kernel<CUpti_ActivityKernel12>();
#endif
#if CUPTI_API_VERSION >= 130400
    check_kernel<CUpti_ActivityKernel13>();
#endif
}

TEST_CASE("CUPTI's copies and sets of every version are read") {
    check_copy<CUpti_ActivityMemcpy5>();
    check_set<CUpti_ActivityMemset4>();
#if CUPTI_API_VERSION >= 26
    check_copy<CUpti_ActivityMemcpy6>();
#endif
#if CUPTI_API_VERSION >= 130400
    check_copy<CUpti_ActivityMemcpy7>();
    check_set<CUpti_ActivityMemset5>();
#endif
    const Random<CUpti_ActivityMemcpyPtoP4> real(CUPTI_ACTIVITY_KIND_MEMCPY2);
    CHECK(cupti_kind(real.bytes()) == kCuptiPeerCopy);
    const SpoolCopy copy = cupti_peer_copy(real.bytes());
    CHECK(copy.start == time_of(real->start));
    CHECK(copy.end == time_of(real->end));
    CHECK(copy.bytes == real->bytes);
    CHECK(copy.device == real->deviceId);
    CHECK(copy.context == real->contextId);
    CHECK(copy.stream == real->streamId);
    CHECK(copy.correlation == real->correlationId);
    CHECK(copy.copy_kind == real->copyKind);
    CHECK(copy.is_peer == 1);
    CHECK(copy.from_device == real->srcDeviceId);
    CHECK(copy.to_device == real->dstDeviceId);
    CHECK(copy.graph == real->graphId);
    CHECK(copy.graph_node == real->graphNodeId);
}

TEST_CASE("CUPTI's calls of the runtime and the driver are read") {
    for (const auto kind : {CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER}) {
        const Random<CUpti_ActivityAPI> real(kind);
        const SpoolCall call = cupti_call(real.bytes());
        CHECK(call.start == time_of(real->start));
        CHECK(call.end == time_of(real->end));
        CHECK(call.tid == real->threadId);
        CHECK(call.correlation == real->correlationId);
        CHECK(call.result == real->returnValue);
        CHECK(call.api ==
              (kind == CUPTI_ACTIVITY_KIND_DRIVER ? kSpoolDriverApi : kSpoolRuntimeApi));
        CHECK(cupti_call_number(real.bytes()) == real->cbid);
    }
    CHECK(kCuptiRuntimeCall == static_cast<uint32_t>(CUPTI_ACTIVITY_KIND_RUNTIME));
    CHECK(kCuptiDriverCall == static_cast<uint32_t>(CUPTI_ACTIVITY_KIND_DRIVER));
}

TEST_CASE("CUPTI's waits, overhead and memory operations of every version are read") {
    check_synchronisation<CUpti_ActivitySynchronization>();
    check_overhead<CUpti_ActivityOverhead>();
    check_memory<CUpti_ActivityMemory3>();
#if CUPTI_API_VERSION >= 22
    check_overhead<CUpti_ActivityOverhead2>();
    check_overhead<CUpti_ActivityOverhead3>();
#endif
#if CUPTI_API_VERSION >= 24
    check_memory<CUpti_ActivityMemory4>();
#endif
#if CUPTI_API_VERSION >= 26
    check_synchronisation<CUpti_ActivitySynchronization2>();
#endif
}

TEST_CASE("CUPTI's devices and contexts of every version are read") {
    check_device<CUpti_ActivityDevice4>();
    check_context<CUpti_ActivityContext>();
#if CUPTI_API_VERSION >= 20
    check_device<CUpti_ActivityDevice5>();
#endif
#if CUPTI_API_VERSION >= 23
    check_context<CUpti_ActivityContext2>();
    check_context<CUpti_ActivityContext3>();
#endif
#if CUPTI_API_VERSION >= 130100
    check_context<CUpti_ActivityContext4>();
#endif
#if CUPTI_API_VERSION >= 130200
    check_device<CUpti_ActivityDevice6>();
#endif
}

TEST_CASE("unknown versions of CUPTI are refused") {
    for (const uint32_t known : {18u, 20u, 28u, 130000u, 130001u, 130401u, 130500u})
        CHECK(is_known_cupti(known));
    for (const uint32_t other : {0u, 17u, 29u, 99u, 129999u, 130600u, 140000u, ~0u})
        CHECK_FALSE(is_known_cupti(other));
    CHECK(is_known_cupti(CUPTI_API_VERSION));
}

TEST_CASE("CUPTI's result codes have their published values") {
    CHECK(kCuptiDone == static_cast<int>(CUPTI_SUCCESS));
    CHECK(kCuptiNoMoreRecords == static_cast<int>(CUPTI_ERROR_MAX_LIMIT_REACHED));
    CHECK(kCuptiNotPermitted == static_cast<int>(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES));
    CHECK(kCuptiHeldByAnother == static_cast<int>(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED));
    CHECK(kCuptiNotPermittedOnVirtual ==
          static_cast<int>(CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES));
}

#else

TEST_CASE("CUPTI's records are read") {
    lanescope::testing::skip_test("built without CUPTI's headers (LANESCOPE_RECORD=OFF)");
}

#endif
