// OpenGL 3.3 core, as libOpenGL exports it (the same functions serve a window and a surfaceless
// context).
#pragma once

#define GL_GLEXT_PROTOTYPES 1
#include <GL/glcorearb.h>
