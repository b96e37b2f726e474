// StackSlices: turns the sampled stacks of a thread into nested slices: consecutive samples in the
// same functions form a slice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ingest/build/trace_sink.h"

namespace lanescope {

// A function on a stack. Frames are of the same call if `function` is equal.
struct StackEntry {
    uint64_t function = 0;
    LocalId name = 0;
    LocalId module = 0;   // library, program or source file; the empty text: not known
    uint64_t source = 0;  // where a reader of arguments finds it
};

// The categories of sampled slices.
inline constexpr CategoryWord kCpuStack = {kSampleCategory, EventClass::other, kSampledCall};
inline constexpr CategoryWord kPythonStack = {kPythonSampleCategory, EventClass::other,
                                              kSampledCall};
inline constexpr CategoryWord kWaitingStack = {kOffCpuCategory, EventClass::other, kSampledCall};

// Deeper stacks are damaged, or of an endless recursion: their innermost frames are left out.
inline constexpr std::size_t kDeepestSampledStack = 1024;

class StackSlices {
  public:
    StackSlices(TraceSink& sink, LocalId lane) : sink_(sink), lane_(lane) {}

    // A sample that stands for the time from `begin` to `end`, outermost frame first. Its slices
    // continue those of the sample before if that ended at `begin`. `begin` must not be before the
    // end of the sample before, and `end` must be later than `begin`.
    void add(Nanos begin, Nanos end, std::span<const StackEntry> stack,
             const CategoryWord& category);
    // A sample taken at `taken` that stands for one `period` before it. It continues the sample
    // before if less than half a period lies between the two; a longer pause means that the thread
    // did not run. `cpu_time`: what the sample stands for, in ns.
    void add_until(Nanos taken, Nanos period, Nanos cpu_time, std::span<const StackEntry> stack);
    // Ends all slices. To be called last.
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
    Nanos end_ = 0;  // of the last sample
    std::vector<Call> stack_;
};

// The distance that a share (0 … 1) of the distances of samples do not exceed; at least 1 ns;
// `otherwise` if there are none. Changes their order.
Nanos sampling_interval(std::vector<Nanos>& distances, double share, Nanos otherwise);

// The last part of a path.
std::string_view file_of_path(std::string_view path);

}  // namespace lanescope
