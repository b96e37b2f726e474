#include "examples/extend/overlay/beat_layer.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "ui/timeline/lane_painter.h"

namespace lanescope {

namespace {

// Lines that are closer together than this, at scale 1, would hide what is below them.
constexpr float kLeastDistance = 8;

}  // namespace

// Below the slices, so that the lines cover nothing.
void BeatLayer::paint(LaneStage stage, const PaintInput& in, LaneTarget& to) {
    if (stage != LaneStage::below_slices || !period) return;
    const Viewport& view = in.timeline.camera.view();
    const auto distance = static_cast<double>(*period) / view.nanos_per_px();
    if (distance < static_cast<double>(in.look.px(kLeastDistance))) return;
    const Box& lanes = in.timeline.areas.lanes;
    const TimeRange shown = view.range();
    const Nanos since = shown.begin - first;
    // Rounds down, also before the first line.
    const Nanos before = since / *period - (since % *period < 0 ? 1 : 0);
    for (Nanos time = first + before * *period; time <= shown.end; time += *period) {
        if (time < shown.begin) continue;
        const float x = lanes.x0 + static_cast<float>(std::round(view.px_of(time)));
        to.lanes.quad_below(x, lanes.y0, x + 1, lanes.y1, in.look.colors.line2);
    }
}

void BeatLayer::describe(const Timeline& /*timeline*/, nlohmann::json& state) const {
    state["beat"] = period ? nlohmann::json(*period) : nlohmann::json();
}

}  // namespace lanescope
