#include "core/capture/process/file_limit.h"

#include <sys/resource.h>

namespace lanescope {

void raise_file_limit() {
    struct rlimit limit = {};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace lanescope
