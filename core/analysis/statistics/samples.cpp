#include "core/analysis/statistics/samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/table/cells.h"
#include "core/trace/query.h"

namespace lanescope {

namespace {

using Function = std::pair<StringId, StringId>;  // name and module

// Samples may be fractional if the range clips a slice.
struct Sum {
    double self = 0, total = 0;
    double self_ns = 0, total_ns = 0;
    SliceRef longest;
};

class Sums {
  public:
    Sums(const Trace& trace, const TableQuery& query) : trace_(trace), query_(query) {
        const SampledCalls& calls = trace.sampled_calls;
        for (uint32_t row = 0; row < calls.slice.size(); ++row) add(row);
    }

    const std::map<Function, Sum>& by_function() const { return sums_; }
    double all() const { return all_; }

  private:
    Function function_of(uint32_t row) const {
        const SampledCalls& calls = trace_.sampled_calls;
        return {trace_.name_id(calls.slice[row]), calls.module[row]};
    }

    // The fraction of a slice in the range.
    double part_of(SliceRef slice) const {
        if (!query_.range) return 1;
        const Nanos begin = trace_.start(slice);
        const Nanos end = trace_.slice_end(slice);
        if (begin == end) return query_.range->contains(begin) ? 1 : 0;
        const Nanos cut = std::min(end, query_.range->end) - std::max(begin, query_.range->begin);
        return static_cast<double>(std::max<Nanos>(cut, 0)) / static_cast<double>(end - begin);
    }

    // The CPU time of the samples; if not recorded, the slice's length, which may include short
    // pauses.
    double time_of(uint32_t row) const {
        const SampledCalls& calls = trace_.sampled_calls;
        const Nanos cpu_time = calls.cpu_time[row];
        return static_cast<double>(cpu_time == kNoValue ? trace_.duration(calls.slice[row])
                                                        : cpu_time);
    }

    void add(uint32_t row) {
        const SampledCalls& calls = trace_.sampled_calls;
        const SliceRef slice = calls.slice[row];
        if (trace_.lanes[slice.lane].kind != LaneKind::samples) return;
        const double part = part_of(slice);
        if (part == 0) return;
        const double time = time_of(row) * part;
        const double samples = static_cast<double>(calls.samples[row]) * part;
        const Function function = function_of(row);
        Sum& sum = sums_[function];
        sum.self += samples;
        sum.self_ns += time;
        if (!sum.longest || trace_.duration(slice) > trace_.duration(sum.longest))
            sum.longest = slice;
        bool repeats = false;
        bool is_direct = true;
        for (SliceRef outer = parent_of(trace_, slice); outer; outer = parent_of(trace_, outer)) {
            const uint32_t outer_row = find_row(calls.slice.span(), outer);
            if (outer_row == kNoRow) continue;
            const Function around = function_of(outer_row);
            if (std::exchange(is_direct, false)) {
                sums_[around].self -= samples;
                sums_[around].self_ns -= time;
            }
            repeats = repeats || around == function;
        }
        if (is_direct) all_ += samples;
        if (repeats) return;
        sum.total += samples;
        sum.total_ns += time;
    }

    const Trace& trace_;
    const TableQuery& query_;
    std::map<Function, Sum> sums_;
    double all_ = 0;
};

int64_t rounded(double value) {
    return std::llround(std::max(value, 0.0));
}

}  // namespace

struct SampleTableRow {
    const Trace& trace;
    Function function;
    const Sum& sum;
    double all;  // samples
};

namespace {

constexpr auto kSampleColumns = columns<SampleTableRow>({
    {{"function", Unit::none, kDistinct, "",
      "The function, or its position in the module if no name was found."},
     [](const SampleTableRow& row) { return row.trace.strings[row.function.first]; }},
    {{"module", Unit::none, kDistinct, "not known", "The library or program that contains it."},
     [](const SampleTableRow& row) { return known_text(row.trace.strings[row.function.second]); }},
    {{"self_samples", Unit::count, kSum, "", "Samples in which the function itself ran."},
     [](const SampleTableRow& row) { return rounded(row.sum.self); }},
    {{"total_samples", Unit::count, kNoAggregate, "",
      "Samples in which the function or its callees ran; recursion counts once."},
     [](const SampleTableRow& row) { return rounded(row.sum.total); }},
    {{"self_ns", Unit::nanoseconds, kSum, "",
      "Estimated CPU time of the function itself: the time that its samples represent."},
     [](const SampleTableRow& row) { return rounded(row.sum.self_ns); }},
    {{"total_ns", Unit::nanoseconds, kNoAggregate, "",
      "Estimated CPU time of the function and its callees."},
     [](const SampleTableRow& row) { return rounded(row.sum.total_ns); }},
    {{"self_share", Unit::ratio, kSum, "",
      "self_samples as a fraction of the samples of all threads."},
     [](const SampleTableRow& row) { return std::max(row.sum.self, 0.0) / row.all; }},
    {{"total_share", Unit::ratio, kNoAggregate, "",
      "total_samples as a fraction of the samples of all threads."},
     [](const SampleTableRow& row) { return row.sum.total / row.all; }},
});

}  // namespace

const TableOf<SampleTableRow> kSamplesTable = {
    {"samples", "Functions by the samples of CPU stacks that they were met in."},
    kSampleColumns,
    [](const SampleTableRow& row) {
        return RowTarget{row.sum.longest, {}};
    }};

Table samples_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const Sums sums(trace, query);
    using Row = std::pair<Function, Sum>;
    std::vector<Row> rows(sums.by_function().begin(), sums.by_function().end());
    std::ranges::stable_sort(rows, [](const Row& a, const Row& b) {
        const Sum& x = a.second;
        const Sum& y = b.second;
        return x.self != y.self ? x.self > y.self : x.total > y.total;
    });
    TableBuilder table(kSamplesTable);
    const double all = std::max(sums.all(), 1e-9);
    for (const auto& [function, sum] : rows) table.add({trace, function, sum, all});
    return table.take();
}

}  // namespace lanescope
