#include "core/analysis/statistics/samples.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "core/table/cells.h"

namespace lanescope {

namespace {

using Stack = std::vector<const SampledSlice*>;

int64_t rounded(double value) {
    return std::llround(std::max(value, 0.0));
}

double share_of(double time, const SampleWeight& all) {
    return std::max(time, 0.0) / std::max(all.time, 1e-9);
}

void keep_longer(const Trace& trace, SliceRef slice, SliceRef& longest) {
    if (!longest || trace.duration(slice) > trace.duration(longest)) longest = slice;
}

// Among equal times, by text, so that the order is the same in every file with these samples.
template <typename Row>
bool comes_before(const Trace& trace, const Row& a, const Row& b) {
    if (a.self.time != b.self.time) return a.self.time > b.self.time;
    if (a.total.time != b.total.time) return a.total.time > b.total.time;
    return text_order(trace, a.function) < text_order(trace, b.function);
}

// Known only of Python functions.
std::optional<int64_t> python_count(const FunctionSamples& samples, double count) {
    if (samples.function.kind != SampleKind::python) return std::nullopt;
    return rounded(count);
}

struct CallerSamples : FunctionSamples {
    std::optional<SampledFunction> caller;
};

}  // namespace

AllSamples all_samples(const Trace& trace, const TableQuery& query) {
    std::map<SampledFunction, FunctionSamples> sums;
    AllSamples all;
    for_each_sampled_lane(trace, query, [&](const SampledLane& lane) {
        std::array<bool, 3> found = {};
        for_each_sampled_slice(lane, [&](const SampledSlice& call, const Stack& stack) {
            FunctionSamples& sum = sums[call.function];
            sum.function = call.function;
            sum.self += call.self;
            keep_longer(trace, call.slice, sum.longest);
            const auto kind = static_cast<std::size_t>(call.function.kind);
            found[kind] = true;
            if (stack.empty()) all.by_kind[kind] += call.total;
            if (std::ranges::find(stack, call.function, &SampledSlice::function) == stack.end())
                sum.total += call.total;
        });
        for (std::size_t kind = 0; kind < found.size(); ++kind) all.threads[kind] += found[kind];
    });
    for (const auto& [function, sum] : sums) all.functions.push_back(sum);
    std::ranges::sort(all.functions, [&](const FunctionSamples& a, const FunctionSamples& b) {
        return comes_before(trace, a, b);
    });
    return all;
}

struct SampleTableRow {
    const Trace& trace;
    const FunctionSamples& sum;
    const SampleWeight& all;  // of its kind

    const FunctionSamples& samples() const { return sum; }
};

struct SampleCallerTableRow {
    const Trace& trace;
    const CallerSamples& sum;
    const SampleWeight& all;

