#include "ui/look/gl.h"

#include "ui/look/graphics_library.h"

namespace lanescope {

namespace {

OpenGl load_opengl() {
    OpenGl table;
    // Vendor-neutral systems have both; older ones and some drivers only libGL.
    GraphicsLibrary library("libOpenGL.so.0");
    if (!library.problem().empty()) library = GraphicsLibrary("libGL.so.1");
#define LANESCOPE_GL_FIND(name) library.find("gl" #name, table.name);
    LANESCOPE_GL_FUNCTIONS(LANESCOPE_GL_FIND)
#undef LANESCOPE_GL_FIND
    table.problem = library.problem();
    return table;
}

}  // namespace

const char* shader_head() {
    return "#version 330 core\n";
}

const OpenGl& gl() {
    static const OpenGl table = load_opengl();
    return table;
}

}  // namespace lanescope
