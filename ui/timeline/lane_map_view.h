// LaneMapView: draws the lane map at the right edge: all lanes in miniature, with a window on the
// visible ones. Keeps the map until another layout is shown.
#pragma once

#include <cstdint>
#include <vector>

#include "core/view/lane_map.h"
#include "core/view/palette.h"
#include "ui/look/canvas.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

class LaneMapView {
  public:
    void draw(const Timeline& timeline, const Palette& palette, const Look& look, Canvas& canvas);
    // Releases the trace that was drawn last.
    void forget() { index_.reset(); }

  private:
    LaneMap map_;
    std::vector<LaneMapBar> bars_;
    float height_ = -1;    // height of `bars_` …
    uint64_t layout_ = 0;  // … their layout …
    ViewIndexPtr index_;   // … and their index
    QuadBatch batch_;
};

}  // namespace lanescope
