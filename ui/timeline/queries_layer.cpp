#include "ui/timeline/queries_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "core/trace/short_name.h"
#include "ui/look/canvas.h"
#include "ui/timeline/lane_painter.h"

namespace lanescope {

namespace {

constexpr float kQueryRowHeight = 19;
constexpr float kQueryCounterHeight = 38;
constexpr float kQueryAround = 3;         // space above and below the rows of a lane
constexpr float kQueryRoomForLabel = 22;  // a narrower slice has none
constexpr float kQueryLabelGap = 5;
constexpr float kQueryNarrowest = 2;  // px at scale 1: narrower slices are drawn at least this wide
constexpr float kQueryHeadIndent = 26;
constexpr float kQueryCross = 18;
constexpr float kQueryMostOfHeight = 0.4f;  // of the timeline
constexpr auto kQueryClass = static_cast<std::size_t>(EventClass::other);

float query_height(const QueryStrip& strip, const Look& look) {
    const float rows = strip.lane->kind == QueryLaneKind::counter
                           ? look.px(kQueryCounterHeight)
                           : look.px(kQueryRowHeight) * static_cast<float>(strip.rows);
    return rows + look.px(2 * kQueryAround);
}

// Draws the slices of a depth; of those that share a pixel, the first. The labels follow the boxes.
class QueryDepthPainter {
  public:
    QueryDepthPainter(const Timeline& timeline, const Look& look, QuadBatch& batch)
        : view_(timeline.camera.view()), lanes_(timeline.areas.lanes), look_(look), batch_(batch) {}

    void draw(const QueryLane& lane, std::size_t depth, float y0, float y1, bool labels) {
        const std::vector<QuerySlice>& slices = lane.depths[depth];
        const TimeRange range = view_.range();
        std::size_t i = lane.first_after(depth, range.begin - 1);
        while (i < slices.size() && slices[i].range.begin <= range.end) {
            const float x0 = x_of(slices[i].range.begin);
            const float x1 = std::max(x_of(slices[i].range.end), x0 + least());
            if (labels)
                label(lane.names[slices[i].name], x0, x1, y0, y1);
            else
                push_slice(batch_, x0, y0, x1, y1, look_.colors.fill[kQueryClass],
                           look_.colors.edge[kQueryClass], 1);
            // Slices that end within this box would be drawn over it.
            const Nanos drawn_to = view_.time_at(static_cast<double>(x1 - lanes_.x0));
            i = std::max(i + 1, lane.first_after(depth, drawn_to));
        }
    }

  private:
    float least() const { return std::round(look_.px(kQueryNarrowest)); }
    float x_of(Nanos time) const {
        return lanes_.x0 +
               static_cast<float>(std::round(std::clamp(view_.px_of(time), -8.0, view_.width + 8)));
    }
    void label(std::string_view name, float x0, float x1, float y0, float y1) const {
        const float from = std::max(x0, lanes_.x0) + look_.px(kQueryLabelGap);
        const float to = std::min(x1, lanes_.x1) - look_.px(kQueryLabelGap);
        if (to - from < look_.px(kQueryRoomForLabel)) return;
        draw_text_cut(*ImGui::GetWindowDrawList(), look_, look_.fonts.regular, type::kTable,
                      {std::round(from), text_y(look_, type::kTable, y0, y1 - y0)},
                      look_.colors.text[kQueryClass], compact_name(name), to - from);
    }

