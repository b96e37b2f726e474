#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "core/analysis/critical_path/critical_path.h"
#include "core/insight/what_if.h"
#include "core/table/cells.h"

namespace lanescope {

struct WhatIfTableRow {
    std::string_view what;
    ChangeKind kind = ChangeKind::faster;
    double speedup = 1;  // of the change; infinite: it takes no time
    WhatIf result;
    SliceRef target;

    bool at_once() const { return kind == ChangeKind::faster && std::isinf(speedup); }
    std::optional<double> factor() const {
        return kind == ChangeKind::faster && !at_once() ? std::optional(speedup) : std::nullopt;
    }
    // Unknown without steps.
    std::optional<double> of_step(double value) const {
        return result.steps > 0 ? std::optional(value) : std::nullopt;
    }
};

namespace {

constexpr auto kWhatIfColumns = columns<WhatIfTableRow>({
    {{"what", Unit::none, kDistinct, "", "The kernel or operator."},
     [](const WhatIfTableRow& row) { return row.what; }},
    {{"change", Unit::none, kDistinct, "",
      "faster; takes no time; fused away (removed, with its launch call, its launch and the gap "
      "before it); launch-free (launch call and launch take no time); CUDA graph (operators, calls "
      "and launches take no CPU time)."},
     [](const WhatIfTableRow& row) {
         return row.at_once() ? std::string_view("takes no time") : change_name(row.kind);
     }},
    {{"factor", Unit::none, kDistinct, "it takes no time, or is launched in another way",
      "How many times faster."},
     [](const WhatIfTableRow& row) { return row.factor(); }},
    {{"steps", Unit::count, kDistinct, "", "Steps that begin in the range.", Priority::detail},
     [](const WhatIfTableRow& row) { return row.result.steps; }},
    {{"step_ns", Unit::nanoseconds, kDistinct, "no step",
      "Mean length of a step: to its end on the CPU, or to the end of its last activity, if "
      "later."},
     [](const WhatIfTableRow& row) { return row.of_step(row.result.step_ns); }},
    {{"new_step_ns", Unit::nanoseconds, kNoAggregate, "no step",
      "Mean length of a step with the change."},
     [](const WhatIfTableRow& row) { return row.of_step(row.result.new_step_ns); }},
    {{"saved_ns", Unit::nanoseconds, kNoAggregate, "no step", "step_ns - new_step_ns."},
     [](const WhatIfTableRow& row) { return row.of_step(row.result.saved_ns()); }},
    {{"saved", Unit::ratio, kNoAggregate, "no step, or one of no length",
      "saved_ns as a fraction of the step."},
     [](const WhatIfTableRow& row) {
         return known_ratio(row.result.saved_ns(), row.result.step_ns);
     }},
    {{"path_ns", Unit::nanoseconds, kNoAggregate, "no step",
      "Mean of its time on a step's critical path: the most that removing it can save."},
     [](const WhatIfTableRow& row) { return row.of_step(row.result.path_ns); }},
});

WhatIfTableRow row_of(const TraceContext& context, const TableQuery& query, std::string_view what,
                      const Change& change, SliceRef target) {
    return {what, change.kind, change.factor, what_if(context, query, change), target};
}

// The longest slice of the change.
SliceRef longest_of(const Trace& trace, const Change& change) {
    SliceRef longest;
    const auto look = [&](SliceRef slice) {
        if (!longest || trace.duration(slice) > trace.duration(longest)) longest = slice;
    };
    if (change.calls.empty())
        for (const uint32_t row : change.activities) look(trace.gpu_activities.slice[row]);
    for (const SliceRef call : change.calls) look(call);
    return longest;
}

struct OnPath {
    SliceRef longest;
    Nanos length = 0;
    Nanos time = 0;
};

// Names with most time on the paths: activities, and operators with their own CPU time.
std::vector<OnPath> most_on_path(const TraceContext& context, const TableQuery& query,
                                 std::size_t limit) {
    std::unordered_map<uint64_t, OnPath> by_name;
    const auto paths = shared_critical_paths(context, query);
    for (const StepPath& path : *paths) {
        for (const PathSegment& segment : segments_of(context, path)) {
            const bool on_gpu = segment.part == PathPart::kernel ||
                                segment.part == PathPart::communication ||
                                segment.part == PathPart::copy;
            if (!segment.slice || (!on_gpu && segment.part != PathPart::op)) continue;
            OnPath& one =
                by_name[uint64_t{context.trace().name_id(segment.slice)} * 2 + (on_gpu ? 1 : 0)];
            one.time += segment.range.length();
            if (!one.longest || segment.range.length() > one.length) {
                one.longest = segment.slice;
                one.length = segment.range.length();
            }
        }
    }
    std::vector<OnPath> names;
    names.reserve(by_name.size());
    for (const auto& [key, one] : by_name) names.push_back(one);
    std::ranges::sort(names, [](const OnPath& a, const OnPath& b) {
        return std::tuple(-a.time, a.longest) < std::tuple(-b.time, b.longest);
    });
    names.resize(std::min(names.size(), limit));
    return names;
}

}  // namespace

const TableOf<WhatIfTableRow> kWhatIfTable = {
    {"what-if", "How long steps would take if something took less or were launched for free."},
    kWhatIfColumns,
    [](const WhatIfTableRow& row) {
        return RowTarget{row.target, {}};
    }};

Table what_if_table(const TraceContext& context, const TableQuery& query, const Change& change,
                    std::string_view what, double factor) {
    constexpr double kAtOnce = std::numeric_limits<double>::infinity();
    TableBuilder table(kWhatIfTable);
    Change one = change;
    const SliceRef target = longest_of(context.trace(), change);
    const auto add = [&](ChangeKind kind, double speedup) {
        one.kind = kind;
        one.factor = speedup;
        table.add(row_of(context, query, what, one, target));
    };
    add(ChangeKind::faster, factor);
    if (factor < 10) add(ChangeKind::faster, 10);
    add(ChangeKind::faster, kAtOnce);
    if (!change.activities.empty()) add(ChangeKind::launch_free, 1);
    add(ChangeKind::fused, 1);
    return table.take();
}

Table what_helps_table(const TraceContext& context, const TableQuery& query, double factor,
                       std::size_t limit) {
    const Trace& trace = context.trace();
    std::vector<WhatIfTableRow> rows;
    for (const OnPath& one : most_on_path(context, query, limit)) {
        Change change = change_like(context, one.longest);
        change.factor = factor;
        rows.push_back(row_of(context, query, trace.name(one.longest), change, one.longest));
    }
    std::ranges::stable_sort(rows, std::greater(),
                             [](const WhatIfTableRow& row) { return row.result.saved_ns(); });
    if (!trace.gpu_activities.slice.empty()) {
        Change graph;
        graph.kind = ChangeKind::graph;
        rows.push_back(row_of(context, query, "all of it", graph, {}));
    }
    TableBuilder table(kWhatIfTable);
    for (const WhatIfTableRow& row : rows) table.add(row);
    return table.take();
}

}  // namespace lanescope
