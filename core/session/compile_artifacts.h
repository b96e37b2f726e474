// Finds and reads what a compiler left beside a trace, or in given places.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/compile/compiled_code.h"
#include "core/trace/trace.h"

namespace lanescope {

// Files that may hold compile artefacts: logs of TORCH_TRACE and caches of Inductor.
struct ArtifactPlaces {
    std::vector<std::string> logs;
    std::vector<std::string> caches;  // folders that contain "fxgraph"
    bool are_all = true;              // false: a limit ended the search
};

// Looks into a folder and two levels below it, by names. Sorted; at most 4096 of each kind.
ArtifactPlaces find_artifacts(const std::string& folder);

// Reads the artefacts that belong to the trace: those in `given`, which are files or folders; if
// there are none, those beside the trace's file, if the trace ran compiled code. Logs of other
// processes or ranks are refused with a warning of the trace. Null: there are none.
CompiledCodePtr compiled_code_for(Trace& trace, const std::vector<std::string>& given);

// Whether a name in the trace says that it ran code of torch.compile.
bool runs_compiled_code(const Trace& trace);

// Errors: a file or folder does not exist.
Result<void> check_artifacts(const std::vector<std::string>& given);

struct CompileLog {
    CompiledCode code;
    bool is_wanted = true;  // false: only its beginning was read
    bool is_cut = false;    // the compressed file ends early
};
// Reads a TORCH_TRACE log, also compressed with gzip or zstd; the whole of it if `is_wanted` says
// so of its first records. Errors: it cannot be read.
Result<CompileLog> read_compile_log(const std::string& path,
                                    const std::function<bool(const CompiledCode&)>& is_wanted);

}  // namespace lanescope
