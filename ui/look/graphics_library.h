// A library of the graphics driver, loaded when it is needed: on a machine without it, everything
// that draws nothing works.
#pragma once

#include <bit>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lanescope {

// The library stays loaded when this object is gone, because drivers do not expect to be unloaded.
class GraphicsLibrary {
  public:
    // `name`: such as libEGL.so.1. The system's library, else that of the active conda environment.
    explicit GraphicsLibrary(const char* name);

    // Sets `function`, or problem() if the library lacks it.
    template <typename Function>
    void find(const char* name, Function*& function) {
        function = std::bit_cast<Function*>(address_of(name));
    }

    // Why the library or a function of it is missing; empty: nothing is missing.
    const std::string& problem() const { return problem_; }

  private:
    void* address_of(const char* name);

    std::string name_;
    void* library_ = nullptr;
    std::string problem_;
};

// The message for a person: `what` needs OpenGL, but `problem`; what to install, and what works
// without.
Error without_opengl(std::string_view what, std::string_view problem);

}  // namespace lanescope
