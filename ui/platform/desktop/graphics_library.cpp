#include "ui/look/graphics_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <utility>

#include "core/base/graphics_packages.h"

namespace lanescope {

namespace {

std::string dl_problem(const std::string& name) {
    const char* const text = dlerror();
    return text ? text : name + " cannot be loaded";
}

}  // namespace

GraphicsLibrary::GraphicsLibrary(const char* name) : name_(name) {
    library_ = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library_) return;
    problem_ = dl_problem(name_);
    // A program from a wheel is linked without the environment's folder of libraries.
    const char* const conda = std::getenv("CONDA_PREFIX");
    if (!conda || *conda == '\0') return;
    library_ = dlopen((std::string(conda) + "/lib/" + name_).c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library_) problem_.clear();
}

void* GraphicsLibrary::address_of(const char* name) {
    if (!library_) return nullptr;
    void* const address = dlsym(library_, name);
    if (!address && problem_.empty()) problem_ = name_ + " has no " + name;
    return address;
}

Error without_opengl(std::string_view what, std::string_view problem) {
    std::string text(what);
    text += " needs EGL and OpenGL (";
    text += problem;
    text += "): install ";
    text += kGraphicsPackages;
    text += "; an SVG (lanescope screenshot TRACE -o OUT.svg) needs none of them.";
    return {ErrorCode::unsupported, Error::no_offset, std::move(text)};
}

}  // namespace lanescope