    const Viewport& view_;
    const Box& lanes_;
    const Look& look_;
    QuadBatch& batch_;
};

// The curve of a counter, as bars from the bottom: the largest value of each column of pixels.
void draw_query_curve(const Timeline& timeline, const QueryLane& lane, const Look& look, float y0,
                      float y1) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Viewport& view = timeline.camera.view();
    const Box& lanes = timeline.areas.lanes;
    const double bottom = std::min(0.0, lane.min);
    const double height = std::max(lane.max - bottom, 1e-300);
    // The last value holds until the trace ends.
    const double end_px = std::clamp(view.px_of(timeline.trace().end), 0.0, view.width);
    const auto columns = static_cast<int>(std::min<double>(lanes.width(), std::ceil(end_px)));
    const auto y_of = [&](double value) {
        return std::round(y1 - static_cast<float>((value - bottom) / height) * (y1 - y0));
    };
    const auto draw = [&](int from, int to, float top) {
        const ImVec2 min(lanes.x0 + static_cast<float>(from), std::min(top, y1 - 1));
        const ImVec2 max(lanes.x0 + static_cast<float>(to), y1);
        list.AddRectFilled(min, max, with_alpha(look.colors.mark[kQueryClass], 0.45f));
        list.AddRectFilled(min, {max.x, min.y + 1}, look.colors.mark[kQueryClass]);
    };
    auto next = std::ranges::upper_bound(lane.times, view.time_at(0));
    std::optional<double> held = lane.value_at(view.time_at(0));
    int begun = 0;
    std::optional<float> top;
    for (int column = 0; column < columns; ++column) {
        const Nanos end = view.time_at(column + 1);
        std::optional<double> largest = held;
        for (; next != lane.times.end() && *next < end; ++next) {
            held = lane.values[static_cast<std::size_t>(next - lane.times.begin())];
            largest = std::max(largest.value_or(*held), *held);
        }
        const std::optional<float> here = largest ? std::optional(y_of(*largest)) : std::nullopt;
        if (here == top) continue;
        if (top) draw(begun, column, *top);
        begun = column;
        top = here;
    }
    if (top) draw(begun, columns, *top);
}

std::string query_detail(const QueryStrip& strip) {
    const QueryLane& lane = *strip.lane;
    if (lane.kind == QueryLaneKind::counter)
        return format_number(lane.min) + " to " + format_number(lane.max);
    const std::string count = format_count(static_cast<int64_t>(lane.shown));
    return strip.rows == lane.depths.size()
               ? count
               : fmt::format("{} of {} rows", strip.rows, lane.depths.size());
}

// Draws the name of the lane, the number of its rows, and a cross that removes the lane.
void draw_query_head(QueryStrip& strip, float right, const Look& look, Requests& requests,
                     std::size_t index) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float row = look.px(kQueryRowHeight);
    const float top = strip.box.y0 + look.px(kQueryAround);
    const float cross = right - look.px(kQueryCross + 4);
    const std::string detail = query_detail(strip);
    const float width = text_width(look, look.fonts.regular, type::kSecondary, detail);
    const float left = strip.box.x0 + look.px(kQueryHeadIndent);
    const bool has_room = cross - left > width + look.px(70);
    draw_text_cut(list, look, look.fonts.regular, type::kTable + 0.6f,
                  {left, text_y(look, type::kTable, top, row)}, look.colors.mid, strip.lane->name,
                  cross - left - (has_room ? width + look.px(12) : 0));
    if (has_room)
        draw_text(list, look, look.fonts.regular, type::kSecondary,
                  {cross - width - look.px(4), text_y(look, type::kSecondary, top, row)},
                  look.colors.low, detail);
    ImGui::PushID(static_cast<int>(index));
    ImGui::SetCursorScreenPos({cross, top});
    if (ImGui::InvisibleButton("remove", {look.px(kQueryCross), row}))
        requests.add(RemoveQueryLane{index});
    const bool hot = ImGui::IsItemHovered();
    ImGui::SetItemTooltip("Remove the lane of this query");
    ImGui::PopID();
    strip.remove = {cross, top, cross + look.px(kQueryCross), top + row};
    const ImVec2 middle(std::round(cross + look.px(kQueryCross) / 2), std::round(top + row / 2));
    const float arm = look.px(3.5f);
    const ImU32 color = hot ? look.colors.hi : look.colors.low;
    list.AddLine({middle.x - arm, middle.y - arm}, {middle.x + arm, middle.y + arm}, color,
                 look.px(1));
    list.AddLine({middle.x - arm, middle.y + arm}, {middle.x + arm, middle.y - arm}, color,
                 look.px(1));
}

}  // namespace

// Gives all lanes together at most kQueryMostOfHeight of the area: deeper rows are not shown, but
// each lane keeps its first row. Returns the height of the lanes.
float QueriesLayer::place(const Timeline& /*timeline*/, const Look& look, Box area) {
    std::size_t most = 1;
    for (const QueryStrip& strip : strips_) most = std::max(most, strip.lane->depths.size());
    const auto total = [&](std::size_t limit) {
        float height = 0;
        for (QueryStrip& strip : strips_) {
            strip.rows = static_cast<uint32_t>(std::min(strip.lane->depths.size(), limit));
            height += query_height(strip, look);
        }
        return height;
    };
    while (total(most) > area.height() * kQueryMostOfHeight && most > 1) --most;
    float y = area.y0;
    for (QueryStrip& strip : strips_) {
        const float height = std::round(query_height(strip, look));
        strip.box = {area.x0, y, area.x1, y + height};
        y += height;
    }
    return y - area.y0;
}

