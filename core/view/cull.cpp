#include "core/view/cull.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/view/row_walk.h"

namespace lanescope {

namespace {

// How far outside the view rectangles are cut: far enough that their ends are not seen.
constexpr double kOutsidePx = 8;
// Columns beside the view, so that what reaches out of it by a few pixels needs no special case.
constexpr int kPad = 8;

// From time to pixels; a Viewport with its division done once.
struct Scale {
    explicit Scale(const Viewport& view)
        : start(view.start), fraction(view.fraction), px_per_nano(view.width / view.span) {}

    double px(Nanos t) const { return (static_cast<double>(t - start) - fraction) * px_per_nano; }
    float length(Nanos duration) const {
        return static_cast<float>(static_cast<double>(duration) * px_per_nano);
    }
    Nanos start;
    double fraction;
    double px_per_nano;
};

// The first of times [begin, end), ascending, that is right of pixel column `column`; by doubling
// steps from `begin`, which is in the column.
const Nanos* end_of_column(const Nanos* begin, const Nanos* end, const Scale& scale,
                           double column) {
    const auto left = [&](Nanos t) { return scale.px(t) < column + 1; };
    std::ptrdiff_t step = 1;
    while (step < end - begin && left(begin[step])) {
        begin += step;
        step *= 2;
    }
    return std::partition_point(begin + 1, begin + std::min(step, end - begin), left);
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
          columns_(culler.columns_.data()),
          width_(input.view.width),
          touched_(culler.touched_.data()),
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

    // A cell is drawn evenly over its columns. One or two columns is again a guess, so there is
    // always a second one, if with nothing.
    void short_slices(const ShortSlices& group) {
        const CellColumns columns =
            columns_of_cell(scale_.px(group.cell_start), group.cell_width, scale_.px_per_nano);
        if (columns.begin < -kPad || columns.begin >= width_) return;
        const int column = columns.begin + kPad;
        const uint64_t rank = rank_of(length_bits(group.length), group.longest);
        const uint64_t look = look_of(group.name, group.category);
        const float cover = std::min(group.cover, 1.0F) * columns.part;
        columns_[std::max(column, kPad)].count += group.count;
        touched_[column] = 1;
        add(column, cover, rank, look);
        const bool second = columns.end > columns.begin + 1;
        touched_[column + 1] = static_cast<uint8_t>(touched_[column + 1] | second);
        add(column + 1, second ? cover : 0.0F, second * rank, look);
        for (int next = 2; next < columns.end - columns.begin; ++next) {
            touched_[column + next] = 1;
            add(column + next, cover, rank, look);
        }
    }

  private:
    // A length as the bits of a float, which are in order as integers. From 1 up, so that 0 is less
    // than any. A length code is the top of just those bits.
    static uint32_t length_bits(double length) {
        return std::bit_cast<uint32_t>(static_cast<float>(length + 1));
    }
    static uint32_t length_bits(uint8_t code) {
        return std::bit_cast<uint32_t>(1.0F) + (uint32_t{code} << 21);
    }
    // Orders slices by length, and the first before others as long.
    static uint64_t rank_of(uint32_t length, uint32_t index) {
        return uint64_t{length} << 32 | static_cast<uint32_t>(~index);
    }
    static uint64_t look_of(StringId name, CategoryId category) {
        return uint64_t{category} << 32 | name;
    }

    void add_slice(uint32_t index, Nanos start, Nanos duration, StringId name,
                   CategoryId category) {
        const double x0 = scale_.px(start);
        const double x1 = scale_.px(start + duration);
        const auto length = static_cast<double>(duration);
        if (length < min_rect_nanos_) {
            add_short(x0, x1, rank_of(length_bits(length), index), look_of(name, category));
        } else if (x1 > 0) {
            rects_.push_back({static_cast<float>(std::max(x0, -kOutsidePx)),
                              static_cast<float>(std::min(x1, right_)), index, name,
                              slots_.slot_of(name, category)});
        }
    }

    // A short slice of its own touches the columns it truly covers; it is counted in the first of
    // them in view. Whether it reaches into a second column, or is the longest of its column, is
    // anyone's guess, also a processor's: such things are worked out without a branch.
    void add_short(double x0, double x1, uint64_t rank, uint64_t look) {
        if (x0 <= -kPad || x0 >= width_) return;
        const int column = static_cast<int>(x0 + kPad);
        const double border = column + 1 - kPad;
        ++columns_[std::max(column, kPad)].count;
        touched_[column] = 1;
        add(column, static_cast<float>(std::min(x1, border) - x0), rank, look);
        const double beyond = x1 - border;
        if (beyond > 1) {
            for (int next = 1; next <= static_cast<int>(std::ceil(beyond)); ++next) {
                touched_[column + next] = 1;
                add(column + next, static_cast<float>(std::min(beyond - next + 1, 1.0)), rank,
                    look);
            }
        } else {
            const bool reaches = beyond > 0;
            touched_[column + 1] = static_cast<uint8_t>(touched_[column + 1] | reaches);
            add(column + 1, static_cast<float>(std::max(beyond, 0.0)), reaches * rank, look);
        }
    }

    void add(int column, float cover, uint64_t rank, uint64_t look) {
        PixelColumn& at = columns_[column];
        at.cover += cover;
        const uint64_t longer = ~uint64_t{rank > at.rank} + 1;  // all bits, or none
        at.look ^= (at.look ^ look) & longer;
        at.rank = std::max(at.rank, rank);
    }

    Scale scale_;
    const SlotTable& slots_;
    std::vector<RectItem>& rects_;
    PixelColumn* columns_;
    double width_;
    uint8_t* touched_;
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
    if (items_.strips.width != width) {
        columns_.assign(width + 2 * kPad, {});
        touched_.assign((width + 2 * kPad + 7) / 8 * 8, 0);
    }
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
    const auto end = static_cast<int32_t>(items_.strips.width);
    int32_t last = end;
    uint64_t longest = 0;
    uint32_t* line = nullptr;
    for (std::size_t word = 0; word < touched_.size(); word += 8) {
        uint64_t bytes = 0;
        std::memcpy(&bytes, &touched_[word], 8);
        if (bytes == 0) continue;
        std::memset(&touched_[word], 0, 8);
        for (; bytes != 0; bytes &= bytes - 1) {
            const std::size_t padded = word + static_cast<std::size_t>(std::countr_zero(bytes)) / 8;
            const PixelColumn at = std::exchange(columns_[padded], {});
            const int32_t column = static_cast<int32_t>(padded) - kPad;
            if (column < 0 || column >= end) continue;
            if (!line) line = begin_strip(items);
            if (column != last + 1) {
                items_.runs.push_back({column, column, 0, 0});
                longest = 0;
            }
            RunItem& run = items_.runs.back();
            run.x1 = column + 1;
            run.count += at.count;
            longest = std::max(longest, at.rank);
            run.longest = ~static_cast<uint32_t>(longest);
            const Slot slot = input.index->slots.slot_of(static_cast<StringId>(at.look),
                                                         static_cast<CategoryId>(at.look >> 32));
            const auto shade = static_cast<std::size_t>(std::clamp(at.cover, 0.0F, 1.0F) * 255);
            line[column] = input.palette.shades[slot][shade];
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
        const auto next = static_cast<std::size_t>(
            end_of_column(&instants.time[i], instants.time.end(), scale, std::floor(x)) -
            instants.time.begin());
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
        const auto next = static_cast<std::size_t>(
            end_of_column(&time[i], time.end(), scale, std::floor(x)) - time.begin());
        add(x, i, next);
        i = next;
    }
}

double cell_nanos(const Viewport& view, const CullOptions& options) {
    return view.nanos_per_px() * options.min_rect_px;
}

}  // namespace lanescope
