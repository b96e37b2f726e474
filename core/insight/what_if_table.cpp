#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "core/analysis/critical_path/critical_path.h"
#include "core/insight/what_if.h"

namespace lanescope {

namespace {

using enum ValueType;

constexpr std::array kColumns = {
    ColumnSpec{"what", text, Unit::none, "", "The kernel or operator."},
    ColumnSpec{"change", text, Unit::none, "",
               "faster; takes no time; fused away (removed, with its launch call, its launch and "
               "the gap before it); launch-free (launch call and launch take no time); CUDA graph "
               "(operators, calls and launches take no CPU time)."},
    ColumnSpec{"factor", real, Unit::none, "it takes no time, or is launched in another way",
               "How many times faster."},
    ColumnSpec{"steps", integer, Unit::count, "", "Steps that begin in the range."},
    ColumnSpec{
        "step_ns", real, Unit::nanoseconds, "no step",
        "Mean length of a step: to its end on the CPU, or that of the last activity launched "
        "in it."},
    ColumnSpec{"new_step_ns", real, Unit::nanoseconds, "no step", "The same with the change."},
    ColumnSpec{"saved_ns", real, Unit::nanoseconds, "no step", "The difference."},
    ColumnSpec{"saved", real, Unit::ratio, "no step, or one of no length", "Its part of the step."},
    ColumnSpec{"path_ns", real, Unit::nanoseconds, "no step",
               "Mean of its time on a step's critical path: the most that removing it can save."},
};

void add_row(Table& table, std::string_view what, const Change& change, const WhatIf& result,
             SliceRef target) {
    const bool known = result.steps > 0;
    const auto of = [&](double value) { return known ? Cell(value) : Cell(); };
    const bool has_factor = change.kind == ChangeKind::faster && !std::isinf(change.factor);
    const bool at_once = change.kind == ChangeKind::faster && !has_factor;
    table.add_row({what, at_once ? "takes no time" : change_name(change.kind),
                   has_factor ? Cell(change.factor) : Cell(), static_cast<int64_t>(result.steps),
                   of(result.step_ns), of(result.new_step_ns), of(result.saved_ns()),
                   result.step_ns > 0 ? Cell(result.saved_ns() / result.step_ns) : Cell(),
                   of(result.path_ns)},
                  {target, {}});
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
                                 std::size_t most) {
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
    names.resize(std::min(names.size(), most));
    return names;
}

}  // namespace

const TableSpec kWhatIfTable = {
    "what-if", "How long steps would take if something took less or were launched for free.",
    kColumns};

Table what_if_table(const TraceContext& context, const TableQuery& query, const Change& change,
                    std::string_view what, double factor) {
    constexpr double kAtOnce = std::numeric_limits<double>::infinity();
    Table table(kWhatIfTable);
    Change one = change;
    const SliceRef target = longest_of(context.trace(), change);
    const auto add = [&](ChangeKind kind, double by) {
        one.kind = kind;
        one.factor = by;
        add_row(table, what, one, what_if(context, query, one), target);
    };
    add(ChangeKind::faster, factor);
    if (factor < 10) add(ChangeKind::faster, 10);
    add(ChangeKind::faster, kAtOnce);
    if (!change.activities.empty()) add(ChangeKind::launch_free, 1);
    add(ChangeKind::fused, 1);
    return table;
}

Table what_helps_table(const TraceContext& context, const TableQuery& query, double factor,
                       std::size_t most) {
    const Trace& trace = context.trace();
    Table table(kWhatIfTable);
    for (const OnPath& one : most_on_path(context, query, most)) {
        Change change = change_like(context, one.longest);
        change.factor = factor;
        add_row(table, trace.name(one.longest), change, what_if(context, query, change),
                one.longest);
    }
    table.sort_by(*find_column(kWhatIfTable, "saved_ns"), false);
    if (!trace.gpu_activities.slice.empty()) {
        Change graph;
        graph.kind = ChangeKind::graph;
        add_row(table, "all of it", graph, what_if(context, query, graph), {});
    }
    return table;
}

}  // namespace lanescope
