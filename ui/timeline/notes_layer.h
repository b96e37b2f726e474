// Notes on the timeline: flags on the ruler, lines and texts over the lanes, the distance between
// marks, and their positions on the overview.
#pragma once

#include <optional>
#include <vector>

#include "core/session/notes.h"
#include "ui/timeline/layer.h"

namespace lanescope {

class NotesLayer : public TimelineLayer {
  public:
    std::vector<Note> notes;  // by begin, then end
    std::optional<uint32_t> chosen;

    void trace_closed() override;
    void paint(LaneStage stage, const PaintInput& input, LaneTarget& target) override;
    void draw_on_overview(const Timeline& timeline, const Look& look, ImDrawList& list) override;
    void draw_on_ruler(const Timeline& timeline, const Look& look, ImDrawList& list) override;
    bool covers_ruler(const Timeline& timeline, const Look& look, float x0,
                      float x1) const override;
    // Chooses the note whose flag is clicked; a second click edits it.
    void click(Timeline& timeline, const LayerClick& click) override;
};

// The time meant by a pointer at `x`: a near edge of the slice below it, if there is one.
Nanos noted_time(const Timeline& timeline, const Look& look, float x);

}  // namespace lanescope
