#include "core/capture/sampling/code_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lanescope {

CodePaths code_paths(const CodeImage& image) {
    if (!image.path.starts_with('/') || image.path.starts_with("//")) return {};
    return {fmt::format("/proc/{}/root{}", image.pid, image.path), image.path};
}

int open_code_file(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat info = {};
    if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}

}  // namespace lanescope
