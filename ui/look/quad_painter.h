// Paints solid quads, strips of runs and labels with small shader programs: no texture and no
// blending for quads, one texel a pixel for strips and labels. In software OpenGL this costs a
// fraction of Dear ImGui's drawing.
#pragma once

#include <cstdint>
#include <vector>

#include "ui/look/label_sheet.h"

struct ImDrawList;

namespace lanescope {

// Colours are 0xAABBGGRR, as in Dear ImGui; alpha is ignored.
using PackedColor = uint32_t;

// The strips of runs from culling: RGBA texels, a line for each row.
struct StripSheet {
    const uint32_t* texels = nullptr;
    uint32_t width = 0;
    uint32_t height = 0;
    float left = 0;  // where column 0 is painted
};

// What to paint, in Dear ImGui's coordinates. Order: quads below the strips, hatches, strips, quads
// above them, labels.
class QuadBatch {
  public:
    struct Vertex {
        float x, y;
        PackedColor color;  // of a strip: the line in the sheet
    };
    struct LabelVertex {
        float x, y;
        PackedColor text, fill;
        uint16_t place_x, place_y;  // its upper left corner in the sheet
        float left, top;            // position of the label's upper left corner
    };

    void clear() {
        below_.clear();
        hatches_.clear();
        strips_.clear();
        above_.clear();
        labels_.clear();
    }
    // Reserves space for `quads` more quads above, so that pushing them never allocates.
    void reserve(std::size_t quads) { above_.reserve(above_.size() + quads * 4); }
    void set_sheet(const StripSheet& sheet) { sheet_ = sheet; }
    void set_label_sheet(LabelSheet& sheet) { label_sheet_ = &sheet; }

    void quad(float x0, float y0, float x1, float y1, PackedColor color) {
        push(above_, x0, y0, x1, y1, color);
    }
    void quad_below(float x0, float y0, float x1, float y1, PackedColor color) {
        push(below_, x0, y0, x1, y1, color);
    }
    // Slanted lines over the pixels below; they keep their phase when the rectangle moves.
    void hatch(float x0, float y0, float x1, float y1, PackedColor color);
    // Pixels between lines, for all hatches.
    void set_hatch_step(float step) { hatch_step_ = step; }
    float hatch_step() const { return hatch_step_; }
    void strip(float x0, float y0, float x1, float y1, uint32_t line) {
        push(strips_, x0, y0, x1, y1, line);
    }
    // A picture from the sheet of labels: a text on a background of `fill`.
    void label(float x, float y, LabelSheet::Place place, PackedColor text, PackedColor fill);
    // The four sides of a rectangle, inside it.
    void frame(float x0, float y0, float x1, float y1, float thickness, PackedColor color);

    const StripSheet& sheet() const { return sheet_; }
    const std::vector<Vertex>& below() const { return below_; }
    const std::vector<Vertex>& hatches() const { return hatches_; }
    const std::vector<Vertex>& strips() const { return strips_; }
    const std::vector<Vertex>& above() const { return above_; }
    const std::vector<LabelVertex>& labels() const { return labels_; }
    LabelSheet* label_sheet() const { return label_sheet_; }

  private:
    static void push(std::vector<Vertex>& to, float x0, float y0, float x1, float y1,
                     PackedColor color) {
        const Vertex corners[] = {
            {x0, y0, color}, {x1, y0, color}, {x1, y1, color}, {x0, y1, color}};
        to.insert(to.end(), corners, corners + 4);
    }

    StripSheet sheet_;
    LabelSheet* label_sheet_ = nullptr;
    float hatch_step_ = 8;
    std::vector<Vertex> below_;
    std::vector<Vertex> hatches_;  // alpha: phase of the rectangle's corner
    std::vector<Vertex> strips_;
    std::vector<Vertex> above_;
    std::vector<LabelVertex> labels_;
};

// Owns the OpenGL objects; create and destroy it with the context current.
class QuadPainter {
  public:
    QuadPainter();
    ~QuadPainter();
    QuadPainter(const QuadPainter&) = delete;
    QuadPainter& operator=(const QuadPainter&) = delete;

    // Whether OpenGL runs without a GPU, so that every quad is expensive.
    bool software() const { return software_; }
    // Paints the batch at the current position in the draw list, inside the list's clip rectangle.
    // Batch and list must live until the frame has been drawn.
    void add_to(ImDrawList& list, const QuadBatch& batch);

  private:
    struct Call;
    void paint(const QuadBatch& batch);
    void paint_quads(const std::vector<QuadBatch::Vertex>& vertices);
    void paint_labels(const QuadBatch& batch);
    void draw_quads(std::size_t quads);
    void upload_sheet(const StripSheet& sheet);
    void upload_labels(LabelSheet& sheet);

    bool software_ = false;
    unsigned solid_ = 0;
    unsigned hatch_ = 0;
    unsigned strip_ = 0;
    unsigned label_ = 0;
    unsigned vertex_array_ = 0;
    unsigned label_array_ = 0;
    unsigned vertex_buffer_ = 0;
    unsigned index_buffer_ = 0;
    unsigned texture_ = 0;
    unsigned label_texture_ = 0;  // made when there are labels
    int texture_width_ = 0;
    int texture_height_ = 0;
    std::size_t indexed_quads_ = 0;
};

}  // namespace lanescope
