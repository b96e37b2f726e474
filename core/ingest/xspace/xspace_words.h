// The words of XSpaces: categories of events, what names and texts of events say.
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
// An instruction of XLA, as its launch states it.
inline constexpr CategoryWord kXspaceLaunchedOp = {"launched_op", EventClass::op};
inline constexpr CategoryWord kXspaceAllocation = {"cpu_instant_event"};
// Categories of device events.
inline constexpr CategoryWord kXspaceKernel = {"kernel", EventClass::kernel, kGpuActivity};
inline constexpr CategoryWord kXspaceCollective = {"collective", EventClass::communication,
                                                   kGpuActivity};
inline constexpr CategoryWord kXspaceCopy = {"gpu_memcpy", EventClass::memory, kGpuActivity};
inline constexpr CategoryWord kXspaceSet = {"gpu_memset", EventClass::memory, kGpuActivity};
// Control flow and fusions whose parts are events of their own: no work beside those.
inline constexpr CategoryWord kXspaceRegion = {"region", EventClass::annotation};
inline constexpr CategoryWord kXspaceWait = {"wait", EventClass::sync};
inline constexpr CategoryWord kXspaceAsync = {"async_op"};
inline constexpr CategoryWord kXspaceDerived = {"derived"};
inline constexpr CategoryWord kXspaceFlow = {"flow"};

// The category of a call of a runtime or driver.
CategoryWord xspace_call_category(std::string_view name);

// Classifies an event of a device by its name and, if recorded, by the category of its instruction.
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
// 7 of "Stream #7(Kernel)".
std::optional<int64_t> xspace_stream_number(std::string_view line);

// "TPU" and 3 of "/device:TPU:3"; `rest`: what follows, such as "SparseCore 0".
struct XspaceDevice {
    std::string_view kind;
    uint32_t ordinal = 0;
    std::string_view rest;
};
std::optional<XspaceDevice> xspace_device(std::string_view plane);

// "array.py(268): sharding" of "$array.py:268 sharding", as other profilers write it; empty: the
// event is no call of Python.
std::string xspace_python_name(std::string_view name);

// The name of a kernel without the suffix of its descriptor, demangled.
std::string xspace_kernel_name(std::string_view name);
// "Memcpy HtoD (Pageable -> Device)" of "MemcpyH2D" and what its details say.
std::string xspace_copy_name(std::string_view name, std::string_view details);

// The value of "key:value" in a text of such pairs, separated by blanks; empty: none.
std::string_view xspace_detail(std::string_view details, std::string_view key);
std::optional<int64_t> xspace_number(std::string_view text);
LaunchConfig xspace_launch_config(std::string_view details);

// Shapes and types of inputs, as other profilers write them: "[[4, 384], []]" and
// "[\"int32\", \"float\"]" of "(int32[4,384];float[])". Empty: not such a text.
struct XspaceShapes {
    std::string dims;
    std::string types;
};
XspaceShapes xspace_shapes(std::string_view text);

// The device of an allocator: 3 of "GPU_3_bfc"; nothing for the host's.
std::optional<int32_t> xspace_device_of_allocator(std::string_view allocator);

// The name of a line without the number that pthreads gave to the thread:
// "tf_Compute" of "tf_Compute/-4321000011112222".
std::string_view xspace_thread_name(std::string_view line, int64_t id);

}  // namespace lanescope
