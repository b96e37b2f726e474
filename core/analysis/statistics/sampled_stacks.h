// The samples of stacks, lane by lane: how many samples and how much time each slice of a lane of
// samples represents, with and without its callees.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/analysis/structure/call_tree.h"
#include "core/base/nanos.h"
#include "core/table/query.h"
#include "core/trace/category.h"
#include "core/trace/trace.h"

namespace lanescope {

// Fractional if the range clips a slice.
struct SampleWeight {
    double samples = 0;
    double time = 0;  // nanoseconds
    // Only of Python samples: the number in which the thread held the interpreter's lock (GIL), and
    // the number in which the thread ran or was ready to run.
    double gil = 0;
    double running = 0;

    SampleWeight& operator+=(const SampleWeight& other);
    SampleWeight& operator-=(const SampleWeight& other);
    friend SampleWeight operator*(SampleWeight weight, double factor);
};

struct SampledFunction {
    StringId name = 0;
    StringId module = 0;
    SampleKind kind = SampleKind::cpu;
    friend bool operator==(const SampledFunction&, const SampledFunction&) = default;
    friend auto operator<=>(const SampledFunction&, const SampledFunction&) = default;
};
// Orders functions by their texts, which are the same in every file, unlike their ids.
std::tuple<std::string_view, std::string_view, SampleKind> text_order(
    const Trace& trace, const SampledFunction& function);

struct SampledSlice {
    SliceRef slice;  // none: a slice without samples, or outside of the range
    SampledFunction function;
    SampleWeight total;  // with its callees
    SampleWeight self;
};

// A lane of samples. A slice that is partly in the range has weight in proportion to its time in
// the range.
struct SampledLane {
    LaneId lane = 0;
    CallTree tree;
    std::vector<SampledSlice> calls;  // by index in the lane
};

void for_each_sampled_lane(const Trace& trace, const TableQuery& query,
                           const std::function<void(const SampledLane&)>& visit);

// Calls visit(call, stack) for each call of the lane in preorder; `stack` contains its callers, the
// outermost first.
void for_each_sampled_slice(
    const SampledLane& lane,
    const std::function<void(const SampledSlice&, const std::vector<const SampledSlice*>&)>& visit);

}  // namespace lanescope