QueryHit QueriesLayer::hit(const Timeline& timeline, ImVec2 at) const {
    const Box& lanes = timeline.areas.lanes;
    if (at.x < lanes.x0 || at.x >= lanes.x1) return {};
    for (const QueryStrip& strip : strips_) {
        if (!strip.box.holds(at)) continue;
        QueryHit found{strip.lane, {}, {}};
        const Viewport& view = timeline.camera.view();
        const auto x = static_cast<double>(at.x - lanes.x0);
        if (strip.lane->kind == QueryLaneKind::counter) {
            found.value = strip.lane->value_at(view.time_at(x));
            return found;
        }
        const float row = strip.rows_box.height() / static_cast<float>(std::max(1U, strip.rows));
        const float place = (at.y - strip.rows_box.y0) / row;
        if (place < 0 || place >= static_cast<float>(strip.rows)) return found;
        const auto depth = static_cast<std::size_t>(place);
        // A short slice is drawn wider than its duration, and can be pointed at in that width.
        const std::size_t first = strip.lane->first_after(depth, view.time_at(x - 2) - 1);
        const std::vector<QuerySlice>& slices = strip.lane->depths[depth];
        if (first < slices.size() && slices[first].range.begin <= view.time_at(x + 1))
            found.slice = slices[first];
        return found;
    }
    return {};
}

void QueriesLayer::draw_strip(const Timeline& timeline, const Look& look, Canvas& canvas,
                              Requests& requests) {
    if (strips_.empty()) return;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Box& lanes = timeline.areas.lanes;
    for (std::size_t i = 0; i < strips_.size(); ++i) {
        QueryStrip& strip = strips_[i];
        const float top = strip.box.y0 + look.px(kQueryAround);
        const float bottom = strip.box.y1 - look.px(kQueryAround);
        strip.rows_box = {lanes.x0, top, lanes.x1, bottom};
        list.PushClipRect({lanes.x0, strip.box.y0}, {lanes.x1, strip.box.y1}, true);
        if (strip.lane->kind == QueryLaneKind::counter) {
            draw_query_curve(timeline, *strip.lane, look, top, bottom);
        } else {
            batch_.clear();
            QueryDepthPainter painter(timeline, look, batch_);
            const float row = look.px(kQueryRowHeight);
            for (const bool labels : {false, true}) {
                for (std::size_t depth = 0; depth < strip.rows; ++depth) {
                    const float y = top + row * static_cast<float>(depth);
                    painter.draw(*strip.lane, depth, y, y + row - 1, labels);
                }
                if (!labels) canvas.painter().add_to(list, batch_);
            }
        }
        list.PopClipRect();
        list.AddRectFilled({strip.box.x0, strip.box.y1 - 1}, {lanes.x1, strip.box.y1},
                           look.colors.line);
        draw_query_head(strip, lanes.x0, look, requests, i);
    }
}

void QueriesLayer::remove(std::size_t place) {
    if (place < strips_.size()) strips_.erase(strips_.begin() + static_cast<std::ptrdiff_t>(place));
}

HoverCard QueriesLayer::card_at(const Timeline& timeline, ImVec2 at) const {
    const QueryHit found = hit(timeline, at);
    if (found.value)
        return {
            found.lane->name,
            "counter of a query",
            {{"Value", format_number(*found.value)},
             {"Range", format_number(found.lane->min) + " to " + format_number(found.lane->max)}}};
    if (!found.slice) return {};
    HoverCard card{compact_name(found.lane->names[found.slice->name]), "row of a query", {}};
    card.lines.push_back({"Duration", format_duration(found.slice->range.length())});
    card.lines.push_back(
        {"Begin", format_duration_exact(found.slice->range.begin - timeline.trace().origin)});
    card.lines.push_back({"Lane", found.lane->name});
    return card;
}

void QueriesLayer::click(Timeline& timeline, const LayerClick& click) {
    const QueryHit found = hit(timeline, click.at);
    if (!found.slice) return;
    set_selected(timeline, {});
    mark_range(timeline, found.slice->range);
    click.requests.add(Describe{Described::range});
    if (click.twice) click.requests.add(FrameRange{found.slice->range});
}

void QueriesLayer::describe(const Timeline& /*timeline*/, nlohmann::json& state) const {
    nlohmann::json& lanes = state["query_lanes"] = nlohmann::json::array();
    for (const QueryStrip& strip : strips_)
        lanes.push_back(
            {{"name", strip.lane->name},
             {"rows", strip.rows},
             {"count", strip.lane->shown},
             {"left_out", strip.lane->left_out},
             {"box", {strip.box.x0, strip.box.y0, strip.box.x1, strip.box.y1}},
             {"remove", {strip.remove.x0, strip.remove.y0, strip.remove.x1, strip.remove.y1}}});
}

}  // namespace lanescope
