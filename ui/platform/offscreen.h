// An OpenGL context and a picture to draw on, without a display.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

class Offscreen {
  public:
    // Needs EGL with the surfaceless platform (Mesa); renders in software without a GPU. An error
    // gives only the reason: ErrorCode::unsupported if something is not installed, else usage.
    static Result<std::unique_ptr<Offscreen>> create(int width, int height);
    virtual ~Offscreen() = default;
    virtual int width() const = 0;
    virtual int height() const = 0;
    // RGBA, top row first, of what was drawn.
    virtual std::vector<uint8_t> pixels() const = 0;
};

}  // namespace lanescope
