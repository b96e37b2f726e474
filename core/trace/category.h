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

// A refinement by name: NCCL and RCCL kernels are communication, `nn.Module: …` frames are modules,
// and synchronising runtime calls are sync. Returns `base` where the name says nothing.
EventClass classify_name(EventClass base, std::string_view name);

}  // namespace lanescope
