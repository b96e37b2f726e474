// Flame graphs: calls of a trace merged by their stacks, as a tree whose boxes are as wide as the
// time or the samples inside them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/context.h"
#include "core/table/query.h"
#include "core/trace/category.h"

namespace lanescope {

enum class FlameSource : uint8_t {
    calls,    // calls of CPU threads; without Python frames if there are others
    python,   // Python frames, modules included; if there are none, Python samples
    samples,  // samples of CPU time
    waiting,  // times in which threads did not run, by the stack that they waited in
    modules,  // calls of nn.Module
    gpu,      // kernels, copies and sets, below the calls that launched them
};
inline constexpr FlameSource kFlameSources[] = {FlameSource::calls,   FlameSource::python,
                                                FlameSource::samples, FlameSource::waiting,
                                                FlameSource::modules, FlameSource::gpu};
// "calls", "python", "samples", "waiting", "modules", "gpu".
std::string_view flame_source_word(FlameSource source);
// For titles: "GPU time by launching stack".
std::string_view flame_source_title(FlameSource source);
std::optional<FlameSource> find_flame_source(std::string_view word);
// What the trace lacks for the source, and how to record it; empty if it has the data.
std::string_view missing_for_flame(const Trace& trace, FlameSource source);
// The kind of samples that the source shows in this trace; empty: it shows calls.
std::optional<SampleKind> sampled_source(const Trace& trace, FlameSource source);
// The first source that the trace has data for; `calls` if there is none.
FlameSource first_flame_source(const Trace& trace);

enum class FlameOrder : uint8_t {
    heavy,  // equal stacks merged; siblings by weight, the heaviest first
    time,   // a box for each call, in order of time, one thread after another
};

enum class FlameWeight : uint8_t {
    time,     // nanoseconds; of samples, the time that they represent
    samples,  // number of samples or waits; only if sampled_source()
};

struct FlameQuery {
    FlameSource source = FlameSource::calls;
    FlameOrder order = FlameOrder::heavy;
    FlameWeight weight = FlameWeight::time;
    // Calls are clipped to its range; of GPU work of a range of steps, all that they launched
    // counts.
    TableQuery table;
    std::vector<LaneId> lanes;  // ascending; empty: all
    SliceRef within;            // only this slice and what is inside it; none: everything
    friend bool operator==(const FlameQuery&, const FlameQuery&) = default;
};

// An element of a stack: a function, operator or kernel by name.
struct FlameFrame {
    enum class Kind : uint8_t {
        call,
        steps,      // all steps of PyTorch's profiler, whose names have numbers
        lane,       // a thread, above its calls in order of time
        no_launch,  // above GPU work whose launch was not recorded
    };
    StringId name = 0;
    StringId module = 0;  // of a sampled function: its library or program
    EventClass event_class = EventClass::other;
    Kind kind = Kind::call;
    friend bool operator==(const FlameFrame&, const FlameFrame&) = default;
};
// The name of a frame for people.
std::string_view frame_text(const Trace& trace, const FlameFrame& frame);

struct FlameNode {
    uint32_t frame = kNoRow;   // index in FlameTree::frames
    uint32_t parent = kNoRow;  // smaller than the node's own index
    uint32_t first_child = 0;  // children have consecutive indices
    uint32_t child_count = 0;
    int64_t begin = 0;   // the weight to the left of the box
    int64_t total = 0;   // the width of the box: its own weight and that of its children
    int64_t self = 0;    // weight outside of children
    uint64_t calls = 0;  // slices that overlap the range
    SliceRef longest;    // the longest of them; none for frames that are no calls
    Nanos longest_duration = -1;
};

struct FlameTree {
    FlameSource source = FlameSource::calls;
    FlameOrder order = FlameOrder::heavy;
    FlameWeight weight = FlameWeight::time;
    std::optional<SampleKind> sampled;  // the kind of samples; empty: calls
    std::vector<FlameFrame> frames;
    // The first node contains everything and has no frame; its children are the outermost calls.
    std::vector<FlameNode> nodes = {FlameNode()};
    uint32_t depth_count = 0;  // rows without the first node
    // Calls shorter than this are part of their callers, because there were too many; 0: none.
    Nanos left_out = 0;

    const FlameNode& root() const { return nodes.front(); }
    bool empty() const { return nodes.size() == 1; }
    std::span<const FlameNode> children(const FlameNode& node) const {
        return std::span(nodes).subspan(node.first_child, node.child_count);
    }
    uint32_t index_of(const FlameNode& node) const {
        return static_cast<uint32_t>(&node - nodes.data());
    }
};

// Linear in the slices of the lanes: too slow for a frame.
FlameTree make_flame_tree(const TraceContext& context, const FlameQuery& query);

}  // namespace lanescope
