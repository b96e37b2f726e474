// A framebuffer of any size, bound during its lifetime.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope {

// Requires an OpenGL context during its lifetime.
class Framebuffer {
  public:
    Framebuffer(int width, int height);
    ~Framebuffer();  // binds the window's again
    Framebuffer(const Framebuffer&) = delete;
    Framebuffer& operator=(const Framebuffer&) = delete;

    // False: too large for this OpenGL.
    bool complete() const;

  private:
    unsigned texture_ = 0;
    unsigned framebuffer_ = 0;
};

// RGBA, top row first, of the bound framebuffer.
std::vector<uint8_t> read_framebuffer(int width, int height);

// Version and renderer of the context: "OpenGL 4.5, llvmpipe".
std::string opengl_here();

}  // namespace lanescope
