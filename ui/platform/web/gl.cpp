// WebGL 2, as OpenGL ES 3: its functions are linked.
#include "ui/look/gl.h"

namespace lanescope {

const char* shader_head() {
    return "#version 300 es\n"
           "precision highp float;\n"
           "precision highp int;\n"
           "precision highp sampler2D;\n";
}

const OpenGl& gl() {
    static const OpenGl table = [] {
        OpenGl functions;
#define LANESCOPE_GL_LINK(name) functions.name = &::gl##name;
        LANESCOPE_GL_FUNCTIONS(LANESCOPE_GL_LINK)
#undef LANESCOPE_GL_LINK
        return functions;
    }();
    return table;
}

}  // namespace lanescope
