#include "ui/look/quad_painter.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>
#include <utility>

#include "ui/look/gl.h"

namespace lanescope {

namespace {

// OpenGL takes an offset in the bound buffer as a pointer.
const void* in_buffer(std::size_t offset) {
    return reinterpret_cast<const void*>(offset);  // NOLINT(performance-no-int-to-ptr)
}

constexpr const char* kVertexShader = R"(
uniform vec2 to_clip;
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 color;
flat out vec4 fill;
void main() {
    fill = color;
    gl_Position = vec4(position * to_clip + vec2(-1.0, 1.0), 0.0, 1.0);
}
)";

constexpr const char* kSolidShader = R"(
flat in vec4 fill;
layout(location = 0) out vec4 pixel;
void main() { pixel = fill; }
)";

// Alpha holds the phase of the rectangle's corner, so that lines move with the rectangle.
constexpr const char* kHatchShader = R"(
uniform float hatch_step;
uniform float framebuffer_scale;
uniform float framebuffer_height;
flat in vec4 fill;
layout(location = 0) out vec4 pixel;
void main() {
    vec2 at = vec2(gl_FragCoord.x, framebuffer_height - gl_FragCoord.y) / framebuffer_scale;
    float along = at.x + at.y - fill.a * 255.0 / 256.0 * hatch_step;
    if (mod(along, hatch_step) > 0.22 * hatch_step) discard;
    pixel = vec4(fill.rgb, 1.0);
}
)";

// A strip's vertices have a line of the sheet instead of a colour.
constexpr const char* kStripVertexShader = R"(
uniform vec2 to_clip;
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 color;
flat out int line;
void main() {
    uvec4 c = uvec4(color * 255.0 + 0.5);
    line = int(c.x | (c.y << 8) | (c.z << 16));
    gl_Position = vec4(position * to_clip + vec2(-1.0, 1.0), 0.0, 1.0);
}
)";

constexpr const char* kStripShader = R"(
uniform sampler2D sheet;
uniform float left;
uniform float framebuffer_scale;
flat in int line;
layout(location = 0) out vec4 pixel;
void main() {
    int column = int(floor(gl_FragCoord.x / framebuffer_scale - left));
    pixel = vec4(texelFetch(sheet, ivec2(column, line), 0).rgb, 1.0);
}
)";

// A label's pixels are its picture's texels, so nothing is interpolated or blended.
constexpr const char* kLabelVertexShader = R"(
uniform vec2 to_clip;
uniform float framebuffer_scale;
uniform float framebuffer_height;
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 text_color;
layout(location = 2) in vec4 fill_color;
layout(location = 3) in vec2 place;
layout(location = 4) in vec2 corner;
flat out vec4 fill;
flat out vec4 change;
flat out ivec2 shift;
void main() {
    fill = fill_color;
    change = text_color - fill_color;
    vec2 first = corner * framebuffer_scale;
    shift = ivec2(place + 0.5) - ivec2(first.x + 0.5, first.y + 0.5 - framebuffer_height);
    gl_Position = vec4(position * to_clip + vec2(-1.0, 1.0), 0.0, 1.0);
}
)";

constexpr const char* kLabelShader = R"(
uniform sampler2D sheet;
flat in vec4 fill;
flat in vec4 change;
flat in ivec2 shift;
layout(location = 0) out vec4 pixel;
void main() {
    ivec2 at = ivec2(gl_FragCoord.x, -gl_FragCoord.y) + shift;
    pixel = fill + change * texelFetch(sheet, at, 0).r;
}
)";

GLuint shader_of(GLenum kind, const char* text) {
    const GLuint shader = gl().CreateShader(kind);
    const char* const parts[] = {shader_head(), text};
    gl().ShaderSource(shader, 2, parts, nullptr);
    gl().CompileShader(shader);
    return shader;
}

