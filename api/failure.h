// Failures of the C interface: the last error of each thread, and the border that no exception
// crosses.
#pragma once

#include <functional>
#include <string>

#include "api/lanescope.h"
#include "core/base/result.h"

namespace lanescope {

// An error with the file that is wrong; an empty path: no single file is.
struct Failure {
    Error error;
    std::string path;
};

// Keeps a failure as the thread's last error; returns its status.
lanescope_status failed(const Failure& failure);
inline lanescope_status failed(const Error& error) {
    return failed(Failure{error, ""});
}

// A usage error.
Error misuse(std::string text);

// Calls a function; exceptions become failures.
lanescope_status guarded(const std::function<lanescope_status()>& function);

}  // namespace lanescope
