// Vocabulary of Nsight Systems exports: event categories, kinds of copies, memory and
// synchronisation, and parts of IDs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/ingest/build/trace_sink.h"
#include "core/trace/category.h"

namespace lanescope {

inline constexpr CategoryWord kNsightRange = {"user_annotation", EventClass::annotation};
inline constexpr CategoryWord kNsightOperator = {"cpu_op", EventClass::op};
inline constexpr CategoryWord kNsightRuntimeCall = {"cuda_runtime", EventClass::runtime,
                                                    kLaunchCall};
inline constexpr CategoryWord kNsightDriverCall = {"cuda_driver", EventClass::runtime, kLaunchCall};
inline constexpr CategoryWord kNsightKernel = {"kernel", EventClass::kernel, kGpuActivity};
inline constexpr CategoryWord kNsightCopy = {"gpu_memcpy", EventClass::memory, kGpuActivity};
inline constexpr CategoryWord kNsightSet = {"gpu_memset", EventClass::memory, kGpuActivity};
inline constexpr CategoryWord kNsightSync = {"cuda_sync", EventClass::sync};
inline constexpr CategoryWord kNsightOverhead = {"overhead", EventClass::overhead};
inline constexpr CategoryWord kNsightSystemCall = {"os_runtime", EventClass::other};
inline constexpr CategoryWord kNsightLibraryCall = {"library", EventClass::other};
inline constexpr CategoryWord kNsightGraphNode = {"cuda_graph_node", EventClass::other};
inline constexpr CategoryWord kNsightCommunication = {"communication", EventClass::communication};
inline constexpr CategoryWord kNsightFailure = {"failed_call"};
inline constexpr CategoryWord kNsightAllocation = {"cpu_instant_event"};
inline constexpr CategoryWord kNsightValue = {"gpu_metric"};
inline constexpr CategoryWord kNsightSample = {kSampleCategory, EventClass::other, kSampledCall};
inline constexpr CategoryWord kNsightPause = {kOffCpuCategory, EventClass::other, kSampledCall};

inline constexpr int64_t kNsightNoNumber = 0xFFFFFFFF;  // "none" in 32-bit columns

// Masks the thread: global IDs pack machine, virtual machine, process and thread into one number. A
// process has thread 0.
constexpr int64_t nsight_process(int64_t global) {
    return global & ~int64_t{0xFFFFFF};
}
constexpr uint32_t nsight_pid(int64_t global) {
    return static_cast<uint32_t>(global >> 24 & 0xFFFFFF);
}
constexpr uint32_t nsight_tid(int64_t global) {
    return static_cast<uint32_t>(global & 0xFFFFFF);
}

// "Memcpy HtoD (Pinned -> Device)", like Kineto's names.
std::string nsight_copy_name(int64_t kind, int64_t from, int64_t to);
std::string nsight_set_name(int64_t memory);      // "Memset (Device)"
std::string_view nsight_sync_name(int64_t kind);  // "Stream Sync"
// Whether memory of this kind is the host's.
bool nsight_is_host_memory(int64_t kind);

// Removes the interface version: "cudaLaunchKernel" for "cudaLaunchKernel_v7000".
std::string_view nsight_call_name(std::string_view name);

// The content of a range of PyTorch's emit_nvtx: "aten::mul, seq = 45, op_id = 9, sizes = [[2,
// 3]]".
struct TorchRange {
    std::string_view name;   // the whole text, if the range is of another kind
    int64_t sequence;        // kNoValue: not stated
    std::string_view sizes;  // empty: not stated
    bool is_operator = false;
};
// Whether a range or call belongs to a communication library: NCCL, MPI, …
bool nsight_is_communication(std::string_view name);
TorchRange read_torch_range(std::string_view text);

}  // namespace lanescope
