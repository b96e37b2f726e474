// FlameView: draws the boxes of one flame graph, and zooms into them by mouse and keys.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/analysis/flame/sandwich.h"
#include "core/pictures/flame_difference.h"
#include "core/pictures/flame_layout.h"
#include "ui/look/theme.h"

namespace lanescope {

// The input of a view. The layout, which lives longer than a frame, shares the tree.
struct FlameScene {
    const Trace* trace = nullptr;
    std::shared_ptr<const FlameTree> tree;
    const FlameMatches* matches = nullptr;  // of the search; null: everything is bright
    StringId selected = 0;                  // name of the slice selected on the timeline; 0: none
    bool upwards = false;                   // outermost calls at the bottom: callers
    // Two runs instead of calls of a trace; `tree` is its tree, and the trace is not needed.
    std::shared_ptr<const DifferenceFlames> difference;
    SliceRef selected_call;  // on the timeline, for two runs
};

// The requests of the user in this frame.
struct FlameAnswer {
    SliceRef find;               // show it on the timeline
    uint32_t clicked = kNoRow;   // this node was clicked
    uint32_t sandwich = kNoRow;  // show callers and callees of this frame
    std::string search;          // search for this name
};

class FlameView {
  public:
    // Draws into a child window of this size, and takes its clicks and keys.
    FlameAnswer draw(const char* id, const FlameScene& scene, ImVec2 size, const Look& look);

    void reset_zoom() { zoom(0); }
    // After a change of the tree: the zoomed node is found again by its names.
    void keep_zoom(const FlameTree& before, const FlameTree& after);
    void forget();
    uint32_t zoomed() const { return zoomed_; }

    // For tests: the boxes in view, in pixels of the window.
    struct Drawn {
        uint32_t node = 0;
        uint32_t count = 1;
        float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
        bool around = false;
        bool bright = true;
    };
    const std::vector<Drawn>& drawn() const { return drawn_; }
    uint32_t hovered() const { return hovered_; }  // a node; kNoRow: none
    uint32_t cursor() const { return cursor_; }    // the node at the keyboard; kNoRow: none

  private:
    struct Colors {
        ImU32 fill = 0, edge = 0, text = 0;
    };
    void zoom(uint32_t node);
    void lay_out(const FlameScene& scene, float width);
    const Colors& colors_of(const FlameScene& scene, uint32_t node, const Look& look);
    static bool is_selected(const FlameScene& scene, uint32_t node);
    static std::string label_of(const FlameScene& scene, uint32_t node);
    void draw_boxes(const FlameScene& scene, ImVec2 origin, const Look& look);
    void draw_box(const FlameScene& scene, const FlameBox& box, const Drawn& at, const Look& look);
    void take_pointer(const FlameScene& scene, ImVec2 origin, const Look& look,
                      FlameAnswer& answer);
    void draw_menu(const FlameScene& scene, FlameAnswer& answer);
    void take_keys(const FlameScene& scene, FlameAnswer& answer);
    void move_cursor(const FlameScene& scene, ImGuiKey key);
    float row_y(const FlameScene& scene, uint32_t row, const Look& look) const;
    const FlameBox* box_of(uint32_t node) const;

    uint32_t zoomed_ = 0;
    uint32_t hovered_ = kNoRow;
    uint32_t cursor_ = kNoRow;
    uint32_t menu_ = kNoRow;     // the node whose menu is open
    bool scroll_wanted_ = true;  // to the zoomed node; at first, to the outermost
    bool cursor_moved_ = false;

    std::weak_ptr<const FlameTree> laid_out_;  // the tree of the layout
    uint32_t laid_out_zoom_ = 0;
    float laid_out_width_ = 0;
    FlameLayout layout_;
    std::vector<Colors> colors_;  // by frame; fill 0: not computed yet
    Theme theme_ = Theme::dark;
    std::vector<Drawn> drawn_;
};

// The card at the pointer, for a node of a trace, and for one of two runs.
void draw_difference_card(const DifferenceFlames& flames, uint32_t node, const Look& look);
void draw_flame_card(const Trace& trace, const FlameTree& tree, const FlameNode& node,
                     const Look& look);

}  // namespace lanescope
