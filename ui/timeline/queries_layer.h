// The lanes of queries, between the ruler and the lanes of the trace.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/overlays/query_lane.h"
#include "ui/look/quad_painter.h"
#include "ui/timeline/layer.h"

namespace lanescope {

// A lane of a query, with the boxes that the last frame drew for it.
struct QueryStrip {
    QueryLanePtr lane;
    uint32_t rows = 0;  // number of shown depths
    Box box, rows_box, remove;
};

// The lane of a query at a point of the window, with the slice or the value at that point.
struct QueryHit {
    QueryLanePtr lane;  // null: the point is on no such lane
    std::optional<QuerySlice> slice;
    std::optional<double> value;  // of a counter
};

class QueriesLayer : public TimelineLayer {
  public:
    void add(QueryLanePtr lane) { strips_.push_back({std::move(lane), 0, {}, {}, {}}); }
    // By its place from the top; without effect if there is none.
    void remove(std::size_t place);

    // The lanes belong to one trace, or have its times.
    void trace_changed() override { strips_.clear(); }
    void trace_closed() override { strips_.clear(); }
    float place(const Timeline& timeline, const Look& look, Box area) override;
    void draw_strip(const Timeline& timeline, const Look& look, Canvas& canvas,
                    Requests& requests) override;
    HoverCard card_at(const Timeline& timeline, ImVec2 at) const override;
    void click(Timeline& timeline, const LayerClick& click) override;
    void describe(const Timeline& timeline, nlohmann::json& state) const override;

  private:
    QueryHit hit(const Timeline& timeline, ImVec2 at) const;

    std::vector<QueryStrip> strips_;  // from top to bottom
    QuadBatch batch_;
};

}  // namespace lanescope
