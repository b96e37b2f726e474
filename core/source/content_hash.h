// A hash of a file's content whose cost does not depend on the file's size.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/source/file.h"

namespace lanescope {

// CRC-64/XZ of the first MiB and the last MiB of the stored file; of all bytes if the file has at
// most 2 MiB. Returns 16 hexadecimal digits. Errors: the file cannot be read, or has become
// shorter.
Result<std::string> content_hash(const InputFile& file);

}  // namespace lanescope
