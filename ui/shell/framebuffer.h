// A framebuffer of our own, of any size, that stays bound for as long as it lives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope {

// Needs an OpenGL context, for all of its life.
class Framebuffer {
  public:
    Framebuffer(int width, int height);
    ~Framebuffer();  // binds the window's again
    Framebuffer(const Framebuffer&) = delete;
    Framebuffer& operator=(const Framebuffer&) = delete;

    // False: larger than OpenGL allows here.
    bool complete() const;

  private:
    unsigned texture_ = 0;
    unsigned framebuffer_ = 0;
};

// RGBA, top row first, of the framebuffer that is bound.
std::vector<uint8_t> read_framebuffer(int width, int height);

// The version and the renderer that the context's OpenGL names: "OpenGL 4.5, llvmpipe".
std::string opengl_here();

}  // namespace lanescope
