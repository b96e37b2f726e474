// Holes of files: parts that were never written.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/source/file.h"

namespace lanescope {

Result<uint64_t> InputFile::next_data(uint64_t offset) const {
    const off_t found = lseek(fd_, static_cast<off_t>(offset), SEEK_DATA);
    if (found >= 0) return static_cast<uint64_t>(found);
    if (errno != ENXIO) return offset;
    struct stat info = {};
    if (fstat(fd_, &info) != 0)
        return Error{ErrorCode::io, Error::no_offset,
                     fmt::format("{}: cannot read the status: {}", path_, std::strerror(errno))};
    return std::max(offset, static_cast<uint64_t>(info.st_size));
}

}  // namespace lanescope
