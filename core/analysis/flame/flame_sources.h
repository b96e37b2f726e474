// The sources of flame graphs: each adds its calls and their weights to a builder.
#pragma once

#include <algorithm>
#include <optional>

#include "core/analysis/flame/flame_builder.h"

namespace lanescope {

// In order of time at most so many calls get a box of their own.
inline constexpr std::size_t kMostTimedCalls = 2'000'000;

// The part of a slice inside the query's range, in nanoseconds; none: it does not overlap.
std::optional<Nanos> part_in_range(const FlameQuery& query, Nanos begin, Nanos end);
// Whether the lane counts; lanes derived from others never do.
bool uses_lane(const Trace& trace, const FlameQuery& query, LaneId lane);

// The frame of a slice; numbers of PyTorch's steps are ignored.
class FrameFinder {
  public:
    FrameFinder(const Trace& trace, FlameBuilder& builder) : trace_(trace), builder_(builder) {}
    uint32_t frame_of(StringId name, CategoryId category);

  private:
    const Trace& trace_;
    FlameBuilder& builder_;
    FlatMap<uint32_t> known_;  // by name and category
};

// Calls of CPU threads, of the classes that the source shows. Returns FlameTree::left_out.
Nanos add_calls(const TraceContext& context, const FlameQuery& query, FlameBuilder& builder);
void add_samples(const TraceContext& context, const FlameQuery& query, SampleKind kind,
                 FlameBuilder& builder);
void add_gpu_work(const TraceContext& context, const FlameQuery& query, FlameBuilder& builder);

// Whether stacks of the source contain calls of the class.
bool shows_class(FlameSource source, EventClass event_class, bool only_python);
// By category: whether its slices are the profiler's own, such as the span of its recording.
std::vector<bool> profilers_categories(const Trace& trace);
// Whether the trace's CPU threads have nothing but Python frames.
bool has_only_python(const Trace& trace);

}  // namespace lanescope
