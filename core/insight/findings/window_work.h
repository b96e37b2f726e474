// Helpers for rules about kernels: they select GPU work in a device's window, find the calls around
// the work, and make the finding that reports it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/insight/findings/rule.h"

namespace lanescope {

// A test of names, made at most once for each distinct name. Not thread-safe.
class NameTest {
  public:
    NameTest(const StringPool& strings, std::function<bool(std::string_view)> test)
        : strings_(&strings), test_(std::move(test)), known_(strings.size(), kUnknown) {}
    bool operator()(StringId name) const {
        uint8_t& known = known_[name];
        if (known == kUnknown) known = test_((*strings_)[name]) ? 1 : 0;
        return known == 1;
    }

  private:
    static constexpr uint8_t kUnknown = 2;

    const StringPool* strings_;
    std::function<bool(std::string_view)> test_;
    mutable std::vector<uint8_t> known_;
};

// Work on a device that a rule looks for.
struct WindowWork {
    std::vector<GpuWork> all;  // that begins in the window, by time
    Intervals times;           // inside the window
};

// Sum of the durations. Work that overlaps on several streams counts several times.
Nanos time_of(std::span<const GpuWork> work);

// `is_wanted(work, slice)` is asked for each kernel, copy and set that begins in the window.
template <typename Test>
WindowWork work_where(const RuleInput& input, const DeviceWindow& device, const Test& is_wanted) {
    WindowWork found;
    const Trace& trace = input.trace();
    std::vector<TimeRange> ranges;
    for (const GpuWork& work : device.work->work) {
        if (!device.counts(work)) continue;
        if (!is_wanted(work, trace.gpu_activities.slice[work.row])) continue;
        found.all.push_back(work);
        ranges.push_back(work.range);
    }
    found.times = intersect(merged(std::move(ranges)), device.times);
    return found;
}

// Slices on threads whose name passes the test, in the query's range.
std::vector<SliceRef> slices_named(const RuleInput& input, const NameTest& test);

// The innermost of the calls around a slice whose name passes the test, the slice included.
// None: there is none, or the slice is none.
SliceRef caller_with(const RuleInput& input, SliceRef slice, const NameTest& test);

// Steps without those of warm-up, or everything if there are none, in the query's range: the time
// to which findings of the host refer if no GPU was recorded.
Intervals steady_steps_of(const RuleInput& input);

// Returns whether the program computes gradients or updates weights; advice for inference differs.
bool is_training(const Trace& trace);

// The beginning of each interval: `share` (0 to 1) of its length.
Intervals first_share(const Intervals& times, double share);

// A finding that costs `times`, with its places, the longest first. Empty: it costs nothing, or
// less than `min_share` of the window.
std::optional<Finding> finding_for(const DeviceWindow& device, double min_share, Intervals times);
std::vector<FindingPlace> places_of(const Trace& trace, const std::vector<GpuWork>& work);

// Evidence that has no figure.
FindingEvidence remark(std::string_view text);
FindingEvidence duration_of(std::string_view text, Nanos time, std::string_view column);
// Evidence about the operators that launched most of the work's time, at most three. `operator_of`:
// the operator of a piece of work; by default the innermost one around its launch.
std::vector<FindingEvidence> by_operator(
    const RuleInput& input, const std::vector<GpuWork>& work,
    const std::function<SliceRef(const GpuWork&)>& operator_of = nullptr);

}  // namespace lanescope
