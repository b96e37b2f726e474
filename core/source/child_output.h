// Runs another program and reads what it writes.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

struct ChildEnd {
    int status = 0;    // as waitpid() reports it
    std::string said;  // the end of what it wrote to its standard error, at most 4 KiB
};

// Runs `words`, whose first one is searched for in PATH, without a shell and with an empty standard
// input, and passes its standard output to `take` piece by piece. Returns when it has ended. Once
// `*cancel` is true, or `take` returns an error, the program is killed, and the error is returned.
// Errors: unsupported if the program does not exist; io if it cannot be started or read; cancelled.
Result<ChildEnd> read_child(const std::vector<std::string>& words,
                            const std::function<Result<void>(std::string_view)>& take,
                            const std::atomic<bool>* cancel = nullptr);

}  // namespace lanescope
