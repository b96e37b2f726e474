#include "ui/timeline/path_layer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "ui/timeline/lane_painter.h"

namespace lanescope {

namespace {

constexpr float kLine = 3;
constexpr float kUpright = 2;
constexpr float kDot = 3;
constexpr float kNowhere = -1e30f;

bool is_wait(PathPart part) {
    return part == PathPart::launch || part == PathPart::gap || part == PathPart::synchronisation ||
           part == PathPart::unknown;
}

class PathPainter {
  public:
    PathPainter(const PaintInput& in, QuadBatch& batch) : in_(in), batch_(batch) {}

    void paint(const DrawnPath& path) {
        const Viewport& view = in_.timeline.camera.view();
        const double first = std::max(0.0, std::floor(view.px_of(path.range.begin)));
        const double last = std::min(view.width, view.px_of(path.range.end));
        last_y_ = kNowhere;
        auto at = path.segments.begin();
        for (double x = first; x < last;) {
            at = std::upper_bound(at, path.segments.end(), view.time_at(x),
                                  [](Nanos t, const PathSegment& s) { return t < s.range.end; });
            if (at == path.segments.end()) return;
            const double end = std::min(last, std::max(view.px_of(at->range.end), x + 1));
            stretch(*at, static_cast<float>(x), static_cast<float>(std::ceil(end)));
            x = std::max(std::floor(end), x + 1);
        }
    }

  private:
    // The line's y in the window; kNowhere: its row is not in the layout.
    float y_of(const PathSegment& segment) {
        if (segment.slice) {
            const SliceBox box = slice_box(in_.timeline, segment.slice);
            if (box.visible) return box.y1 - std::round(in_.look.px(kLine));
        }
        const auto& lanes = in_.timeline.layout.lanes;
        const auto lane = std::ranges::find(lanes, segment.lane, &LaneBox::id);
        if (lane == lanes.end()) return kNowhere;
        return static_cast<float>(
            std::round(in_.timeline.areas.lanes.y0 + lane->y - in_.timeline.scroll_y));
    }

    void stretch(const PathSegment& segment, float x0, float x1) {
        const Box& lanes = in_.timeline.areas.lanes;
        const ImU32 color = is_wait(segment.part) ? in_.look.colors.waiting : in_.look.colors.costs;
        const float y = y_of(segment);
        const float line = std::round(in_.look.px(kLine));
        const float left = lanes.x0 + x0;
        if (y != kNowhere && last_y_ != kNowhere && y != last_y_) {
            const float width = std::round(in_.look.px(kUpright));
            upright(left, width, std::min(y, last_y_), std::max(y, last_y_) + line, color);
        }
        last_y_ = y;
        if (y == kNowhere || y + line < lanes.y0 || y > lanes.y1) return;
        if (!is_wait(segment.part)) {
            batch_.quad(left, y, lanes.x0 + x1, y + line, color);
            return;
        }
        const float dot = in_.look.px(kDot);
        const auto dots = static_cast<int>(std::ceil((lanes.x0 + x1 - left) / (2 * dot)));
        for (int i = 0; i < dots; ++i) {
            const float x = left + 2 * dot * static_cast<float>(i);
            batch_.quad(x, y, std::min(x + dot, lanes.x0 + x1), y + line, color);
        }
    }

    void upright(float x, float width, float y0, float y1, ImU32 color) {
        const Box& lanes = in_.timeline.areas.lanes;
        y0 = std::max(y0, lanes.y0);
        y1 = std::min(y1, lanes.y1);
        if (y0 < y1) batch_.quad(x, y0, x + width, y1, color);
    }

    const PaintInput& in_;
    QuadBatch& batch_;
    float last_y_ = kNowhere;
};

}  // namespace

void PathLayer::paint(LaneStage stage, const PaintInput& in, LaneTarget& to) {
    if (stage != LaneStage::above_slices || !shown || !paths) return;
    const Viewport& view = in.timeline.camera.view();
    const TimeRange seen{view.time_at(0), view.time_at(view.width) + 1};
    PathPainter painter(in, to.overlay);
    for (const DrawnPath& path : *paths)
        if (path.range.overlaps(seen)) painter.paint(path);
}

void PathLayer::describe(const Timeline& /*timeline*/, nlohmann::json& state) const {
    using nlohmann::json;
    state["path"] = {{"shown", shown}, {"steps", paths ? json(paths->size()) : json()}};
}

}  // namespace lanescope
