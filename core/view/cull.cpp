#include "core/view/cull.h"

#include <algorithm>
#include <cmath>

#include "core/view/row_walk.h"
#include "core/view/time_scale.h"

namespace lanescope {

namespace {

// How far outside the view rectangles are cut: far enough that their ends are not seen.
constexpr double kOutsidePx = 8;
uint32_t size_of(const auto& items) {
    return static_cast<uint32_t>(items.size());
}

}  // namespace

// Takes the slices of one row: wide ones become rectangles, all others are added to their pixel
// columns.
class Culler::RowVisitor {
  public:
    RowVisitor(Culler& culler, const CullInput& input)
        : scale_(input.view),
          slots_(input.index->slots),
          rects_(culler.items_.rects),
          columns_(culler.columns_.adder(input.view.width)),
          min_rect_nanos_(input.options.min_rect_px * input.view.nanos_per_px()),
          right_(input.view.width + kOutsidePx) {}

    void slices(const Chunk& chunk, uint32_t begin, uint32_t end) {
        for (uint32_t i = begin; i < end; ++i)
            add_slice(chunk.first + i, chunk.start[i], chunk.duration[i], chunk.name[i],
                      chunk.category[i]);
    }

    void lone_slice(const LoneSlice& slice) {
        add_slice(slice.index, slice.start, slice.stop - slice.start, slice.name, slice.category);
    }

    void short_slices(const ShortSlices& group) {
        columns_.add_cell(
            columns_of_cell(scale_.px(group.cell_start), group.cell_width, scale_.px_per_nano),
            group);
    }

  private:
    // Wide or not is settled for most rows at most scales, so this is a branch worth its while.
    [[gnu::always_inline]] void add_slice(uint32_t index, Nanos start, Nanos duration,
                                          StringId name, CategoryId category) {
        const double x0 = scale_.px(start);
        const double x1 = scale_.px(start + duration);
        const auto length = static_cast<double>(duration);
        if (length < min_rect_nanos_) {
            columns_.add_slice(x0, x1, length, index, name, category);
        } else if (x1 > 0) {
            rects_.push_back({static_cast<float>(std::max(x0, -kOutsidePx)),
                              static_cast<float>(std::min(x1, right_)), index, name,
                              slots_.slot_of(name, category)});
        }
    }

    TimeScale scale_;
    const SlotTable& slots_;
    std::vector<RectItem>& rects_;
    PixelColumns::Adder columns_;
    double min_rect_nanos_;
    double right_;
};

const DrawItems& Culler::cull(const CullInput& input) {
    const Key key{input.index, input.layout.fingerprint, input.palette.theme, input.palette.mode,
                  input.view,  input.scroll_y,           input.height,        input.options};
    if (built_ && key == key_) return items_;
    key_ = key;
    built_ = true;

    items_.rows.clear();
    items_.rects.clear();
    items_.labels.clear();
    items_.runs.clear();
    items_.points.clear();
    items_.ticks.clear();
    items_.strips.height = 0;
    ++items_.generation;

    const auto width = static_cast<uint32_t>(std::ceil(input.view.width));
    columns_.resize(width);
    items_.strips.width = width;
    const auto& rows = input.layout.rows;
    for (uint32_t row = input.layout.first_row_below(input.scroll_y);
         row < rows.size() && rows[row].y < input.scroll_y + input.height; ++row)
        cull_row(input, row);
    return items_;
}

void Culler::cull_row(const CullInput& input, uint32_t row) {
    const LayoutRow& place = input.layout.rows[row];
    if (place.kind == RowKind::group_head) return;
    RowItems items;
    items.row = row;
    items.lane = input.layout.lanes[place.lane].id;
    items.rect_begin = size_of(items_.rects);
    items.label_begin = size_of(items_.labels);
    items.run_begin = size_of(items_.runs);
    items.point_begin = size_of(items_.points);
    items.tick_begin = size_of(items_.ticks);
    if (place.kind == RowKind::slices) cull_slices(input, place, items);
    if (place.kind == RowKind::instants) cull_instants(input, items);
    if (place.kind == RowKind::counter) cull_counter(input, items);
    items.rect_end = size_of(items_.rects);
    items.label_end = size_of(items_.labels);
    items.run_end = size_of(items_.runs);
    items.point_end = size_of(items_.points);
    items.tick_end = size_of(items_.ticks);
    items_.rows.push_back(items);
}

void Culler::cull_slices(const CullInput& input, const LayoutRow& row, RowItems& items) {
    RowVisitor visitor(*this, input);
    const double cell = cell_nanos(input.view, input.options);
    RowWalk walk(input.view.range(), cell, visitor);
    walk.lane(shown_lane(*input.index->trace, input.index->shown, items.lane), row.depth);
    emit_labels(input, items.rect_begin);
    emit_runs(input, items);
    name_as_in_trace(input, items);
}

// Where only a part of a lane is shown, items were found by their place in that part.
void Culler::name_as_in_trace(const CullInput& input, RowItems& items) {
    const ShownLanesPtr& shown = input.index->shown;
    if (!shown || !shown->lanes[items.lane]) return;
    const std::vector<uint32_t>& to_trace = shown->lanes[items.lane]->to_trace;
    for (uint32_t i = items.rect_begin; i < items_.rects.size(); ++i)
        items_.rects[i].slice = to_trace[items_.rects[i].slice];
    for (uint32_t i = items.run_begin; i < items_.runs.size(); ++i)
        items_.runs[i].longest = to_trace[items_.runs[i].longest];
}

void Culler::emit_labels(const CullInput& input, uint32_t first_rect) {
    const auto width = static_cast<float>(input.view.width);
    const auto least = static_cast<float>(input.options.min_label_px);
    const auto pad = static_cast<float>(input.options.label_pad);
    for (uint32_t i = first_rect; i < items_.rects.size(); ++i) {
        const float left = std::max(items_.rects[i].x0, 0.0F);
        const float room = std::min(items_.rects[i].x1, width) - left;
        if (room >= least) items_.labels.push_back({i, left + pad, room - 2 * pad});
    }
}

double cell_nanos(const Viewport& view, const CullOptions& options) {
    return view.nanos_per_px() * options.min_rect_px;
}

}  // namespace lanescope
