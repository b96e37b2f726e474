// Companions: files that are read beside a trace, and add to the data about it.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ingest/load.h"
#include "core/trace/kernel_classes.h"

namespace lanescope {

struct Companions {
    std::vector<std::string> graph_captures =
        {};  // captures of replayed graphs; empty: search beside the trace
    std::vector<std::string> compile_artifacts =
        {};                    // a compiler's logs and folders; empty: search beside the trace
    std::string classes = {};  // file with classes of kernels; empty: only the user's own

    friend bool operator==(const Companions&, const Companions&) = default;
};

// Reads kernel_classes.json in the user's configuration folder, if it exists, and `file`, if not
// empty. `file` takes precedence. Null: there are no classes. Errors: a file cannot be read, or has
// no classes.
Result<KernelClassesPtr> load_classes(const std::string& file);

// Enables the search for the trace's compile artefacts during the load. Errors: a given file does
// not exist.
Result<void> find_compiled_code(const Companions& companions, LoadOptions& options);

// Reads the companions into the options for loading the trace. Errors name the file.
Result<void> load_companions(const Companions& companions, LoadOptions& options);

}  // namespace lanescope
