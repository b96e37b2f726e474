// The kind of work that an event is. A category is the word in the file; a class is what colours,
// panels and analyses distinguish.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lanescope {

enum class EventClass : uint8_t {
    python,         // Python frames
    module,         // nn.Module calls
    annotation,     // steps, user ranges, NVTX
    op,             // framework operators
    runtime,        // launch and other API calls
    kernel,         // GPU kernels
    memory,         // copies and sets
    communication,  // collectives
    sync,           // synchronisation
    overhead,       // the profiler's own
    other,          // anything else
};
inline constexpr int kEventClassCount = 11;

// A word for the user interface: "operator", "Python", …
std::string_view event_class_name(EventClass c);

// The class of a category of PyTorch's profiler, of any version; `other` if unknown.
EventClass classify_category(std::string_view category);

// True for work that runs on the device: kernels, copies, sets.
bool is_gpu_activity_category(std::string_view category);

// Slices that were made from samples of a thread's stack.
enum class SampleKind : uint8_t {
    cpu,      // samples of CPU time
    python,   // samples of wall-clock time: the Python functions on the stack
    waiting,  // times in which the thread did not run: one sample is one wait
};
// "CPU", "Python", "waiting".
std::string_view sample_kind_name(SampleKind kind);

// Their categories. Times in which a thread did not run are in the lane of its CPU samples.
inline constexpr std::string_view kSampleCategory = "cpu_sample";
inline constexpr std::string_view kPythonSampleCategory = "python_sample";
inline constexpr std::string_view kOffCpuCategory = "off_cpu";

// The kind of the slices of a category; empty: they are no samples.
std::optional<SampleKind> sample_kind(std::string_view category);
bool is_sample_category(std::string_view category);

// What an event's name adds to its category, as bits that are stored once per name.
enum NameTrait : uint8_t {
    kCollectiveKernel = 1,      // communication_kernel()
    kModuleFrame = 2,           // "nn.Module: …"
    kCollectiveCall = 4,        // "nccl:…", "gloo:…", "c10d::…"
    kSyncCall = 8,              // "…Synchronize…"
    kComputingCollective = 16,  // CommunicationKernel::computes
};
uint8_t traits_of_name(std::string_view name);

// The class of an event, given its category's class and its name's traits.
inline EventClass refine_class(EventClass base, uint8_t traits) {
    if (traits == 0) return base;
    if (base == EventClass::kernel && (traits & kCollectiveKernel))
        return EventClass::communication;
    if (base == EventClass::python && (traits & kModuleFrame)) return EventClass::module;
    if (base == EventClass::runtime && (traits & kSyncCall)) return EventClass::sync;
    const bool call = base == EventClass::op || base == EventClass::annotation;
    return call && (traits & kCollectiveCall) ? EventClass::communication : base;
}

}  // namespace lanescope
