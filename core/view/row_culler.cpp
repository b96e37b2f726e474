#include "core/view/row_culler.h"

#include <algorithm>
#include <cmath>

#include "core/view/row_walk.h"
#include "core/view/time_scale.h"

namespace lanescope {

namespace {

// Rectangles are clipped this far outside the view, so that their ends are not visible.
constexpr double kOutsidePx = 8;

uint32_t size_of(const auto& items) {
    return static_cast<uint32_t>(items.size());
}

}  // namespace

// Processes the slices of one row: wide slices become rectangles, all others are added to their
// pixel columns. `own`: the lane has its own slots for its slices; otherwise name and category
// determine them.
template <bool own>
class RowCuller::RowVisitor {
  public:
    // `lane`: its visible part.
    RowVisitor(RowCuller& culler, const CullInput& input, const Lane& lane, uint32_t depth,
               const LaneSlots* lane_slots)
        : scale_(input.view),
          slots_(input.index->slots()),
          lane_(lane),
          depth_(depth),
          lane_slots_(lane_slots),
          rects_(culler.items.rects),
          columns_(culler.columns_),
          visited_(culler.visited),
          min_rect_nanos_(input.options.min_rect_px * input.view.nanos_per_px()),
          width_(input.view.width) {}

    void slices(const Chunk& chunk, uint32_t begin, uint32_t end) {
        visited_ += end - begin;
        if constexpr (own) enter(chunk);
        PixelColumns::Writer writer(columns_);
        // The first slice may begin left of the columns that earlier cells have filled.
        uint32_t i = begin;
        for (; i < end && scale_.px(chunk.start[i]) < writer.last_x(); ++i)
            add_slice<false>(writer, chunk, i);
        for (; i < end; ++i) add_slice<true>(writer, chunk, i);
    }

    void stretch(const LevelStretch& stretch) {
        visited_ += stretch.entries.size();
        if constexpr (own) enter(stretch.chunk);
        const double width = static_cast<double>(Nanos{1} << stretch.shift) * scale_.px_per_nano;
        width < 1 ? cells<true>(stretch, width) : cells<false>(stretch, width);
    }

  private:
    // Looks up the slots of the next chunk.
    void enter(const Chunk& chunk) {
        const auto at = std::ranges::partition_point(
            lane_.chunks, [&](const auto& other) { return other->first < chunk.first; });
        const auto& slots =
            lane_slots_->chunks[static_cast<std::size_t>(at - lane_.chunks.begin())];
        own_slots_ = slots.of_slice;
        own_entries_ = slots.of_entry[depth_].data();
        entries_ = chunk.rows[depth_].levels.entries.data();
    }

    // `narrow`: cells are narrower than a pixel, and each is drawn in one column. Constants are
    // local variables, because a write to a column could alias anything reached through a
    // reference.
    template <bool narrow>
    void cells(const LevelStretch& stretch, double width) {
        PixelColumns::Writer writer(columns_);
        const TimeScale scale = scale_;
        const SlotTable::Finder slots(slots_);
        [[maybe_unused]] const Slot* own_slot = own_entries_;
        if constexpr (own) own_slot += stretch.entries.data() - entries_;
        const float full = (narrow ? static_cast<float>(width) : 1) / kFullCover;
        const uint32_t first = stretch.chunk.first + stretch.base;
        const Nanos start = stretch.start - scale.start;
        const int shift = stretch.shift;
        const LevelEntry* const end = stretch.entries.data() + stretch.entries.size();
        const LevelEntry* const begin_entry = stretch.entries.data();
        for (const LevelEntry* entry = begin_entry; entry != end; ++entry) {
            if (entry->length >= 4 * shift) [[unlikely]] {
                stretch.fetch_ahead(static_cast<std::size_t>(entry - begin_entry));
                add_slice<false>(writer, stretch.chunk, stretch.base + entry->first);
                continue;
            }
            const uint32_t next = entry + 1 != end ? entry[1].first : stretch.end;
            const uint32_t count = next - entry->first;
            const double x0 =
                (static_cast<double>(start + (static_cast<Nanos>(entry->cell) << shift)) -
                 scale.fraction) *
                scale.px_per_nano;
            const uint64_t rank =
                PixelColumns::Writer::rank_of(entry->length, first + entry->longest);
            const Slot slot = [&] {
                if constexpr (own)
                    return own_slot[entry - begin_entry];
                else
                    return slots.slot_of(entry->name, entry->category);
            }();
            const float cover = static_cast<float>(std::min<int>(entry->cover, kFullCover)) * full;
            if constexpr (narrow) {
                const double middle = x0 + width / 2;
                if (middle < 0) continue;
                writer.add(static_cast<int>(middle), cover, rank, slot, count);
            } else {
                const int begin = rounded(x0);
                const auto n = static_cast<uint32_t>(rounded(x0 + width) - begin);
                if (begin > writer.last_x() && n - 1 < 2) [[likely]] {
                    writer.append(begin, n, cover, rank, slot, count);
                    continue;
                }
                for (uint32_t k = 0; k < n; ++k)
                    writer.add(begin + static_cast<int>(k), cover, rank, slot, k == 0 ? count : 0);
            }
        }
    }

