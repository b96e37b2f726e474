// Calls of the runtime and driver by their correlations.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "core/base/radix_sort.h"
#include "core/ingest/build/builder_state.h"
#include "core/trace/trace.h"

namespace lanescope {

// The first item of [begin, end) for which `condition` does not hold, given that it holds for all
// items before that one and for none after. The cost grows with the logarithm of the distance.
template <typename Iterator, typename Condition>
Iterator first_without(Iterator begin, Iterator end, const Condition& condition) {
    std::ptrdiff_t step = 1;
    while (end - begin > step && condition(begin[step - 1])) {
        begin += step;
        step *= 2;
    }
    return std::partition_point(begin, begin + std::min(step, end - begin), condition);
}

// The runtime calls that have a correlation, sorted by correlation, then by start. Activities come
// nearly in the order of their correlations, so each search begins where the last one ended: the
// cost does not depend on how far apart the correlations are.
class CallsByCorrelation {
  public:
    struct Call {
        uint64_t key;  // radix_key of the correlation
        uint32_t row;  // in Trace::runtime_calls
        uint32_t launches_before;
    };
    using Run = std::span<const Call>;  // the calls of one correlation

    CallsByCorrelation(const BuilderState& state, const Trace& trace) : trace_(trace) {
        const RuntimeCalls& table = trace.runtime_calls;
        for (uint32_t row = 0; row < table.slice.size(); ++row)
            if (table.correlation[row] != kNoValue)
                calls_.push_back({radix_key(table.correlation[row]), row, 0});
        radix_sort(calls_, [](const Call& call) { return call.key; });
        for (auto begin = calls_.begin(); begin != calls_.end();) {
            const auto end = end_of_run(begin, calls_.end());
            if (end - begin > 1)
                std::stable_sort(begin, end,
                                 [&](const Call& a, const Call& b) { return start(a) < start(b); });
            begin = end;
        }
        for (Call& call : calls_) {
            call.launches_before = launches_;
            if (is_launch(state, call)) ++launches_;
        }
    }

    Run find(int64_t correlation) {
        const uint64_t key = radix_key(correlation);
        const auto at = calls_.begin() + last_found_;
        auto begin = first_without(at, calls_.end(), [&](const Call& c) { return c.key < key; });
        if (begin == at)
            begin = first_without(std::reverse_iterator(at), calls_.rend(), [&](const Call& c) {
                        return c.key >= key;
                    }).base();
        last_found_ = begin - calls_.begin();
        if (begin == calls_.end() || begin->key != key) return {};
        return {begin, end_of_run(begin, calls_.end())};
    }

    // Whether one of the calls belongs to the runtime or driver of CUDA or HIP.
    bool has_launch(Run run) const {
        const Call* end = run.data() + run.size();
        const bool is_last = end == calls_.data() + calls_.size();
        return (is_last ? launches_ : end->launches_before) > run.front().launches_before;
    }

    // Several calls may share a correlation (windows of a recording): the last call that began
    // before `time`, the first row of those that began with it; else the first call.
    uint32_t launching(Run run, Nanos time) const {
        if (run.size() == 1) return run.front().row;
        const auto after = std::partition_point(
            run.begin(), run.end(), [&](const Call& call) { return start(call) <= time; });
        if (after == run.begin()) return run.front().row;
        const Nanos begun = start(*(after - 1));
        return std::partition_point(run.begin(), after,
                                    [&](const Call& call) { return start(call) < begun; })
            ->row;
    }

    // The same among the calls of one process; kNoRow: it has none.
    uint32_t launching(Run run, uint32_t process, Nanos time) const {
        uint32_t found = kNoRow;
        Nanos begun = 0;
        for (const Call& call : run) {
            if (process_of(call) != process) continue;
            const Nanos begin = start(call);
            if (found != kNoRow && (begin > time || begin == begun)) continue;
            found = call.row;
            begun = begin;
        }
        return found;
    }

    uint32_t process_of(const Call& call) const {
        return trace_.lanes[trace_.runtime_calls.slice[call.row].lane].process;
    }
    Nanos start(const Call& call) const {
        return trace_.start(trace_.runtime_calls.slice[call.row]);
    }

  private:
    template <typename Iterator>
    static Iterator end_of_run(Iterator begin, Iterator end) {
        return first_without(begin, end,
                             [key = begin->key](const Call& call) { return call.key == key; });
    }
    bool is_launch(const BuilderState& state, const Call& call) const {
        const SliceRef slice = trace_.runtime_calls.slice[call.row];
        const auto [chunk, i] = trace_.lanes[slice.lane].locate(slice.index);
        return state.categories[chunk->category[i]].is(kLaunchCall);
    }

    const Trace& trace_;
    std::vector<Call> calls_;
    uint32_t launches_ = 0;
    std::ptrdiff_t last_found_ = 0;
};

}  // namespace lanescope
