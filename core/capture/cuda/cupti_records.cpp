#include "core/capture/cuda/cupti_records.h"

namespace lanescope {

namespace {

// The offset of a number in a record, and its type.
template <typename T>
struct Place {
    uint32_t at;
};
using U8 = Place<uint8_t>;
using U16 = Place<uint16_t>;
using U32 = Place<uint32_t>;
using I32 = Place<int32_t>;
using U64 = Place<uint64_t>;
using I64 = Place<int64_t>;  // times: nanoseconds
using Text = Place<const char*>;

// CUpti_ActivityKernel8 (CUDA 11.8) to CUpti_ActivityKernel13 (13.4).
namespace kernel {
constexpr U16 registers = {6};
constexpr I64 start = {16}, end = {24}, queued = {120}, submitted = {128};
constexpr U32 device = {40}, context = {44}, stream = {48}, correlation = {92};
constexpr I32 grid = {52}, block = {64}, cluster = {176};  // three numbers each
constexpr I32 static_shared = {76}, dynamic_shared = {80};
constexpr U32 local_per_thread = {84}, graph = {156};
constexpr U64 graph_node = {144};
constexpr Text name = {104};
}  // namespace kernel

// CUpti_ActivityMemcpy5 (11.8) to 7 (13.4), and CUpti_ActivityMemcpyPtoP4, which begins alike.
namespace copy {
constexpr U8 copy_kind = {4}, from_kind = {5}, to_kind = {6};
constexpr U64 bytes = {8};
constexpr I64 start = {16}, end = {24};
constexpr U32 device = {32}, context = {36}, stream = {40};
constexpr U32 correlation = {44}, graph = {72};
constexpr U64 graph_node = {64};
}  // namespace copy
namespace peer_copy {
constexpr U32 from_device = {44}, to_device = {52}, correlation = {60}, graph = {80};
constexpr U64 graph_node = {72};
}  // namespace peer_copy

// CUpti_ActivityMemset4 (11.8), 5 (13.4).
namespace set {
constexpr U32 value = {4}, device = {32}, context = {36}, stream = {40}, correlation = {44};
constexpr U64 bytes = {8}, graph_node = {64};
constexpr I64 start = {16}, end = {24};
constexpr U16 memory_kind = {50};
constexpr U32 graph = {72};
}  // namespace set

// CUpti_ActivityAPI.
namespace call {
constexpr U32 number = {4}, thread = {28}, correlation = {32}, result = {36};
constexpr I64 start = {8}, end = {16};
}  // namespace call

// CUpti_ActivitySynchronization (11.8), 2 (12.8).
namespace synchronisation {
constexpr U32 kind = {4}, correlation = {24}, context = {28}, stream = {32}, event = {36};
constexpr I64 start = {8}, end = {16};
constexpr uint32_t no_event = ~uint32_t{0};
}  // namespace synchronisation

// CUpti_ActivityOverhead (11.8) to 3 (12.4).
namespace overhead {
constexpr U32 kind = {4}, object_kind = {8}, thread = {16};
constexpr I64 start = {24}, end = {32};
constexpr uint32_t of_thread = 2;  // as object_kind
}  // namespace overhead

// CUpti_ActivityMemory3 (11.8), 4 (12.6).
namespace memory {
constexpr U32 operation = {4}, kind = {8}, correlation = {12};
constexpr U64 address = {16}, bytes = {24};
constexpr I64 time = {32};
constexpr U32 device = {52}, context = {56}, stream = {60};
}  // namespace memory

// CUpti_ActivityDevice4 (11.8) to 6 (13.2).
namespace device {
constexpr U64 bandwidth = {8}, memory = {16};
constexpr U32 l2 = {28}, warp = {32}, core_clock = {36}, multiprocessors = {44};
constexpr U32 warps = {52}, blocks = {56}, shared = {60}, registers = {64};  // a multiprocessor
constexpr U32 block_registers = {68}, block_shared = {72}, block_threads = {76};
constexpr U32 capability_major = {104}, capability_minor = {108}, id = {112};
constexpr Text name = {136};
}  // namespace device

// CUpti_ActivityContext (11.8) to 4 (13.1).
namespace context {
constexpr U32 id = {4}, device = {8};
}  // namespace context

template <typename T>
T take(const void* record, Place<T> place, uint32_t index = 0) {
    T value = {};
    std::memcpy(&value, static_cast<const char*>(record) + place.at + index * sizeof(T),
                sizeof value);
    return value;
}

void take_three(const void* record, I32 place, int32_t (&into)[3]) {
    for (uint32_t i = 0; i < 3; ++i) into[i] = take(record, place, i);
}

// The members that all versions of copies begin with.
SpoolCopy copy_head(const void* record) {
    SpoolCopy out = {};
    out.start = take(record, copy::start);
    out.end = take(record, copy::end);
    out.bytes = take(record, copy::bytes);
    out.device = take(record, copy::device);
    out.context = take(record, copy::context);
    out.stream = take(record, copy::stream);
    out.copy_kind = take(record, copy::copy_kind);
    out.from_kind = take(record, copy::from_kind);
    out.to_kind = take(record, copy::to_kind);
    return out;
}

}  // namespace

uint32_t cupti_kind(const void* record) {
    return take(record, U32{0});
}

SpoolKernel cupti_kernel(const void* record) {
    SpoolKernel out = {};
    out.start = take(record, kernel::start);
    out.end = take(record, kernel::end);
    out.device = take(record, kernel::device);
    out.context = take(record, kernel::context);
    out.stream = take(record, kernel::stream);
    out.correlation = take(record, kernel::correlation);
    take_three(record, kernel::grid, out.grid);
    take_three(record, kernel::block, out.block);
    take_three(record, kernel::cluster, out.cluster);
    out.registers = take(record, kernel::registers);
    out.static_shared = take(record, kernel::static_shared);
    out.dynamic_shared = take(record, kernel::dynamic_shared);
    out.local_per_thread = take(record, kernel::local_per_thread);
    out.graph = take(record, kernel::graph);
    out.graph_node = take(record, kernel::graph_node);
    out.queued = take(record, kernel::queued);
    out.submitted = take(record, kernel::submitted);
    return out;
}

const char* cupti_kernel_name(const void* record) {
    return take(record, kernel::name);
}

SpoolCopy cupti_copy(const void* record) {
    SpoolCopy out = copy_head(record);
    out.correlation = take(record, copy::correlation);
    out.graph = take(record, copy::graph);
    out.graph_node = take(record, copy::graph_node);
    return out;
}

SpoolCopy cupti_peer_copy(const void* record) {
    SpoolCopy out = copy_head(record);
    out.is_peer = 1;
    out.from_device = take(record, peer_copy::from_device);
    out.to_device = take(record, peer_copy::to_device);
    out.correlation = take(record, peer_copy::correlation);
    out.graph = take(record, peer_copy::graph);
    out.graph_node = take(record, peer_copy::graph_node);
    return out;
}

SpoolSet cupti_set(const void* record) {
    SpoolSet out = {};
    out.start = take(record, set::start);
    out.end = take(record, set::end);
    out.bytes = take(record, set::bytes);
    out.device = take(record, set::device);
    out.context = take(record, set::context);
    out.stream = take(record, set::stream);
    out.correlation = take(record, set::correlation);
    out.value = take(record, set::value);
    out.memory_kind = take(record, set::memory_kind);
    out.graph = take(record, set::graph);
    out.graph_node = take(record, set::graph_node);
    return out;
}

SpoolCall cupti_call(const void* record) {
    SpoolCall out = {};
    out.start = take(record, call::start);
    out.end = take(record, call::end);
    out.tid = take(record, call::thread);
    out.correlation = take(record, call::correlation);
    out.api = cupti_kind(record) == kCuptiDriverCall ? kSpoolDriverApi : kSpoolRuntimeApi;
    out.result = take(record, call::result);
    return out;
}

uint32_t cupti_call_number(const void* record) {
    return take(record, call::number);
}

SpoolSynchronisation cupti_synchronisation(const void* record) {
    SpoolSynchronisation out = {};
    out.start = take(record, synchronisation::start);
    out.end = take(record, synchronisation::end);
    out.sync_kind = take(record, synchronisation::kind);
    out.context = take(record, synchronisation::context);
    out.stream = take(record, synchronisation::stream);
    out.correlation = take(record, synchronisation::correlation);
    const uint32_t event = take(record, synchronisation::event);
    out.event = event == synchronisation::no_event ? 0 : event;
    return out;
}

SpoolOverhead cupti_overhead(const void* record) {
    SpoolOverhead out = {};
    out.start = take(record, overhead::start);
    out.end = take(record, overhead::end);
    out.overhead_kind = take(record, overhead::kind);
    if (take(record, overhead::object_kind) == overhead::of_thread)
        out.tid = take(record, overhead::thread);
    return out;
}

SpoolMemory cupti_memory(const void* record) {
    SpoolMemory out = {};
    out.time = take(record, memory::time);
    out.address = take(record, memory::address);
    out.bytes = take(record, memory::bytes);
    out.device = take(record, memory::device);
    out.context = take(record, memory::context);
    out.stream = take(record, memory::stream);
    out.correlation = take(record, memory::correlation);
    out.operation = take(record, memory::operation);
    out.memory_kind = take(record, memory::kind);
    return out;
}

SpoolDevice cupti_device(const void* record) {
    SpoolDevice out = {};
    out.device = take(record, device::id);
    out.capability_major = take(record, device::capability_major);
    out.capability_minor = take(record, device::capability_minor);
    out.multiprocessors = take(record, device::multiprocessors);
    out.warp_size = take(record, device::warp);
    out.max_threads_per_block = take(record, device::block_threads);
    out.max_warps_per_multiprocessor = take(record, device::warps);
    out.max_threads_per_multiprocessor = out.max_warps_per_multiprocessor * out.warp_size;
    out.max_blocks_per_multiprocessor = take(record, device::blocks);
    out.registers_per_block = take(record, device::block_registers);
    out.registers_per_multiprocessor = take(record, device::registers);
    out.shared_per_block = take(record, device::block_shared);
    out.shared_per_multiprocessor = take(record, device::shared);
    out.core_clock_khz = take(record, device::core_clock);
    out.memory_bytes = take(record, device::memory);
    out.memory_bandwidth_kb_per_s = take(record, device::bandwidth);
    out.l2_bytes = take(record, device::l2);
    return out;
}

const char* cupti_device_name(const void* record) {
    return take(record, device::name);
}

SpoolContext cupti_context(const void* record) {
    SpoolContext out = {};
    out.context = take(record, context::id);
    out.device = take(record, context::device);
    return out;
}

}  // namespace lanescope