GLuint program_of(const char* vertex_text, const char* fragment_text) {
    const GLuint vertex = shader_of(GL_VERTEX_SHADER, vertex_text);
    const GLuint fragment = shader_of(GL_FRAGMENT_SHADER, fragment_text);
    const GLuint program = gl().CreateProgram();
    gl().AttachShader(program, vertex);
    gl().AttachShader(program, fragment);
    gl().LinkProgram(program);
    gl().DeleteShader(vertex);
    gl().DeleteShader(fragment);
    return program;
}

// Dear ImGui copies this into its draw list.
struct CallData {
    QuadPainter* painter;
    const QuadBatch* batch;
};

}  // namespace

struct QuadPainter::Call {
    static void run(const ImDrawList*, const ImDrawCmd* command) {
        const auto* data = static_cast<const CallData*>(command->UserCallbackData);
        const ImDrawData* frame = ImGui::GetDrawData();
        const ImVec2 scale = frame->FramebufferScale;
        const ImVec4 clip = command->ClipRect;
        const float bottom = (frame->DisplaySize.y - clip.w) * scale.y;
        gl().Enable(GL_SCISSOR_TEST);
        gl().Scissor(static_cast<int>(clip.x * scale.x), static_cast<int>(bottom),
                     static_cast<int>((clip.z - clip.x) * scale.x),
                     static_cast<int>((clip.w - clip.y) * scale.y));
        data->painter->paint(*data->batch);
    }
};

void QuadBatch::frame(float x0, float y0, float x1, float y1, float thickness, PackedColor color) {
    quad(x0, y0, x1, y0 + thickness, color);
    quad(x0, y1 - thickness, x1, y1, color);
    quad(x0, y0 + thickness, x0 + thickness, y1 - thickness, color);
    quad(x1 - thickness, y0 + thickness, x1, y1 - thickness, color);
}

void QuadBatch::hatch(float x0, float y0, float x1, float y1, PackedColor color) {
    const float steps = (x0 + y0) / hatch_step_;
    const auto phase = static_cast<PackedColor>((steps - std::floor(steps)) * 256) & 0xFF;
    push(hatches_, x0, y0, x1, y1, (color & 0xFFFFFF) | phase << 24);
}

void QuadBatch::label(float x, float y, LabelSheet::Place place, PackedColor text,
                      PackedColor fill) {
    const float density = label_sheet_->density();
    const float x1 = x + static_cast<float>(place.width) / density;
    const float y1 = y + static_cast<float>(place.height) / density;
    for (const auto& [corner_x, corner_y] : {std::pair{x, y}, {x1, y}, {x1, y1}, {x, y1}})
        labels_.push_back({corner_x, corner_y, text, fill, place.x, place.y, x, y});
}

QuadPainter::QuadPainter()
    : solid_(program_of(kVertexShader, kSolidShader)),
      hatch_(program_of(kVertexShader, kHatchShader)),
      strip_(program_of(kStripVertexShader, kStripShader)),
      label_(program_of(kLabelVertexShader, kLabelShader)) {
    std::ostringstream renderer;
    renderer << gl().GetString(GL_RENDERER);
    software_ = renderer.str().find("llvmpipe") != std::string::npos ||
                renderer.str().find("softpipe") != std::string::npos;
    gl().GenVertexArrays(1, &vertex_array_);
    gl().GenBuffers(1, &vertex_buffer_);
    gl().GenBuffers(1, &index_buffer_);
    gl().GenTextures(1, &texture_);
    gl().BindVertexArray(vertex_array_);
    gl().BindBuffer(GL_ARRAY_BUFFER, vertex_buffer_);
    gl().BindBuffer(GL_ELEMENT_ARRAY_BUFFER, index_buffer_);
    constexpr GLsizei stride = sizeof(QuadBatch::Vertex);
    gl().EnableVertexAttribArray(0);
    gl().VertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, stride, in_buffer(0));
    gl().EnableVertexAttribArray(1);
    gl().VertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, stride,
                             in_buffer(offsetof(QuadBatch::Vertex, color)));

    gl().GenVertexArrays(1, &label_array_);
    gl().BindVertexArray(label_array_);
    gl().BindBuffer(GL_ELEMENT_ARRAY_BUFFER, index_buffer_);
    using Label = QuadBatch::LabelVertex;
    const auto attribute = [&](GLuint location, GLint count, GLenum type, GLboolean normalized,
                               std::size_t offset) {
        gl().EnableVertexAttribArray(location);
        gl().VertexAttribPointer(location, count, type, normalized, sizeof(Label),
                                 in_buffer(offset));
    };
    attribute(0, 2, GL_FLOAT, GL_FALSE, offsetof(Label, x));
    attribute(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(Label, text));
    attribute(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(Label, fill));
    attribute(3, 2, GL_UNSIGNED_SHORT, GL_FALSE, offsetof(Label, place_x));
    attribute(4, 2, GL_FLOAT, GL_FALSE, offsetof(Label, left));
    gl().BindVertexArray(0);
}

