#include "core/view/cull.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/view/row_walk.h"

namespace lanescope {

namespace {

// How far outside the view rectangles are cut: far enough that their ends are not seen.
constexpr double kOutsidePx = 8;
// Cells are at most this part of the narrowest rectangle, so that a cell is seldom seen as a step.
constexpr double kCellPart = 0.5;

// From time to pixels; a Viewport with its division done once.
struct Scale {
    explicit Scale(const Viewport& view)
        : start(view.start), fraction(view.fraction), px_per_nano(view.width / view.span) {}

    double px(Nanos t) const { return (static_cast<double>(t - start) - fraction) * px_per_nano; }

    Nanos start;
    double fraction;
    double px_per_nano;
};

// The last index before `end` such that all before it are left of pixel column `column` + 1, by
// doubling steps from `begin`.
std::size_t end_of_column(const Column<Nanos>& time, std::size_t begin, const Scale& scale,
                          double column) {
    const auto left = [&](Nanos t) { return scale.px(t) < column + 1; };
    std::size_t step = 1;
    std::size_t low = begin;
    while (low + step < time.size() && left(time[low + step])) {
        low += step;
        step *= 2;
    }
    const std::size_t high = std::min(low + step, time.size());
    return static_cast<std::size_t>(
        std::partition_point(time.begin() + low, time.begin() + high, left) - time.begin());
}

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
          columns_(culler.columns_),
          touched_(culler.touched_),
          min_rect_nanos_(input.options.min_rect_px * input.view.nanos_per_px()),
          right_(input.view.width + kOutsidePx) {}

    void slice(uint32_t index, Nanos start, Nanos stop, StringId name, CategoryId category) {
        const double x0 = scale_.px(start);
        const double x1 = scale_.px(stop);
        const auto length = static_cast<double>(stop - start);
        if (length < min_rect_nanos_) {
            add_to_columns(index, x0, x1, static_cast<float>(length), name, category);
            return;
        }
        if (x1 <= 0) return;
        rects_.push_back({static_cast<float>(std::max(x0, -kOutsidePx)),
                          static_cast<float>(std::min(x1, right_)), index, name,
                          slots_.slot_of(name, category)});
    }

    void short_slices(const ShortSlices& group) {
        const double half = static_cast<double>(group.cell_width) / 2;
        const double middle = scale_.px(group.cell_start) + half * scale_.px_per_nano;
        const auto column = static_cast<int64_t>(std::floor(middle));
        if (column < 0 || column >= static_cast<int64_t>(columns_.size())) return;
        const double cell_px = 2 * half * scale_.px_per_nano;
        const auto cover =
            static_cast<float>(std::min(static_cast<double>(group.cover), 1.0) * cell_px);
        add(static_cast<std::size_t>(column), cover, group.count, group.longest,
            static_cast<float>(shortest_of_code(group.length)), group.name, group.category);
    }

  private:
    // A short slice of its own touches the columns it truly covers; it is counted in the first of
    // them.
    void add_to_columns(uint32_t index, double x0, double x1, float length, StringId name,
                        CategoryId category) {
        const auto width = static_cast<int64_t>(columns_.size());
        const auto first = std::max<int64_t>(static_cast<int64_t>(std::floor(x0)), 0);
        const auto last =
            std::max(static_cast<int64_t>(std::ceil(x1)) - 1, static_cast<int64_t>(std::floor(x0)));
        uint32_t count = 1;
        for (int64_t column = first; column <= std::min(last, width - 1); ++column) {
            const auto left = static_cast<double>(column);
            const double cover = std::min(x1, left + 1) - std::max(x0, left);
            add(static_cast<std::size_t>(column), static_cast<float>(cover), count, index, length,
                name, category);
            count = 0;
        }
    }

    void add(std::size_t column, float cover, uint32_t count, uint32_t longest, float length,
             StringId name, CategoryId category) {
        PixelColumn& at = columns_[column];
        uint64_t& word = touched_[column / 64];
        const uint64_t bit = uint64_t{1} << (column % 64);
        if ((word & bit) == 0) {
            word |= bit;
            at = {cover, length, count, longest, slots_.slot_of(name, category)};
            return;
        }
        at.cover += cover;
        at.count += count;
        if (length > at.length) {
            at.length = length;
            at.longest = longest;
            at.slot = slots_.slot_of(name, category);
        }
    }

