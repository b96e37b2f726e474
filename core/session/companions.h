// Companions: files that are read beside a trace, and change what is said about it.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ingest/load.h"
#include "core/trace/kernel_classes.h"

namespace lanescope {

struct Companions {
    std::vector<std::string> graph_captures =
        {};  // of graphs that the trace replays; empty: found beside it
    std::vector<std::string> compile_artifacts =
        {};                    // logs and folders of a compiler; empty: found beside the trace
    std::string classes = {};  // classes of kernels; empty: only the user's own

    friend bool operator==(const Companions&, const Companions&) = default;
};

// Reads kernel_classes.json in the user's configuration folder, if it exists, and `file` unless
// empty; the latter takes precedence. Null: there are no classes. Errors: a file cannot be read, or
// has no classes.
Result<KernelClassesPtr> load_classes(const std::string& file);

// Lets the load find what the trace's compiler left behind. Errors: a given file does not exist.
Result<void> find_compiled_code(const Companions& companions, LoadOptions& options);

// Reads the companions into the options of the trace's load. Errors name the file.
Result<void> load_companions(const Companions& companions, LoadOptions& options);

}  // namespace lanescope
