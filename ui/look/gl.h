// OpenGL 3.3 core. Its library is loaded at the first use, so that the program starts without it.
#pragma once

#include <string>

// The prototypes give the functions' types; calling one of them directly does not link.
#define GL_GLEXT_PROTOTYPES 1
#include <GL/glcorearb.h>

namespace lanescope {

// The functions that ui calls, without "gl".
#define LANESCOPE_GL_FUNCTIONS(F) \
    F(ActiveTexture)              \
    F(AttachShader)               \
    F(BindBuffer)                 \
    F(BindFramebuffer)            \
    F(BindTexture)                \
    F(BindVertexArray)            \
    F(BufferData)                 \
    F(CheckFramebufferStatus)     \
    F(Clear)                      \
    F(ClearColor)                 \
    F(CompileShader)              \
    F(CreateProgram)              \
    F(CreateShader)               \
    F(DeleteBuffers)              \
    F(DeleteFramebuffers)         \
    F(DeleteProgram)              \
    F(DeleteShader)               \
    F(DeleteTextures)             \
    F(DeleteVertexArrays)         \
    F(Disable)                    \
    F(DrawElements)               \
    F(Enable)                     \
    F(EnableVertexAttribArray)    \
    F(Finish)                     \
    F(FramebufferTexture2D)       \
    F(GenBuffers)                 \
    F(GenFramebuffers)            \
    F(GenTextures)                \
    F(GenVertexArrays)            \
    F(GetIntegerv)                \
    F(GetString)                  \
    F(GetUniformLocation)         \
    F(LinkProgram)                \
    F(PixelStorei)                \
    F(ReadPixels)                 \
    F(Scissor)                    \
    F(ShaderSource)               \
    F(TexImage2D)                 \
    F(TexParameteri)              \
    F(TexSubImage2D)              \
    F(Uniform1f)                  \
    F(Uniform1i)                  \
    F(Uniform2f)                  \
    F(UseProgram)                 \
    F(VertexAttribPointer)        \
    F(Viewport)

struct OpenGl {
#define LANESCOPE_GL_MEMBER(name) decltype(&::gl##name) name = nullptr;
    LANESCOPE_GL_FUNCTIONS(LANESCOPE_GL_MEMBER)
#undef LANESCOPE_GL_MEMBER
    std::string problem;  // why the functions are missing; empty: all are there
};

// The first lines of every shader: the version of its language, and precisions where it has them.
const char* shader_head();

// The same functions for a window and for a context without a surface. The library stays loaded.
const OpenGl& gl();

}  // namespace lanescope
