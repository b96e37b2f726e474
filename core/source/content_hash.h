// A hash that tells apart the contents of files, and costs the same for files of any size.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/source/file.h"

namespace lanescope {

// CRC-64/XZ of the first MiB of the file as stored, followed by the last MiB; of a file of at most
// 2 MiB, of all bytes. 16 hexadecimal digits. Errors: the file cannot be read, or is shorter than
// it was.
Result<std::string> content_hash(const InputFile& file);

}  // namespace lanescope
