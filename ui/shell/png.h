// Pictures as PNG files.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.h"

namespace lanescope {

// `rgba`: width × height × 4 bytes, top row first. Alpha is dropped.
Result<void> write_png(const std::string& path, int width, int height,
                       std::span<const uint8_t> rgba);

}  // namespace lanescope
