// Reads and writes PNG files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/output_file.h"
#include "core/base/result.h"

namespace lanescope {

// `rgba`: width × height × 4 bytes, top row first. Alpha is dropped. The file names Lanescope as
// the software that made it.
Result<void> write_png(const std::string& path, int width, int height,
                       std::span<const uint8_t> rgba, OutputRules rules = {});

// The same in memory.
Result<std::vector<uint8_t>> encode_png(int width, int height, std::span<const uint8_t> rgba);

struct Picture {
    int width = 0;
    int height = 0;
    std::vector<uint8_t> rgb;  // width × height × 3 bytes, top row first
};
Result<Picture> read_png(const std::string& path);

}  // namespace lanescope