    // Rounds to the nearest column border that is not left of the view.
    static int rounded(double x) { return static_cast<int>(std::max(x + 0.5, 0.0)); }

    // At most scales most rows are either all wide or all narrow, so the branch is predictable.
    template <bool follows>
    [[gnu::always_inline]] void add_slice(PixelColumns::Writer& writer, const Chunk& chunk,
                                          uint32_t i) {
        const Nanos start = chunk.start[i];
        const Nanos duration = chunk.duration[i];
        const double x0 = scale_.px(start);
        const double x1 = scale_.px(start + duration);
        const auto length = static_cast<double>(duration);
        const Slot slot = [&] {
            if constexpr (own)
                return own_slots_[i];
            else
                return slots_.slot_of(chunk.name[i], chunk.category[i]);
        }();
        if (length < min_rect_nanos_) {
            add_short<follows>(writer, x0, x1,
                               PixelColumns::Writer::rank_of(length, chunk.first + i), slot);
        } else if (x1 > 0 && x0 < width_) {
            rects_.push_back({static_cast<float>(std::max(x0, -kOutsidePx)),
                              static_cast<float>(std::min(x1, width_ + kOutsidePx)),
                              chunk.first + i, chunk.name[i], slot});
        }
    }

    // A slice from x0 to x1 px, at most a few px long. It affects the columns that it actually
    // covers, and is counted in the first visible one. `follows`: it begins in the last column or
    // after it.
    template <bool follows>
    [[gnu::always_inline]] void add_short(PixelColumns::Writer& writer, double x0, double x1,
                                          uint64_t rank, Slot slot) {
        if (x0 >= width_ || (x0 < 0 && x1 <= 0)) return;
        x0 = std::max(x0, 0.0);
        const int column = static_cast<int>(x0);
        const double border = column + 1;
        const double beyond = x1 - border;
        const auto cover = static_cast<float>(std::min(x1, border) - x0);
        if constexpr (follows) {
            writer.add_last(column, cover, rank, slot, 1);
            writer.go_on(static_cast<float>(std::min(beyond, 1.0)), rank, slot);
        } else {
            writer.add(column, cover, rank, slot, 1);
        }
        for (int next = follows ? 2 : 1; beyond > next - 1; ++next)
            writer.add(column + next, static_cast<float>(std::min(beyond - next + 1, 1.0)), rank,
                       slot, 0);
    }

