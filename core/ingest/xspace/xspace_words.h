// Interprets the vocabulary of XSpaces: event categories, and the meaning of names and texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/ingest/build/trace_sink.h"
#include "core/trace/category.h"
#include "core/trace/schema.h"

namespace lanescope {

// Categories of host events.
// Calls inside of the framework and its compiler.
inline constexpr CategoryWord kXspaceHost = {"host", EventClass::runtime};
inline constexpr CategoryWord kXspacePython = {"python_function", EventClass::python};
inline constexpr CategoryWord kXspaceStep = {"user_annotation", EventClass::annotation};
inline constexpr CategoryWord kXspaceOperator = {"cpu_op", EventClass::op};
// An XLA instruction, as stated by its launch.
inline constexpr CategoryWord kXspaceLaunchedOp = {"launched_op", EventClass::op};
inline constexpr CategoryWord kXspaceAllocation = {"cpu_instant_event"};
// Categories of device events.
inline constexpr CategoryWord kXspaceKernel = {"kernel", EventClass::kernel, kGpuActivity};
inline constexpr CategoryWord kXspaceCollective = {"collective", EventClass::communication,
                                                   kGpuActivity};
inline constexpr CategoryWord kXspaceCopy = {"gpu_memcpy", EventClass::memory, kGpuActivity};
inline constexpr CategoryWord kXspaceSet = {"gpu_memset", EventClass::memory, kGpuActivity};
// Control flow, and fusions whose parts are separate events: ranges around work.
inline constexpr CategoryWord kXspaceRegion = {"region", EventClass::annotation};
inline constexpr CategoryWord kXspaceWait = {"wait", EventClass::sync};
inline constexpr CategoryWord kXspaceAsync = {"async_op"};
inline constexpr CategoryWord kXspaceDerived = {"derived"};
inline constexpr CategoryWord kXspaceFlow = {"flow"};

// The category of a runtime or driver call.
CategoryWord xspace_call_category(std::string_view name);

// Classifies a device event by its name and, if recorded, by the category of its instruction.
enum class XspaceOp : uint8_t { work, wait, collective, region };
XspaceOp xspace_op(std::string_view name, std::string_view hlo_category);

enum class XspaceLineKind : uint8_t {
    stream,   // "Stream #7(Kernel,MemcpyH2D)"
    ops,      // "XLA Ops"
    async,    // "Async XLA Ops"
    waits,    // "XLA TraceMe"
    steps,    // "Steps"
    derived,  // any other
};
XspaceLineKind xspace_line_kind(std::string_view name);
// Returns 7 for "Stream #7(Kernel)".
std::optional<int64_t> xspace_stream_number(std::string_view line);

// Returns "TPU" and 3 for "/device:TPU:3"; `rest`: the text after it, such as "SparseCore 0".
struct XspaceDevice {
    std::string_view kind;
    uint32_t ordinal = 0;
    std::string_view rest;
};
std::optional<XspaceDevice> xspace_device(std::string_view plane);

// Returns "array.py(268): sharding" for "$array.py:268 sharding", in the style of other profilers;
// empty: not a Python call.
std::string xspace_python_name(std::string_view name);

// The demangled name of a kernel without the suffix of its descriptor.
std::string xspace_kernel_name(std::string_view name);
// "Memcpy HtoD (Pageable -> Device)", from "MemcpyH2D" and the event's details.
std::string xspace_copy_name(std::string_view name, std::string_view details);

// The value of "key:value" in a text with such pairs, separated by spaces; empty: none.
std::string_view xspace_detail(std::string_view details, std::string_view key);
std::optional<int64_t> xspace_number(std::string_view text);
LaunchConfig xspace_launch_config(std::string_view details);

// Shapes and types of inputs in the style of other profilers: "[[4, 384], []]" and "[\"int32\",
// \"float\"]" for "(int32[4,384];float[])". Empty: not such a text.
struct XspaceShapes {
    std::string dims;
    std::string types;
};
XspaceShapes xspace_shapes(std::string_view text);

// The device of an allocator: 3 for "GPU_3_bfc"; none: the host's allocator.
std::optional<int32_t> xspace_device_of_allocator(std::string_view allocator);

// The name of a line without the thread number of pthreads: "tf_Compute" for
// "tf_Compute/-4321000011112222".
std::string_view xspace_thread_name(std::string_view line, int64_t id);

}  // namespace lanescope
