#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "core/analysis/critical_path/critical_path.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/steps.h"
#include "core/insight/what_if/what_if.h"
#include "core/table/cells.h"

namespace lanescope {

struct WhatIfTableRow {
    std::string_view what;
    std::optional<PathPart> part;
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
    std::optional<double> with_change(double value) const {
        return part == PathPart::unknown ? std::nullopt : of_step(value);
    }
};

namespace {

constexpr std::string_view kNoChange =
    "no step, or one of no length; or nothing is recorded that could change";

constexpr auto kWhatIfColumns = columns<WhatIfTableRow>({
    {{"what", Unit::none, kDistinct, "",
      "The kernel, operator, call or data loader; for a launch, gap or synchronisation, the "
      "activity that then began or the call that then ended; for the program, its frame or "
      "annotation."},
     [](const WhatIfTableRow& row) { return row.what; }},
    {{"part", Unit::none, kDistinct, "chosen by name, or everything",
      "The kind of its time on the paths, as in table critical-path."},
     [](const WhatIfTableRow& row) {
         return row.part ? std::optional(path_part_name(*row.part)) : std::nullopt;
     }},
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
    {{"new_step_ns", Unit::nanoseconds, kNoAggregate, kNoChange,
      "Mean length of a step with the change."},
     [](const WhatIfTableRow& row) { return row.with_change(row.result.new_step_ns); }},
    {{"saved_ns", Unit::nanoseconds, kNoAggregate, kNoChange, "step_ns - new_step_ns."},
     [](const WhatIfTableRow& row) { return row.with_change(row.result.saved_ns()); }},
    {{"saved", Unit::ratio, kNoAggregate, kNoChange, "saved_ns as a fraction of the step."},
     [](const WhatIfTableRow& row) {
         return row.part == PathPart::unknown
                    ? std::nullopt
                    : known_ratio(row.result.saved_ns(), row.result.step_ns);
     }},
    {{"path_ns", Unit::nanoseconds, kNoAggregate, "no step",
      "Mean of its time on a step's critical path: the most that removing it can save."},
     [](const WhatIfTableRow& row) { return row.of_step(row.result.path_ns); }},
});

WhatIfTableRow row_of(const TraceContext& context, const TableQuery& query, std::string_view what,
                      std::optional<PathPart> part, const Change& change, SliceRef target) {
    return {what, part, change.kind, change.factor, what_if(context, query, change), target};
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

// All segments of one part and name; of a data loader, with everything inside it.
struct OnPath {
    PathCost cost;
    SliceRef longest;  // none: segments without a slice
    Nanos length = 0;
    Nanos time = 0;
};

// The data loader around a call that counts as loading.
SliceRef loader_of(const TraceContext& context, SliceRef call) {
    const Trace& trace = context.trace();
    if (is_data_loading(trace.name(call))) return call;
    for (const SliceRef around : enclosing(context.get<CallTrees>().by_lane, call))
        if (is_data_loading(trace.name(around))) return around;
    return call;
}

// The costs with most time on the paths.
std::vector<OnPath> most_on_path(const TraceContext& context, const TableQuery& query,
                                 std::size_t limit) {
    std::unordered_map<uint64_t, OnPath> by_cost;
    const auto paths = shared_critical_paths(context, query);
    for (const StepPath& path : *paths) {
        for (const PathSegment& segment : segments_of(context, path)) {
            const SliceRef slice = segment.slice && segment.part == PathPart::loading
                                       ? loader_of(context, segment.slice)
                                       : segment.slice;
            const StringId name = slice ? context.trace().name_id(slice) : StringPool::none;
            OnPath& one =
                by_cost[uint64_t{name} * kPathPartCount + static_cast<uint64_t>(segment.part)];
            one.cost = {segment.part, name};
            one.time += segment.range.length();
            if (one.length > 0 && segment.range.length() <= one.length) continue;
            one.longest = slice;
            one.length = segment.range.length();
        }
    }
    std::vector<OnPath> costs;
    costs.reserve(by_cost.size());
    for (const auto& [key, one] : by_cost)
        if (one.time > 0) costs.push_back(one);
    std::ranges::sort(costs, {}, [](const OnPath& one) {
        return std::tuple(-one.time, one.cost.part, one.cost.name);
    });
    costs.resize(std::min(costs.size(), limit));
    return costs;
}

// Activities and operators change as a whole, everywhere: an operator with what it calls and
// launches. Of everything else, only the time on the paths' edges changes.
Change change_of_cost(const TraceContext& context, const OnPath& one, double factor) {
    Change change;
    switch (one.cost.part) {
        case PathPart::kernel:
        case PathPart::communication:
        case PathPart::copy:
        case PathPart::op:
        case PathPart::loading:
            change = change_like(context, one.longest);
            break;
        default:
            change.cost = one.cost;
    }
    change.factor = factor;
    return change;
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
        table.add(row_of(context, query, what, {}, one, target));
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
    for (const OnPath& one : most_on_path(context, query, limit))
        rows.push_back(row_of(context, query,
                              one.longest ? trace.name(one.longest) : "nothing recorded",
                              one.cost.part, change_of_cost(context, one, factor), one.longest));
    std::ranges::stable_sort(rows, std::greater(),
                             [](const WhatIfTableRow& row) { return row.result.saved_ns(); });
    if (!trace.gpu_activities.slice.empty()) {
        Change graph;
        graph.kind = ChangeKind::graph;
        rows.push_back(row_of(context, query, "all of it", {}, graph, {}));
    }
    TableBuilder table(kWhatIfTable);
    for (const WhatIfTableRow& row : rows) table.add(row);
    return table.take();
}

}  // namespace lanescope
