// Finds and reads compile artefacts beside a trace, or at given paths.
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
    bool are_all = true;              // false: the search ended at a limit
};

// Searches a folder and two levels of subfolders by file name. The results are sorted; at most 4096
// of each kind.
ArtifactPlaces find_artifacts(const std::string& folder);

// Reads the artefacts that belong to the trace: from `given` (files or folders); if it is empty,
// from files beside the trace, if the trace ran compiled code. Logs of other processes or ranks are
// rejected with a warning of the trace. Null: there are none.
CompiledCodePtr compiled_code_for(Trace& trace, const std::vector<std::string>& given);

// Whether a name in the trace shows that it ran code of torch.compile.
bool runs_compiled_code(const Trace& trace);

// Errors: a file or folder does not exist.
Result<void> check_artifacts(const std::vector<std::string>& given);

struct CompileLog {
    CompiledCode code;
    bool is_wanted = true;  // false: only the start was read
    bool is_cut = false;    // the compressed file ends early
};
// Reads a TORCH_TRACE log, optionally compressed with gzip or zstd. `is_wanted`: decides by the
// first records whether to read the whole log. Errors: the file cannot be read.
Result<CompileLog> read_compile_log(const std::string& path,
                                    const std::function<bool(const CompiledCode&)>& is_wanted);

}  // namespace lanescope