    TimeScale scale_;
    const SlotTable& slots_;
    const Lane& lane_;
    uint32_t depth_;
    const LaneSlots* lane_slots_;
    const Slot* own_slots_ = nullptr;      // of the chunk
    const Slot* own_entries_ = nullptr;    // slots of the entries of its row's levels …
    const LevelEntry* entries_ = nullptr;  // … which are these
    std::vector<RectItem>& rects_;
    PixelColumns& columns_;
    std::size_t& visited_;
    double min_rect_nanos_;
    double width_;
};

void RowCuller::start(const Viewport& view) {
    items.rows.clear();
    items.rects.clear();
    items.labels.clear();
    items.runs.clear();
    items.points.clear();
    items.ticks.clear();
    items.strips.height = 0;
    items.strips.width = static_cast<uint32_t>(std::ceil(view.width));
    visited = 0;
}

void RowCuller::cull_row(const CullInput& input, uint32_t row) {
    const LayoutRow& place = input.layout.rows[row];
    if (is_of_group(place.kind)) return;
    RowItems row_items;
    row_items.row = row;
    row_items.lane = input.layout.lanes[place.lane].id;
    row_items.rect_begin = size_of(items.rects);
    row_items.label_begin = size_of(items.labels);
    row_items.run_begin = size_of(items.runs);
    row_items.point_begin = size_of(items.points);
    row_items.tick_begin = size_of(items.ticks);
    if (place.kind == RowKind::slices) cull_slices(input, place, row_items);
    if (place.kind == RowKind::instants) cull_instants(input, row_items);
    if (place.kind == RowKind::counter) cull_counter(input, row_items);
    row_items.rect_end = size_of(items.rects);
    row_items.label_end = size_of(items.labels);
    row_items.run_end = size_of(items.runs);
    row_items.point_end = size_of(items.points);
    row_items.tick_end = size_of(items.ticks);
    items.rows.push_back(row_items);
}

void RowCuller::append(const RowCuller& other, const RowItems& row) {
    RowItems& added = items.rows.emplace_back(row);
    const auto copy = [](auto& to, const auto& from, uint32_t& begin, uint32_t& end) {
        const uint32_t place = size_of(to);
        to.insert(to.end(), from.begin() + begin, from.begin() + end);
        begin = place;
        end = size_of(to);
    };
    const DrawItems& others = other.items;
    copy(items.rects, others.rects, added.rect_begin, added.rect_end);
    copy(items.labels, others.labels, added.label_begin, added.label_end);
    copy(items.runs, others.runs, added.run_begin, added.run_end);
    copy(items.points, others.points, added.point_begin, added.point_end);
    copy(items.ticks, others.ticks, added.tick_begin, added.tick_end);
    for (uint32_t i = added.label_begin; i < added.label_end; ++i)
        items.labels[i].rect += added.rect_begin - row.rect_begin;
    if (added.run_begin == added.run_end) return;
    const std::size_t first = static_cast<std::size_t>(items.runs[added.run_begin].x0);
    const std::size_t from = std::size_t{others.strips.width} * row.strip + first;
    const auto count = static_cast<std::size_t>(items.runs[added.run_end - 1].x1) - first;
    const std::size_t to = begin_strip(added) + first;
    std::copy_n(&others.strips.texels[from], count, &items.strips.texels[to]);
    std::copy_n(&others.strips.slots[from], count, &items.strips.slots[to]);
}

void RowCuller::cull_slices(const CullInput& input, const LayoutRow& row, RowItems& row_items) {
    columns_.start(items.strips.width);
    const Lane& lane = shown_lane(*input.index->trace, input.index->shown, row_items.lane);
    const LaneSlots* const slots = input.index->slots_of(row_items.lane);
    const auto walk = [&](auto visitor) {
        RowWalk(input.view.range(), cell_nanos(input.view, input.options), visitor)
            .lane(lane, row.depth);
    };
    if (slots)
        walk(RowVisitor<true>(*this, input, lane, row.depth, slots));
    else
        walk(RowVisitor<false>(*this, input, lane, row.depth, nullptr));
    emit_labels(input, row_items.rect_begin);
    emit_runs(input, row_items);
    name_as_in_trace(input, row_items);
}

// In a partly shown lane, items have indices in the visible part: converts them to indices in the
// trace's lane.
void RowCuller::name_as_in_trace(const CullInput& input, RowItems& row_items) {
    const ShownLanesPtr& shown = input.index->shown;
    if (!shown || !shown->lanes[row_items.lane]) return;
    const std::vector<uint32_t>& to_trace = shown->lanes[row_items.lane]->to_trace;
    for (uint32_t i = row_items.rect_begin; i < items.rects.size(); ++i)
        items.rects[i].slice = to_trace[items.rects[i].slice];
    for (uint32_t i = row_items.run_begin; i < items.runs.size(); ++i)
        items.runs[i].longest = to_trace[items.runs[i].longest];
}

void RowCuller::emit_labels(const CullInput& input, uint32_t first_rect) {
    const auto width = static_cast<float>(input.view.width);
    const auto min_width = static_cast<float>(input.options.min_label_px);
    const auto pad = static_cast<float>(input.options.label_pad);
    for (uint32_t i = first_rect; i < items.rects.size(); ++i) {
        const float left = std::max(items.rects[i].x0, 0.0F);
        const float room = std::min(items.rects[i].x1, width) - left;
        if (room >= min_width) items.labels.push_back({i, left + pad, room - 2 * pad});
    }
}

double cell_nanos(const Viewport& view, const CullOptions& options) {
    return view.nanos_per_px() * options.min_rect_px;
}

}  // namespace lanescope
