// What kind of work an event is. Categories are a file's own words; classes are what colours,
// panels and analyses tell apart.
#pragma once

#include <cstdint>
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

// A word for people: "operator", "Python", …
std::string_view event_class_name(EventClass c);

// The class of a category as written by Kineto of any age; `other` when unknown.
EventClass classify_category(std::string_view category);

// Work that runs on the device: kernels, copies, sets.
bool is_gpu_activity_category(std::string_view category);

// Slices that were made of samples of a thread's stack.
inline constexpr std::string_view kSampleCategory = "cpu_sample";
// Behind the id of a thread: that of the lane which its samples are on.
inline constexpr std::string_view kSamplesOfThread = " samples";

// What a name tells beyond its category, as bits to be kept per name.
enum NameTrait : uint8_t {
    kCollectiveKernel = 1,  // NCCL's or RCCL's kernel
    kModuleFrame = 2,       // "nn.Module: …"
    kCollectiveCall = 4,    // "nccl:…", "gloo:…", "c10d::…"
    kSyncCall = 8,          // "…Synchronize…"
};
uint8_t traits_of_name(std::string_view name);

// The class of an event from that of its category and the traits of its name.
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
