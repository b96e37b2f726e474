// TimelineLayer: a part of the timeline's picture besides the lanes themselves: an overlay on the
// lanes, marks on overview and ruler, or a strip between ruler and lanes. The feature that owns a
// layer fills it; the timeline places and draws it, and gives it the pointer. A new layer is a
// class of its own and a line in layers.cpp.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "core/trace/slice.h"
#include "ui/commands/requests.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/timeline_model.h"

namespace lanescope {

class Canvas;
class LabelSheet;
class QuadBatch;
struct Look;
struct PaintInput;
struct Timeline;

// The stages in which the lanes are painted, from the bottom to the top.
enum class LaneStage : uint8_t {
    below_slices,  // quads: in LaneTarget::lanes below the slices, in `overlay` below all others
    labels,        // labels of quads below the slices, after the slices' labels
    above_slices,  // quads in LaneTarget::overlay, over the slices and their labels
    flows,         // lines between slices, below the names of groups and counters
    above_names,   // shapes over them
    texts,         // texts over everything else
};
inline constexpr int kLaneStages = static_cast<int>(LaneStage::texts) + 1;

// The target of a layer's painting: quads of the lanes, which are drawn at once, or shapes of Dear
// ImGui.
struct LaneTarget {
    QuadBatch& lanes;
    QuadBatch& overlay;
    LabelSheet& labels;
    ImDrawList& list;
    bool pinned;  // the area of the pinned lanes is painted, after the others
};

// A strip between ruler and lanes, as it was placed last.
struct LayerStrip {
    std::string_view name;
    std::string_view kind;  // one word
    Box box;                // empty: the layer has no strip
};

// A press of a mouse button, or a click: the button was released where it was pressed.
struct LayerClick {
    ImVec2 at;  // in the window
    bool twice = false;
    const Look& look;
    Requests& requests;
};

class TimelineLayer {
  public:
    TimelineLayer() = default;
    virtual ~TimelineLayer() = default;
    TimelineLayer(const TimelineLayer&) = delete;
    TimelineLayer& operator=(const TimelineLayer&) = delete;

    // The timeline shows another trace, or a newer snapshot of it: the numbers of slices differ.
    virtual void trace_changed() {}
    // It shows other slices of the same trace, or in other colours.
    virtual void index_changed(const ViewIndex& /*before*/, const ViewIndex& /*after*/) {}
    // It shows nothing any more. Switches belong to the window, and stay.
    virtual void trace_closed() {}

    // Takes the top of an area between ruler and lanes for a strip; returns the strip's height,
    // 0: it has none.
    virtual float place(const Timeline& /*timeline*/, const Look& /*look*/, Box /*area*/) {
        return 0;
    }
    // The strip as a lane that is always in view.
    virtual LayerStrip strip() const { return {}; }
    // Lets `seconds` pass; true: the layer moves, so the next frame should follow immediately.
    virtual bool step(double /*seconds*/) { return false; }

    // Draws the strip.
    virtual void draw_strip(const Timeline& /*timeline*/, const Look& /*look*/, Canvas& /*canvas*/,
                            Requests& /*requests*/) {}
    // Paints on the lanes, once for each stage and area.
    virtual void paint(LaneStage /*stage*/, const PaintInput& /*input*/, LaneTarget& /*target*/) {}
    // Marks on the overview: quads below its window, and shapes over it.
    virtual void paint_overview(const Timeline& /*timeline*/, const Look& /*look*/,
                                QuadBatch& /*batch*/) {}
    virtual void draw_on_overview(const Timeline& /*timeline*/, const Look& /*look*/,
                                  ImDrawList& /*list*/) {}
    virtual void draw_on_ruler(const Timeline& /*timeline*/, const Look& /*look*/,
                               ImDrawList& /*list*/) {}
    // Whether its marks on the ruler cover some place between two x.
    virtual bool covers_ruler(const Timeline& /*timeline*/, const Look& /*look*/, float /*x0*/,
                              float /*x1*/) const {
        return false;
    }

    // The slice that it shows at a point; empty: none.
    virtual SliceRef slice_at(const Timeline& /*timeline*/, const Look& /*look*/,
                              ImVec2 /*at*/) const {
        return {};
    }
    // Describes the layer's item at a point; a card without `kind`: the layer shows none there.
    virtual HoverCard card_at(const Timeline& /*timeline*/, ImVec2 /*at*/) const { return {}; }
    // Draws the layer's own card for its item at a point.
    virtual void draw_card(const Timeline& /*timeline*/, const Look& /*look*/, ImVec2 /*at*/) {}
    // Takes a press of the left button; false: it may begin a drag.
    virtual bool press(Timeline& /*timeline*/, const LayerClick& /*click*/) { return false; }
    // A click outside of the heads.
    virtual void click(Timeline& /*timeline*/, const LayerClick& /*click*/) {}

    // Its keys of the state file (docs/testing.md).
    virtual void describe(const Timeline& /*timeline*/, nlohmann::json& /*state*/) const {}
};

}  // namespace lanescope
