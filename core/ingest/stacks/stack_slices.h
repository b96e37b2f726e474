// StackSlices: turns the sampled stacks of a thread into nested slices. Consecutive samples in the
// same functions form a slice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ingest/build/trace_sink.h"

namespace lanescope {

// A function on a stack. Frames with the same `function` belong to the same call.
struct StackEntry {
    uint64_t function = 0;
    LocalId name = 0;
    LocalId module = 0;   // library, program or source file; empty text: unknown
    uint64_t source = 0;  // position for the argument reader
};

// The categories of sampled slices.
inline constexpr CategoryWord kCpuStack = {kSampleCategory, EventClass::other, kSampledCall};
inline constexpr CategoryWord kPythonStack = {kPythonSampleCategory, EventClass::other,
                                              kSampledCall};
inline constexpr CategoryWord kWaitingStack = {kOffCpuCategory, EventClass::other, kSampledCall};

// Deeper stacks are damaged or endless recursions; their innermost frames are omitted.
inline constexpr std::size_t kDeepestSampledStack = 1024;

class StackSlices {
  public:
    StackSlices(TraceSink& sink, LocalId lane) : sink_(sink), lane_(lane) {}

    // Adds a sample that represents the time from `begin` to `end`, the outermost frame first. Its
    // slices continue those of the previous sample if that sample ended at `begin`. `begin` must
    // not be before the previous sample's end, and `end` must be after `begin`.
    void add(Nanos begin, Nanos end, std::span<const StackEntry> stack,
             const CategoryWord& category);
    // Adds a sample taken at `taken`, which represents one `period` before. It continues the
    // previous sample if less than half a period lies between them; after a longer pause, the
    // thread is assumed not to have run. `cpu_time`: CPU time that the sample represents, in ns.
    void add_until(Nanos taken, Nanos period, Nanos cpu_time, std::span<const StackEntry> stack);
    // Ends all slices. Call it last.
    void finish() { close(0); }

  private:
    struct Call {
        StackEntry frame;
        Nanos begin = 0;
        int64_t samples = 0;
        Nanos cpu_time = 0;
    };

    void put(Nanos begin, Nanos end, Nanos cpu_time, std::span<const StackEntry> stack);
    void close(std::size_t kept);

    TraceSink& sink_;
    LocalId lane_;
    const CategoryWord* category_ = &kCpuStack;
    bool has_sample_ = false;
    Nanos end_ = 0;  // end of the last sample
    std::vector<Call> stack_;
};

// The quantile `share` (0 … 1) of the distances between samples, at least 1 ns; `otherwise` if
// there are no distances. Reorders `distances`.
Nanos sampling_interval(std::vector<Nanos>& distances, double share, Nanos otherwise);

// The last part of a path.
std::string_view file_of_path(std::string_view path);

}  // namespace lanescope