    Scale scale_;
    const SlotTable& slots_;
    std::vector<RectItem>& rects_;
    std::vector<PixelColumn>& columns_;
    std::vector<uint64_t>& touched_;
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
    touched_.assign((width + 63) / 64, 0);
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
    walk.lane(input.index->trace->lanes[items.lane], row.depth);
    emit_labels(input, items.rect_begin);
    emit_runs(input, items);
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

// Turns the touched columns into runs and their texels, and leaves none touched.
void Culler::emit_runs(const CullInput& input, RowItems& items) {
    constexpr int32_t no_column = -2;
    int32_t last = no_column;
    float length = 0;
    uint32_t* line = nullptr;
    for (std::size_t word = 0; word < touched_.size(); ++word) {
        for (uint64_t bits = std::exchange(touched_[word], 0); bits != 0; bits &= bits - 1) {
            const auto column =
                static_cast<int32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
            const PixelColumn& at = columns_[static_cast<std::size_t>(column)];
            if (!line) line = begin_strip(items);
            if (column != last + 1 || last == no_column) {
                items_.runs.push_back({column, column, 0, at.longest});
                length = at.length;
            }
            RunItem& run = items_.runs.back();
            run.x1 = column + 1;
            run.count += at.count;
            if (at.length > length) {
                length = at.length;
                run.longest = at.longest;
            }
            const auto shade = static_cast<std::size_t>(std::clamp(at.cover, 0.0F, 1.0F) * 255);
            line[column] = input.palette.shades[at.slot][shade];
            last = column;
        }
    }
}

uint32_t* Culler::begin_strip(RowItems& items) {
    StripImage& strips = items_.strips;
    items.strip = strips.height++;
    const std::size_t needed = std::size_t{strips.width} * strips.height;
    if (strips.texels.size() < needed) strips.texels.resize(needed);
    return strips.texels.data() + std::size_t{strips.width} * items.strip;
}

void Culler::cull_instants(const CullInput& input, RowItems& items) {
    const Instants& instants = *input.index->trace->lanes[items.lane].instants;
    const Scale scale(input.view);
    const Nanos* first =
        std::lower_bound(instants.time.begin(), instants.time.end(), input.view.range().begin);
    for (auto i = static_cast<std::size_t>(first - instants.time.begin());
         i < instants.time.size();) {
        const double x = scale.px(instants.time[i]);
        if (x >= input.view.width) break;
        const std::size_t next = end_of_column(instants.time, i, scale, std::floor(x));
        items_.ticks.push_back(
            {static_cast<float>(x), static_cast<uint32_t>(i), static_cast<uint32_t>(next - i),
             input.index->slots.slot_of(instants.name[i], instants.category[i])});
        i = next;
    }
}

void Culler::cull_counter(const CullInput& input, RowItems& items) {
    const CounterSeries& series = *input.index->trace->lanes[items.lane].counter;
    const CounterLevels& levels = input.index->counters[items.lane];
    const CounterRange whole = levels.range(series.value, 0, series.value.size());
    if (whole.empty()) return;
    items.value_min = std::min(whole.min, 0.0);
    items.value_max = std::max(whole.max, 0.0);
    const double height = std::max(items.value_max - items.value_min, 1e-300);
    const auto level = [&](double value) {
        return static_cast<float>((value - items.value_min) / height);
    };
    const auto add = [&](double x, std::size_t begin, std::size_t end) {
        const CounterRange range = levels.range(series.value, begin, end);
        if (range.empty()) return;  // no numbers: the curve stays where it was
        while (!std::isfinite(series.value[end - 1])) --end;
        items_.points.push_back({static_cast<float>(x), level(range.min), level(range.max),
                                 level(series.value[end - 1])});
    };

    const Scale scale(input.view);
    const auto& time = series.time;
    const Nanos* first =
        std::partition_point(time.begin(), time.end(), [&](Nanos t) { return scale.px(t) < 0; });
    auto i = static_cast<std::size_t>(first - time.begin());
    if (i > 0) add(0, i - 1, i);
    while (i < time.size()) {
        const double x = scale.px(time[i]);
        if (x >= input.view.width) break;
        const std::size_t next = end_of_column(time, i, scale, std::floor(x));
        add(x, i, next);
        i = next;
    }
}

double cell_nanos(const Viewport& view, const CullOptions& options) {
    return view.nanos_per_px() * options.min_rect_px * kCellPart;
}

}  // namespace lanescope
