// OpenGL 3.3 core as exported by libOpenGL (the same functions work for a window and for a
// surfaceless context).
#pragma once

#define GL_GLEXT_PROTOTYPES 1
#include <GL/glcorearb.h>
