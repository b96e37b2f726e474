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
    // `lane`: what is shown of it; `own`: its slots, null where name and category tell them.
    RowVisitor(Culler& culler, const CullInput& input, const Lane& lane, uint32_t depth,
               const LaneSlots* own)
        : scale_(input.view),
          slots_(input.index->slots()),
          lane_(lane),
          depth_(depth),
          own_(own),
          rects_(culler.items_.rects),
          columns_(culler.columns_),
          min_rect_nanos_(input.options.min_rect_px * input.view.nanos_per_px()),
          width_(input.view.width) {}

    void slices(const Chunk& chunk, uint32_t begin, uint32_t end) {
        enter(chunk);
        PixelColumns::Writer writer(columns_);
        for (uint32_t i = begin; i < end; ++i) add_slice(writer, chunk, i);
    }

    void stretch(const LevelStretch& stretch) {
        enter(stretch.chunk);
        const double width = static_cast<double>(Nanos{1} << stretch.shift) * scale_.px_per_nano;
        width < 1 ? cells<true>(stretch, width) : cells<false>(stretch, width);
    }

  private:
    // Finds the slots of the chunk that comes next.
    void enter(const Chunk& chunk) {
        if (!own_) return;
        const auto at = std::ranges::partition_point(
            lane_.chunks, [&](const auto& other) { return other->first < chunk.first; });
        const auto& own = own_->chunks[static_cast<std::size_t>(at - lane_.chunks.begin())];
        own_slots_ = own.of_slice;
        own_entries_ = own.of_entry[depth_].data();
        entries_ = chunk.rows[depth_].levels.entries.data();
    }

    Slot slot_of(const Chunk& chunk, uint32_t i) const {
        return own_slots_ ? own_slots_[i] : slots_.slot_of(chunk.name[i], chunk.category[i]);
    }
    Slot slot_of(const LevelEntry& entry) const {
        return own_slots_ ? own_entries_[&entry - entries_]
                          : slots_.slot_of(entry.name, entry.category);
    }

    // `narrow`: cells are narrower than a pixel, and each is drawn in one column.
    template <bool narrow>
    void cells(const LevelStretch& stretch, double width) {
        PixelColumns::Writer writer(columns_);
        const float full = (narrow ? static_cast<float>(width) : 1) / kFullCover;
        const uint32_t first = stretch.chunk.first + stretch.base;
        for (std::size_t i = 0; i < stretch.entries.size(); ++i) {
            const LevelEntry& entry = stretch.entries[i];
            stretch.fetch_ahead(i);
            if (stretch.is_lone(entry)) {
                add_slice(writer, stretch.chunk, stretch.base + entry.first);
                continue;
            }
            const double x0 = scale_.px(stretch.cell_start(entry));
            const uint64_t rank =
                PixelColumns::Writer::rank_of(entry.length, first + entry.longest);
            const Slot slot = slot_of(entry);
            const float cover = static_cast<float>(std::min<int>(entry.cover, kFullCover)) * full;
            if constexpr (narrow) {
                const double middle = x0 + width / 2;
                if (middle < 0) continue;
                writer.add(static_cast<int>(middle), cover, rank, slot, stretch.count(i));
            } else {
                const int begin = rounded(x0);
                const auto n = static_cast<uint32_t>(rounded(x0 + width) - begin);
                if (begin > writer.last_x() && n - 1 < 2) [[likely]] {
                    writer.append(begin, n, cover, rank, slot, stretch.count(i));
                    continue;
                }
                for (uint32_t k = 0; k < n; ++k)
                    writer.add(begin + static_cast<int>(k), cover, rank, slot,
                               k == 0 ? stretch.count(i) : 0);
            }
        }
    }

    // To the nearest column border that is not left of the view.
    static int rounded(double x) { return static_cast<int>(std::max(x + 0.5, 0.0)); }

    // Wide or not is settled for most rows at most scales, so this is a branch worth its while.
    [[gnu::always_inline]] void add_slice(PixelColumns::Writer& writer, const Chunk& chunk,
                                          uint32_t i) {
        const Nanos start = chunk.start[i];
        const Nanos duration = chunk.duration[i];
        const double x0 = scale_.px(start);
        const double x1 = scale_.px(start + duration);
        const auto length = static_cast<double>(duration);
        const Slot slot = slot_of(chunk, i);
        if (length < min_rect_nanos_) {
            add_short(writer, x0, x1, PixelColumns::Writer::rank_of(length, chunk.first + i), slot);
        } else if (x1 > 0 && x0 < width_) {
            rects_.push_back({static_cast<float>(std::max(x0, -kOutsidePx)),
                              static_cast<float>(std::min(x1, width_ + kOutsidePx)),
                              chunk.first + i, chunk.name[i], slot});
        }
    }

    // A slice from x0 to x1 px, at most some px long. It touches the columns that it truly covers,
    // and is counted in the first of them in view.
    [[gnu::always_inline]] void add_short(PixelColumns::Writer& writer, double x0, double x1,
                                          uint64_t rank, Slot slot) {
        if (x0 >= width_ || (x0 < 0 && x1 <= 0)) return;
        x0 = std::max(x0, 0.0);
        const int column = static_cast<int>(x0);
        const double border = column + 1;
        writer.add(column, static_cast<float>(std::min(x1, border) - x0), rank, slot, 1);
        const double beyond = x1 - border;
        if (beyond > 0)
            writer.add(column + 1, static_cast<float>(std::min(beyond, 1.0)), rank, slot, 0);
        for (int next = 2; beyond > next - 1; ++next)
            writer.add(column + next, static_cast<float>(std::min(beyond - next + 1, 1.0)), rank,
                       slot, 0);
    }

    TimeScale scale_;
    const SlotTable& slots_;
    const Lane& lane_;
    uint32_t depth_;
    const LaneSlots* own_;
    const Slot* own_slots_ = nullptr;      // of the chunk
    const Slot* own_entries_ = nullptr;    // of the entries of its row's levels …
    const LevelEntry* entries_ = nullptr;  // … which are these
    std::vector<RectItem>& rects_;
    PixelColumns& columns_;
    double min_rect_nanos_;
    double width_;
};

const DrawItems& Culler::cull(const CullInput& input) {
    const Key key{input.index,  input.layout.fingerprint, input.palette.theme,
                  input.view,   input.scroll_y,           input.height,
                  input.options};
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
    columns_.start(items_.strips.width);
    const Lane& lane = shown_lane(*input.index->trace, input.index->shown, items.lane);
    RowVisitor visitor(*this, input, lane, row.depth, input.index->slots_of(items.lane));
    const double cell = cell_nanos(input.view, input.options);
    RowWalk walk(input.view.range(), cell, visitor);
    walk.lane(lane, row.depth);
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
