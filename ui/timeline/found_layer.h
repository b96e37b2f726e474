// Marks search matches on the lanes and the overview: a frame around wide slices, a tick for each
// pixel column in which others begin. Everything else is dimmed or hidden if requested (see
// shade_of()). Marks have the colour of text, since the accent is too similar to that of kernels.
#pragma once

#include "core/search/marks.h"
#include "ui/timeline/layer.h"

namespace lanescope {

// How slices that do not match the search are drawn.
enum class FoundFilter : uint8_t { off, dim, hide };

class FoundLayer : public TimelineLayer {
  public:
    FoundPtr found;  // matches of the search; null: no search
    FoundFilter filter = FoundFilter::off;

    bool filters() const { return found && filter != FoundFilter::off; }

    void trace_changed() override { found.reset(); }
    void trace_closed() override { found.reset(); }
    void paint(LaneStage stage, const PaintInput& input, LaneTarget& target) override;
    void paint_overview(const Timeline& timeline, const Look& look, QuadBatch& batch) override;
};

}  // namespace lanescope