QuadPainter::~QuadPainter() {
    gl().DeleteProgram(solid_);
    gl().DeleteProgram(hatch_);
    gl().DeleteProgram(strip_);
    gl().DeleteProgram(label_);
    gl().DeleteVertexArrays(1, &vertex_array_);
    gl().DeleteVertexArrays(1, &label_array_);
    gl().DeleteBuffers(1, &vertex_buffer_);
    gl().DeleteBuffers(1, &index_buffer_);
    gl().DeleteTextures(1, &texture_);
    gl().DeleteTextures(1, &label_texture_);
}

void QuadPainter::add_to(ImDrawList& list, const QuadBatch& batch) {
    CallData data{this, &batch};
    list.AddCallback(&Call::run, &data, sizeof data);
    list.AddCallback(ImGui::GetPlatformIO().DrawCallback_ResetRenderState, nullptr);
}

void QuadPainter::paint(const QuadBatch& batch) {
    const ImDrawData* frame = ImGui::GetDrawData();
    gl().Disable(GL_BLEND);
    gl().BindVertexArray(vertex_array_);
    gl().BindBuffer(GL_ARRAY_BUFFER, vertex_buffer_);
    for (const GLuint program : {solid_, hatch_, strip_, label_}) {
        gl().UseProgram(program);
        gl().Uniform2f(gl().GetUniformLocation(program, "to_clip"), 2 / frame->DisplaySize.x,
                       -2 / frame->DisplaySize.y);
    }
    gl().UseProgram(solid_);
    paint_quads(batch.below());
    if (!batch.hatches().empty()) {
        gl().UseProgram(hatch_);
        gl().Uniform1f(gl().GetUniformLocation(hatch_, "hatch_step"), batch.hatch_step());
        gl().Uniform1f(gl().GetUniformLocation(hatch_, "framebuffer_scale"),
                       frame->FramebufferScale.x);
        gl().Uniform1f(gl().GetUniformLocation(hatch_, "framebuffer_height"),
                       frame->DisplaySize.y * frame->FramebufferScale.y);
        paint_quads(batch.hatches());
        gl().UseProgram(solid_);
    }
    if (!batch.strips().empty()) {
        gl().UseProgram(strip_);
        gl().Uniform1i(gl().GetUniformLocation(strip_, "sheet"), 0);
        gl().Uniform1f(gl().GetUniformLocation(strip_, "left"), batch.sheet().left);
        gl().Uniform1f(gl().GetUniformLocation(strip_, "framebuffer_scale"),
                       frame->FramebufferScale.x);
        upload_sheet(batch.sheet());
        paint_quads(batch.strips());
        gl().UseProgram(solid_);
    }
    paint_quads(batch.above());
    if (!batch.labels().empty()) paint_labels(batch);
    gl().BindVertexArray(0);
}

