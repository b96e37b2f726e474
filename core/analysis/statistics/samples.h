// Samples of stacks as tables: by function, by caller, by thread, by process and by the range that
// was open.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/statistics/sampled_stacks.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct SampleTableRow> kSamplesTable;
extern const TableOf<struct SampleCallerTableRow> kSamplesByCallerTable;
extern const TableOf<struct SampleGroupTableRow> kSamplesByThreadTable;
extern const TableOf<struct SampleGroupTableRow> kSamplesByProcessTable;
extern const TableOf<struct SampleGroupTableRow> kSamplesByRangeTable;

// All tables: a slice partly in the range contributes samples in proportion to its time in the
// range. Shares are of the time of one kind of samples. Most own time first.
Table samples_table(const TraceContext& context, const TableQuery& query);
Table samples_by_caller_table(const TraceContext& context, const TableQuery& query);
Table samples_by_thread_table(const TraceContext& context, const TableQuery& query);
Table samples_by_process_table(const TraceContext& context, const TableQuery& query);
// Ranges are annotations (NVTX, record_function) on the thread that was sampled, the innermost one.
Table samples_by_range_table(const TraceContext& context, const TableQuery& query);

// The samples of one function.
struct FunctionSamples {
    SampledFunction function;
    SampleWeight self;
    SampleWeight total;  // with its callees; recursion counts once
    SliceRef longest;
};
struct AllSamples {
    std::vector<FunctionSamples> functions;  // most own time first
    std::array<SampleWeight, 3> by_kind;     // by SampleKind
    std::array<uint32_t, 3> threads = {};    // number of threads with such samples
};
AllSamples all_samples(const Trace& trace, const TableQuery& query);

}  // namespace lanescope
