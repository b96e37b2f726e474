#include "core/source/file.h"

namespace lanescope {

// Files of a page have no holes.
Result<uint64_t> InputFile::next_data(uint64_t offset) const {
    return offset;
}

}  // namespace lanescope
