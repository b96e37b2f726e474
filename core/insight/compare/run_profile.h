// RunProfile: what a comparison needs of a run. Does not refer to its trace.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/structure/steps.h"
#include "core/insight/compare/compiled_profile.h"
#include "core/insight/compare/function_tree.h"
#include "core/models/batch_label.h"
#include "core/table/query.h"

namespace lanescope {

// Something that should be equal in two runs. If it differs, the comparison says so first.
struct RunFact {
    std::string_view key;  // "device"
    std::string value;     // to be read; empty: not recorded
};

struct RunProfile {
    std::string name;  // short, to be read; the file's name unless the caller changes it
    std::string file;  // name of the file without its folders
    std::vector<RunFact> facts;
    StepSource source = StepSource::none;  // none: the whole trace or range is one sample
    uint64_t warm_up = 0;                  // steps left out at the begin
    std::vector<double> steps;             // duration of each steady step, ns
    std::vector<BatchLabel> batches;       // of these steps; empty: no step states one
    bool has_gpu_work = false;
    bool has_modules = false;
    bool has_shapes = false;
    std::string incomplete;  // a sentence, if not all of the file could be read
    std::string ahead;       // a sentence, if the host runs ahead of the GPU
    FunctionTree functions;  // the shares' steps are indices of `steps`
    CompiledProfile compiled;

    bool empty() const { return functions.nodes.size() < 2; }
};

// Steps that begin in the range; of one phase, if `phase` is known.
RunProfile profile_run(const TraceContext& context, const TableQuery& query,
                       BatchPhase phase = BatchPhase::unknown);
// The message for a run without a step of the phase.
std::string no_step_of_phase(std::string_view phase);
// Several at the same time.
std::vector<RunProfile> profile_runs(std::span<const TraceContext> runs,
                                     std::span<const TableQuery> queries,
                                     BatchPhase phase = BatchPhase::unknown);

}  // namespace lanescope
