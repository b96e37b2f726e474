// Dead windows (hatched) and idle gaps of GPU streams (tinted by cause), each with its length.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/overlays/idle_spans.h"
#include "ui/timeline/layer.h"

namespace lanescope {

struct RowItems;

// A visible dead window or idle gap, with its position.
struct ShownIdle {
    LaneId lane = 0;
    uint32_t depth = 0;
    TimeRange span;
    std::optional<GapCause> cause;  // none: a dead window
    Neighbours sides;               // what ran before and after a gap
    Nanos device_idle = 0;          // the part of a gap in which the whole GPU was idle
    Box box;
};

// The x of a time in the window; clamped slightly outside of the view.
float idle_x(const Timeline& timeline, Nanos time);

class IdleLayer : public TimelineLayer {
  public:
    bool shown = true;
    std::shared_ptr<const IdleSpans> spans;  // null: not known yet
    // Dead windows of partly shown lanes; may be of lanes that were shown before.
    std::shared_ptr<const ShownIdleSpans> windows;

    void trace_changed() override;
    void trace_closed() override { trace_changed(); }
    void paint(LaneStage stage, const PaintInput& input, LaneTarget& target) override;
    HoverCard card_at(const Timeline& timeline, ImVec2 at) const override;
    void describe(const Timeline& timeline, nlohmann::json& state) const override;

  private:
    void find_in_row(const PaintInput& input, const RowItems& items);
    const IdleRow* row_of(const Timeline& timeline, LaneId lane, uint32_t depth) const;
    void keep_visible(const Box& lanes);

    std::vector<ShownIdle> painted_;  // in the area that is being painted
    std::vector<ShownIdle> visible_;  // in all areas of the last frame
    std::vector<uint32_t> found_;     // buffer
};

}  // namespace lanescope
