// The events that torch's profiler counts, in torch's trees: the input of key_averages(). Follows
// the rules of torch/autograd/profiler_util.py; docs/numbers.md, "Operators", describes them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/trace/trace.h"

namespace lanescope {

class TraceContext;

enum class TorchRow : uint8_t { cpu, annotation, device, device_annotation, python };

// Sums of an event's descendants, or values assigned to it.
struct TorchSums {
    Nanos child_duration = 0;  // of the direct children
    Nanos device_self = 0;     // of the GPU activities with its id
    Nanos device_total = 0;    // including the ids of all descendants
    Nanos by_launch_self = 0;  // of GPU activities launched inside it, but not in a nested operator
    Nanos by_launch_total = 0;   // the same, including nested operators
    int64_t memory[2] = {0, 0};  // bytes on the CPU and on devices while it ran
    int64_t child_memory[2] = {0, 0};
};

struct TorchEvent {
    SliceRef slice;
    Nanos start = 0;
    Nanos duration = 0;
    StringId name = 0;  // folded_step_name() for ProfilerStep#N
    TorchRow kind = TorchRow::cpu;
    bool replayed = false;  // a captured call above a replay of its graph: it took no CPU time
};

// Names that torch folds into one: an id after all of the pool's, for "ProfilerStep*".
inline StringId folded_step_name(const Trace& trace) {
    return static_cast<StringId>(trace.strings.size());
}

// The events of a trace that make rows.
class TorchEvents {
  public:
    // `trees` must outlive this object.
    TorchEvents(const Trace& trace, std::span<const CallTree> trees,
                const Attribution& attribution);
    TorchEvents(TorchEvents&&) noexcept;
    TorchEvents& operator=(TorchEvents&&) noexcept;
    ~TorchEvents();

    static TorchEvents compute(const TraceContext& context);

    // Calls visit(event, place, sums) for each event of a lane, children before their parent: a
    // TorchEvent, its uint32_t index in the lane's order of start (longest first), and a
    // TorchSums*, null if all sums are 0.
    template <typename Visit>
    void visit(LaneId lane, const Visit& visit) const {
        walk(lane, Visitor::calling(visit));
    }
    // Visits the same events from a cache of all lanes, which the first call fills.
    template <typename Visit>
    void visit_kept(LaneId lane, const Visit& visit) const {
        walk_kept(lane, Visitor::calling(visit));
    }

  private:
    class Lanes;
    // A callback like std::function, at a third of its instructions.
    struct Visitor {
        const void* to;
        void (*visit)(const void* to, const TorchEvent&, uint32_t place, const TorchSums*);

        template <typename Visit>
        static Visitor calling(const Visit& visit) {
            return {&visit, [](const void* self, const TorchEvent& event, uint32_t place,
                               const TorchSums* sums) {
                        (*static_cast<const Visit*>(self))(event, place, sums);
                    }};
        }
    };
    void walk(LaneId lane, Visitor visitor) const;
    void walk_kept(LaneId lane, Visitor visitor) const;

    std::unique_ptr<const Lanes> lanes_;
};

// The position of a slice in the file, if known: the order of events with equal begin and end.
inline uint64_t torch_source(const Trace& trace, SliceRef slice) {
    const auto [chunk, i] = trace.lanes[slice.lane].locate(slice.index);
    return chunk->source.empty() ? slice.index : chunk->source[i];
}

// Whether Python frames count as parents of operators.
bool python_is_in_tree(const Trace& trace);

}  // namespace lanescope