    const FunctionSamples& samples() const { return sum; }
};

namespace {

template <typename Row>
constexpr auto kSampleFunctionColumns = columns<Row>({
    {{"function", Unit::none, kDistinct, "",
      "The function, or its position in the module if no name was found."},
     [](const Row& row) { return row.trace.strings[row.samples().function.name]; }},
    {{"module", Unit::none, kDistinct, "not known",
      "The library or program that contains it; of a Python function, its source file."},
     [](const Row& row) { return known_text(row.trace.strings[row.samples().function.module]); }},
});

template <typename Row>
constexpr auto kSampleCountColumns = columns<Row>({
    {{"self_samples", Unit::count, kSum, "", "Samples in which the function itself ran."},
     [](const Row& row) { return rounded(row.samples().self.samples); }},
    {{"total_samples", Unit::count, kNoAggregate, "",
      "Samples in which the function or its callees ran; recursion counts once."},
     [](const Row& row) { return rounded(row.samples().total.samples); }},
    {{"self_ns", Unit::nanoseconds, kSum, "",
      "Estimated time of the function itself: the time that its samples represent, CPU time for "
      "the kind CPU."},
     [](const Row& row) { return rounded(row.samples().self.time); }},
    {{"total_ns", Unit::nanoseconds, kNoAggregate, "",
      "Estimated time of the function and its callees."},
     [](const Row& row) { return rounded(row.samples().total.time); }},
    {{"self_share", Unit::ratio, kSum, "",
      "self_ns as a fraction of the time of all samples of its kind."},
     [](const Row& row) { return share_of(row.samples().self.time, row.all); }},
    {{"total_share", Unit::ratio, kNoAggregate, "",
      "total_ns as a fraction of the time of all samples of its kind."},
     [](const Row& row) { return share_of(row.samples().total.time, row.all); }},
    {{"self_gil_samples", Unit::count, kSum, "no Python samples",
      "Of self_samples: those in which the thread held the interpreter's lock (GIL).",
      Priority::normal, Doubts(), "Self, with GIL"},
     [](const Row& row) { return python_count(row.samples(), row.samples().self.gil); }},
    {{"self_running_samples", Unit::count, kSum, "no Python samples",
      "Of self_samples: those in which the thread was running or ready to run.", Priority::normal,
      Doubts(), "Self, running"},
     [](const Row& row) { return python_count(row.samples(), row.samples().self.running); }},
    {where_rows_differ(
         {"kind", Unit::none, kDistinct, "",
          "CPU: samples of the thread's CPU time. Python: samples of wall-clock time, with Python "
          "functions. waiting: times in which the thread did not run, each counts as one sample."}),
     [](const Row& row) { return sample_kind_name(row.samples().function.kind); }},
});

constexpr auto kSampleCallerColumns = columns<SampleCallerTableRow>({
    {{"caller", Unit::none, kDistinct, "it was the outermost function",
      "The function that called it."},
     [](const SampleCallerTableRow& row) -> std::optional<std::string_view> {
         if (!row.sum.caller) return std::nullopt;
         return row.trace.strings[row.sum.caller->name];
     }},
    {{"caller_module", Unit::none, kDistinct, "not known, or it was the outermost function",
      "The library, program or source file that contains the caller."},
     [](const SampleCallerTableRow& row) -> std::optional<std::string_view> {
         if (!row.sum.caller) return std::nullopt;
         return known_text(row.trace.strings[row.sum.caller->module]);
     }},
});

constexpr auto kSampleColumns =
    joined(kSampleFunctionColumns<SampleTableRow>, kSampleCountColumns<SampleTableRow>);
constexpr auto kSampleByCallerColumns =
    joined(kSampleFunctionColumns<SampleCallerTableRow>, kSampleCallerColumns,
           kSampleCountColumns<SampleCallerTableRow>);

}  // namespace

const TableOf<SampleTableRow> kSamplesTable = {
    {"samples", "Functions by the samples of stacks that contain them."},
    kSampleColumns,
    [](const SampleTableRow& row) {
        return RowTarget{row.sum.longest, {}};
    }};

const TableOf<SampleCallerTableRow> kSamplesByCallerTable = {
    {"samples", "Functions and their callers by the samples of stacks that contain them.",
     "caller"},
    kSampleByCallerColumns,
    [](const SampleCallerTableRow& row) {
        return RowTarget{row.sum.longest, {}};
    }};

Table samples_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const AllSamples all = all_samples(trace, query);
    TableBuilder table(kSamplesTable);
    for (const FunctionSamples& sum : all.functions)
        table.add({trace, sum, all.by_kind[static_cast<std::size_t>(sum.function.kind)]});
    return table.take();
}

Table samples_by_caller_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    using Pair = std::pair<SampledFunction, std::optional<SampledFunction>>;
    std::map<Pair, CallerSamples> sums;
    std::array<SampleWeight, 3> by_kind;
    for_each_sampled_lane(trace, query, [&](const SampledLane& lane) {
        std::vector<Pair> pairs;  // of the calls in the stack
        for_each_sampled_slice(lane, [&](const SampledSlice& call, const Stack& stack) {
            pairs.resize(stack.size());
            const Pair pair(call.function,
                            stack.empty() ? std::nullopt : std::optional(stack.back()->function));
            if (stack.empty()) by_kind[static_cast<std::size_t>(call.function.kind)] += call.total;
            CallerSamples& sum = sums[pair];
            sum.self += call.self;
            keep_longer(trace, call.slice, sum.longest);
            if (std::ranges::find(pairs, pair) == pairs.end()) sum.total += call.total;
            pairs.push_back(pair);
        });
    });
    std::vector<CallerSamples> rows;
    for (auto& [pair, sum] : sums) {
        sum.function = pair.first;
        sum.caller = pair.second;
        rows.push_back(sum);
    }
    const auto caller_text = [&](const CallerSamples& row) {
        return text_order(trace, row.caller.value_or(SampledFunction()));
    };
    std::ranges::sort(rows, [&](const CallerSamples& a, const CallerSamples& b) {
        if (comes_before(trace, a, b)) return true;
        return !comes_before(trace, b, a) && caller_text(a) < caller_text(b);
    });
    TableBuilder table(kSamplesByCallerTable);
    for (const CallerSamples& row : rows)
        table.add({trace, row, by_kind[static_cast<std::size_t>(row.function.kind)]});
    return table.take();
}

}  // namespace lanescope