void QuadPainter::paint_labels(const QuadBatch& batch) {
    const ImDrawData* frame = ImGui::GetDrawData();
    gl().UseProgram(label_);
    gl().Uniform1i(gl().GetUniformLocation(label_, "sheet"), 0);
    gl().Uniform1f(gl().GetUniformLocation(label_, "framebuffer_scale"), frame->FramebufferScale.x);
    gl().Uniform1f(gl().GetUniformLocation(label_, "framebuffer_height"),
                   frame->DisplaySize.y * frame->FramebufferScale.y);
    upload_labels(*batch.label_sheet());
    gl().BindVertexArray(label_array_);
    gl().BufferData(GL_ARRAY_BUFFER,
                    static_cast<GLsizeiptr>(batch.labels().size() * sizeof(QuadBatch::LabelVertex)),
                    batch.labels().data(), GL_STREAM_DRAW);
    draw_quads(batch.labels().size() / 4);
}

void QuadPainter::paint_quads(const std::vector<QuadBatch::Vertex>& vertices) {
    if (vertices.empty()) return;
    gl().BufferData(GL_ARRAY_BUFFER,
                    static_cast<GLsizeiptr>(vertices.size() * sizeof(QuadBatch::Vertex)),
                    vertices.data(), GL_STREAM_DRAW);
    draw_quads(vertices.size() / 4);
}

// For the bound vertices; adds missing indices.
void QuadPainter::draw_quads(std::size_t quads) {
    if (quads > indexed_quads_) {
        indexed_quads_ = std::max(quads + quads / 2, std::size_t{4096});
        std::vector<uint32_t> indices;
        indices.reserve(indexed_quads_ * 6);
        for (uint32_t i = 0; i < indexed_quads_ * 4; i += 4) {
            for (const uint32_t corner : {0u, 1u, 2u, 0u, 2u, 3u}) indices.push_back(i + corner);
        }
        gl().BufferData(GL_ELEMENT_ARRAY_BUFFER,
                        static_cast<GLsizeiptr>(indices.size() * sizeof(uint32_t)), indices.data(),
                        GL_STATIC_DRAW);
    }
    gl().DrawElements(GL_TRIANGLES, static_cast<GLsizei>(quads * 6), GL_UNSIGNED_INT, nullptr);
}

void QuadPainter::upload_sheet(const StripSheet& sheet) {
    gl().ActiveTexture(GL_TEXTURE0);
    gl().BindTexture(GL_TEXTURE_2D, texture_);
    gl().PixelStorei(GL_UNPACK_ALIGNMENT, 4);
    gl().PixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    const auto columns = static_cast<int>(sheet.width);
    const auto lines = static_cast<int>(sheet.height);
    if (columns > texture_width_ || lines > texture_height_) {
        texture_width_ = std::max(columns, texture_width_);
        texture_height_ = std::max(lines, texture_height_);
        gl().TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, texture_width_, texture_height_, 0, GL_RGBA,
                        GL_UNSIGNED_BYTE, nullptr);
        gl().TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        gl().TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    }
    gl().TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, columns, lines, GL_RGBA, GL_UNSIGNED_BYTE,
                       sheet.texels);
}

void QuadPainter::upload_labels(LabelSheet& sheet) {
    constexpr int side = LabelSheet::kSide;
    gl().ActiveTexture(GL_TEXTURE0);
    if (label_texture_ == 0) {
        gl().GenTextures(1, &label_texture_);
        gl().BindTexture(GL_TEXTURE_2D, label_texture_);
        gl().TexImage2D(GL_TEXTURE_2D, 0, GL_R8, side, side, 0, GL_RED, GL_UNSIGNED_BYTE, nullptr);
        gl().TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        gl().TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    }
    gl().BindTexture(GL_TEXTURE_2D, label_texture_);
    const LabelSheet::Lines changed = sheet.take_changed();
    if (changed.from == changed.to) return;
    gl().PixelStorei(GL_UNPACK_ALIGNMENT, 4);
    gl().PixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    gl().TexSubImage2D(GL_TEXTURE_2D, 0, 0, changed.from, side, changed.to - changed.from, GL_RED,
                       GL_UNSIGNED_BYTE, sheet.texels() + std::ptrdiff_t{changed.from} * side);
}

}  // namespace lanescope
