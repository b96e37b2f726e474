#include "core/export/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/base/format.h"
#include "core/export/svg_text.h"
#include "core/trace/query.h"
#include "core/view/cull.h"
#include "core/view/pick.h"
#include "core/view/ruler.h"
#include "core/view/short_name.h"

namespace lanescope {

namespace {

constexpr double kRuler = 24;
constexpr double kMargin = 8;
constexpr double kLegend = 30;
constexpr double kText = 12;
constexpr double kSmallText = 11;
constexpr double kPad = 5;          // before and after a label
constexpr double kCurveLabel = 14;  // above a curve
// Narrower idle spans are not drawn, as in the window.
constexpr double kHatchFrom = 40;
constexpr double kTintFrom = 8;
constexpr std::size_t kMostIdle = 400;  // in a row
constexpr std::size_t kMostFlows = 64;
constexpr double kDistanceBelow = 32;  // the lanes' top
// Columns per unit: anything narrower than half a column is merged into one.
constexpr double kColumns = 2;
// In em: the average width of a letter of Roboto and Helvetica in names of code. Texts are cut by
// this width and clipped to their slice, so another font does no harm.
constexpr double kLetter = 0.54;

// Cuts a text with an ellipsis to about `width`, at a whole UTF-8 character.
std::string cut(std::string_view text, double width, double size) {
    const auto letters = static_cast<std::size_t>(std::max(0.0, width / (size * kLetter)));
    std::size_t count = 0;
    std::size_t keep = text.size();  // end of the last character that fits, in bytes
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;
        if (count + 1 == letters) keep = i;
        if (++count > letters) return letters < 3 ? "" : std::string(text.substr(0, keep)) + "…";
    }
    return std::string(text);
}

std::string hex(Color c) {
    return svg_color(c);
}
std::string hex(uint32_t packed) {
    return fmt::format("#{:02x}{:02x}{:02x}", packed & 0xFF, packed >> 8 & 0xFF,
                       packed >> 16 & 0xFF);
}

// Writes one document.
class SvgWriter {
  public:
    SvgWriter(const ViewIndexPtr& index, const LaneLayout& layout, const SvgOptions& options)
        : index_(index),
          trace_(*index->trace),
          layout_(layout),
          options_(options),
          colors_(theme_colors(options.theme)),
          palette_(build_palette(options.theme, index->classes->classes)),
          seen_(palette_.looks.size()),
          left_(options.head_width),
          top_(kRuler),
          height_(kRuler + layout.height + kMargin + kLegend) {
        view_ = framed(Viewport{0, 0, 1, (options.width - left_) * kColumns}, options.range, 0);
        CullOptions cull;
        cull.min_label_px = 30 * kColumns;
        cull.label_pad = kPad * kColumns;
        items_ = &culler_.cull({index_, layout_, palette_, view_, 0, layout_.height + 1, cull});
    }

    std::string write() {
        put(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:g}" height="{1:g}" )"
            R"(viewBox="0 0 {2:g} {3:g}" font-family="Roboto, Helvetica, Arial, sans-serif">)",
            options_.width * options_.scale, height_ * options_.scale, options_.width, height_);
        put("<title>{}</title>", svg_escaped(options_.title));
        rect(0, 0, options_.width, height_, hex(colors_.bg));
        rect(0, 0, left_, top_ + layout_.height, hex(colors_.panel));
        rect(0, 0, options_.width, kRuler, hex(colors_.panel));
        bands();
        ruler();
        idle();
        rows();
        flows();
        selection();
        notes();
        distances();
        heads();
        legend();
        out_ += "</svg>\n";
        return std::move(out_);
    }

  private:
    template <typename... Args>
    void put(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
        out_ += '\n';
    }
    void rect(double x, double y, double width, double height, std::string_view fill,
              std::string_view more = "") {
        put(R"(<rect x="{:g}" y="{:g}" width="{:g}" height="{:g}" fill="{}"{}/>)", round(x), y,
            round(width), height, fill, more);
    }
    void text(double x, double y, double size, Color color, std::string_view said,
              std::string_view more = "") {
        if (said.empty()) return;
        put(R"(<text x="{:g}" y="{:g}" font-size="{:g}" fill="{}"{}>{}</text>)", round(x), round(y),
            size, hex(color), more, svg_escaped(said));
    }
    // Thousandths of a unit are finer than any printer's resolution.
    static double round(double v) { return std::round(v * 1000) / 1000; }
    double x_of(double column) const { return left_ + column / kColumns; }
    double x_of(Nanos t) const { return x_of(std::clamp(view_.px_of(t), -1e5, view_.width + 1e5)); }
    double inside(double x) const { return std::clamp(x, left_, options_.width); }
    static double baseline(double y, double height, double size) {
        return y + height / 2 + size * 0.35;
    }

    void bands() {
        for (const GroupBox& group : layout_.groups) {
            const double height = layout_.rows[group.head_row].height;
            rect(0, top_ + group.y, options_.width, height,
                 hex(mixed(colors_.bg, colors_.line, 0.4)));
        }
    }

    void ruler() {
        const RulerScale scale = ruler_scale(view_, trace_.origin, 100 * kColumns, 8 * kColumns);
        std::vector<RulerTick> ticks;
        place_ticks(view_, trace_.origin, scale, ticks);
        const std::string grid = hex(mixed(colors_.bg, colors_.line, 0.75));
        for (const RulerTick& tick : ticks) {
            const double x = x_of(tick.x);
            if (x < left_ || x > options_.width) continue;
            const double length = tick.major ? 8 : 4;
            rect(x, kRuler - length, 1, length, hex(tick.major ? colors_.line2 : colors_.line));
            if (!tick.major) continue;
            rect(x, top_, 1, layout_.height, grid);
            const std::string label = tick_label(tick.time, trace_.origin, scale);
            if (x + 6 + static_cast<double>(label.size()) * kSmallText * kLetter < options_.width)
                text(x + 6, baseline(0, kRuler, kSmallText), kSmallText, colors_.mid, label);
        }
        text(14, baseline(0, kRuler, kSmallText), kSmallText, colors_.low,
             format_duration(options_.range.length()) + " in view");
    }

    void rows() {
        for (const RowItems& row : items_->rows) {
            const LayoutRow& place = layout_.rows[row.row];
            const double y = top_ + place.y;
            runs(row, y, place.height);
            slices(row, y, place.height);
            instants(row, y, place.height);
            if (row.point_begin != row.point_end) curve(row, y, place.height);
        }
    }

    // Draws idle spans below the slices, in the rows that have some.
    void idle() {
        if (!options_.idle) return;
        const IdleLook window = dead_window_look(options_.theme);
        put(R"(<defs><pattern id="dead" width="8" height="8" patternUnits="userSpaceOnUse">)"
            R"(<rect x="0" y="0" width="8" height="8" fill="{}"/>)"
            R"(<path d="M-2 2l4-4M0 8l8-8M6 10l4-4" stroke="{}" stroke-width="1.25"/></pattern></defs>)",
            hex(window.fill), hex(window.line));
        std::vector<uint32_t> found;
        for (const RowItems& items : items_->rows) {
            const LayoutRow& place = layout_.rows[items.row];
            const IdleRow* const row = place.kind == RowKind::slices
                                           ? options_.idle->row(items.lane, place.depth)
                                           : nullptr;
            // A partly shown lane has other rows than the trace's lane.
            if (!row || (index_->shown && index_->shown->lanes[items.lane])) continue;
            const bool gaps = !row->causes.empty();
            const double least = (gaps ? kTintFrom : kHatchFrom) * kColumns * view_.nanos_per_px();
            find_spans(*row, view_.range(), static_cast<Nanos>(std::ceil(least)), kMostIdle, found);
            for (const uint32_t i : found)
                idle_span(row->spans[i], gaps ? &row->causes[i] : nullptr, place);
        }
    }

    // `cause`: of a stream's gap; null for a dead window.
    void idle_span(TimeRange span, const GapCause* cause, const LayoutRow& row) {
        const double x0 = inside(x_of(span.begin));
        const double x1 = inside(x_of(span.end));
        const double y = top_ + row.y;
        const IdleLook look =
            cause ? gap_look(options_.theme, *cause) : dead_window_look(options_.theme);
        rect(x0, y, x1 - x0, row.height, cause ? hex(look.fill) : "url(#dead)");
        const auto fits = [&](std::string_view said) { return wide(said) <= x1 - x0 - 12; };
        std::string said = format_duration(span.length());
        if (!fits(said)) return;
        if (cause) {
            const std::string longer = said + " · " + std::string(short_cause(*cause));
            if (fits(longer)) said = longer;
        }
        // The hatching leaves out the letters.
        text((x0 + x1) / 2, baseline(y, row.height, kText), kText, look.text, said,
             fmt::format(R"( text-anchor="middle" paint-order="stroke" stroke="{}" )"
                         R"(stroke-width="3")",
                         hex(look.fill)));
    }

    static double wide(std::string_view said) {
        const auto letters = std::ranges::count_if(said, [](char c) { return (c & 0xC0) != 0x80; });
        return static_cast<double>(letters) * kText * kLetter;
    }

    // Merges neighbouring columns of one colour into one rectangle.
    void runs(const RowItems& row, double y, double height) {
        const StripImage& strips = items_->strips;
        for (uint32_t i = row.run_begin; i < row.run_end; ++i) {
            const RunItem& run = items_->runs[i];
            const uint32_t* line = strips.texels.data() + std::size_t{strips.width} * row.strip;
            for (int32_t x = run.x0; x < run.x1;) {
                int32_t end = x + 1;
                while (end < run.x1 && line[end] == line[x]) ++end;
                rect(x_of(static_cast<double>(x)), y, (end - x) / kColumns, height, hex(line[x]));
                x = end;
            }
        }
    }

    void slices(const RowItems& row, double y, double height) {
        for (uint32_t i = row.rect_begin; i < row.rect_end; ++i) {
            const RectItem& item = items_->rects[i];
            const SlotLook& look = palette_.looks[item.slot];
            const double x0 = inside(x_of(static_cast<double>(item.x0)));
            double x1 = inside(x_of(static_cast<double>(item.x1)));
            if (x1 - x0 >= 4) x1 -= 1;
            seen_[item.slot] = true;
            std::string more;
            if (x1 - x0 >= 6) more = R"( rx="2")";
            if (look.edge != look.fill)
                more += fmt::format(R"( stroke="{}" stroke-width="0.75")", hex(look.edge));
            rect(x0, y, std::max(x1 - x0, 0.25), height, hex(look.fill), more);
        }
        for (uint32_t i = row.label_begin; i < row.label_end; ++i)
            label(row, items_->labels[i], y, height);
    }

    // A text that is slightly too long is clipped by a nested document.
    void label(const RowItems& row, const LabelItem& label, double y, double height) {
        const RectItem& item = items_->rects[label.rect];
        const SliceRef slice{row.lane, item.slice};
        const double width = static_cast<double>(label.width) / kColumns;
        const std::string said = cut(short_name(trace_, slice), width, kText);
        if (said.empty()) return;
        put(R"(<svg x="{:g}" y="{:g}" width="{:g}" height="{:g}">)",
            round(x_of(static_cast<double>(label.x))), y, round(width), height);
        text(0, baseline(0, height, kText), kText, palette_.looks[item.slot].text, said);
        out_ += "</svg>\n";
    }

    void instants(const RowItems& row, double y, double height) {
        for (uint32_t i = row.tick_begin; i < row.tick_end; ++i) {
            const TickItem& tick = items_->ticks[i];
            const double x = x_of(static_cast<double>(tick.x));
            const Color color = palette_.looks[tick.slot].mark;
            put(R"(<path d="M{:g} {:g}h6l-3 4v{:g}h-0.5v-{:g}z" fill="{}"/>)", round(x - 3), y,
                height - 4, height - 4, hex(color));
        }
    }

    void curve(const RowItems& row, double y, double height) {
        const Color mark = slice_mark(options_.theme, EventClass::runtime);
        const double base = y + height;
        const auto y_of = [&](float value) {
            return round(base - 1 - static_cast<double>(value) * (height - kCurveLabel - 1));
        };
        std::string path;
        const double first = inside(x_of(static_cast<double>(items_->points[row.point_begin].x)));
        for (uint32_t i = row.point_begin; i < row.point_end; ++i) {
            const CurvePoint& point = items_->points[i];
            const double x = inside(x_of(static_cast<double>(point.x)));
            if (i == row.point_begin)
                path += fmt::format("M{:g} {:g}", round(x), y_of(point.last));
            else
                path += fmt::format("H{:g}", round(x));
            if (point.max > point.last) path += fmt::format("V{:g}", y_of(point.max));
            if (point.min < point.last) path += fmt::format("V{:g}", y_of(point.min));
            path += fmt::format("V{:g}", y_of(point.last));
        }
        path += fmt::format("H{:g}", options_.width);
        put(R"(<path d="{}V{:g}H{:g}Z" fill="{}"/>)", path, base, round(first),
            hex(mixed(colors_.bg, mark, 0.22)));
        put(R"(<path d="{}" fill="none" stroke="{}"/>)", path, hex(mark));
        text(left_ + 8, y + kSmallText, kSmallText, colors_.low,
             "max " + format_counter(trace_, row.lane, row.value_max));
    }

    // Draws the flows into and out of the selected slice.
    void flows() {
        if (!options_.selected) return;
        std::vector<std::pair<SliceRef, SliceRef>> pairs;
        for (const Link& link : links_from(trace_, options_.selected))
            pairs.emplace_back(options_.selected, link.to);
        for (const uint32_t index : links_to(trace_, options_.selected))
            pairs.emplace_back(trace_.links[index].from, options_.selected);
        if (pairs.size() > kMostFlows) pairs.resize(kMostFlows);
        for (const auto& [from, to] : pairs) flow(from, to);
    }

    void flow(SliceRef from, SliceRef to) {
        const SlicePlace a = place_of(trace_, layout_, view_, from);
        const SlicePlace b = place_of(trace_, layout_, view_, to);
        if (a.row == LaneLayout::none || b.row == LaneLayout::none) return;
        const double ax = x_of(std::clamp(a.x0, -1e5, 1e5));
        const double bx = x_of(std::clamp(b.x0, -1e5, 1e5));
        if (std::max(ax, bx) < left_ || std::min(ax, bx) > options_.width) return;
        const LayoutRow& above = layout_.rows[a.row];
        const LayoutRow& below = layout_.rows[b.row];
        const bool down = below.y >= above.y;
        const double x0 = std::min(ax + 3, x_of((a.x0 + a.x1) / 2));
        const double x1 = std::min(bx + 2, x_of((b.x0 + b.x1) / 2));
        const double y0 = top_ + above.y + (down ? above.height - 4 : 4);
        const double y1 = top_ + below.y + (down ? 0 : below.height);
        const double head = down ? -5 : 5;
        put(R"(<path class="flow" d="M{0:g} {1:g}C{0:g} {2:g} {3:g} {2:g} {3:g} {4:g}" fill="none" )"
            R"(stroke="{5}" stroke-width="1.6"/>)",
            round(x0), y0, (y0 + y1) / 2, round(x1), y1, hex(colors_.accent));
        put(R"(<circle cx="{:g}" cy="{:g}" r="2.6" fill="{}"/>)", round(x0), y0,
            hex(colors_.accent));
        put(R"(<path d="M{:g} {:g}l-3 {:g}h6z" fill="{}"/>)", round(x1), y1, head,
            hex(colors_.accent));
    }

    void selection() {
        if (!options_.selected) return;
        const SlicePlace place = place_of(trace_, layout_, view_, options_.selected);
        if (place.row == LaneLayout::none) return;
        const LayoutRow& row = layout_.rows[place.row];
        const double x0 = inside(x_of(place.x0));
        const double x1 = inside(x_of(place.x1));
        put(R"(<rect x="{:g}" y="{:g}" width="{:g}" height="{:g}" rx="2" fill="none" stroke="{}" )"
            R"(stroke-width="1.5"/>)",
            round(x0 - 0.75), top_ + row.y - 0.75, round(std::max(1.0, x1 - x0)) + 1.5,
            row.height + 1.5, hex(colors_.hi));
    }

    void notes() {
        for (std::size_t i = 0; i < options_.notes.size(); ++i) {
            const SvgNote& note = options_.notes[i];
            const double x0 = x_of(note.time.begin);
            const double x1 = x_of(note.time.end);
            if (x1 < left_ || x0 > options_.width) continue;
            const double from = inside(x0);
            if (x1 > x0)
                rect(from, top_, inside(x1) - from, layout_.height, hex(colors_.mid),
                     R"( fill-opacity="0.1")");
            for (const double x : {x0, x1})
                if (x >= left_ && x <= options_.width)
                    rect(x, top_, 1, layout_.height, hex(colors_.mid));
            double room = std::min(280.0, options_.width - from);
            if (i + 1 < options_.notes.size())
                room = std::min(room, inside(x_of(options_.notes[i + 1].time.begin)) - from);
            const std::string said =
                cut(std::to_string(i + 1) + "  " + note.text, room - 12, kText);
            if (said.empty()) continue;
            const double width =
                std::min(room, static_cast<double>(said.size()) * kText * kLetter + 12);
            rect(from, top_ + 2, width, 18, hex(colors_.raised),
                 fmt::format(R"( rx="3" stroke="{}")", hex(colors_.line2)));
            text(from + 6, baseline(top_ + 2, 18, kText), kText, colors_.hi, said);
        }
    }

    // Draws the distances between consecutive marks, as the window does.
    void distances() {
        const SvgNote* mark = nullptr;  // the one before
        for (const SvgNote& note : options_.notes) {
            if (note.time.length() > 0) continue;
            if (mark && mark->time.begin < note.time.begin)
                distance({mark->time.begin, note.time.begin});
            mark = &note;
        }
    }

    // A line with arrows at its visible ends, labelled with its length.
    void distance(TimeRange time) {
        const double from = x_of(time.begin);
        const double to = x_of(time.end);
        if (from > options_.width || to < left_ || (from < left_ && to > options_.width)) return;
        const double x0 = inside(from);
        const double x1 = inside(to);
        const std::string said = format_duration_exact(time.length());
        const double width = wide(said);
        if (x1 - x0 < width + 24) return;
        const double y = top_ + kDistanceBelow;
        const std::string color = hex(colors_.mid);
        rect(x0, y - 0.5, x1 - x0, 1, color, R"( class="distance")");
        if (from >= left_)
            put(R"(<path d="M{:g} {:g}l6.4 -4v8z" fill="{}"/>)", round(x0 + 1), y, color);
        if (to <= options_.width)
            put(R"(<path d="M{:g} {:g}l-6.4 -4v8z" fill="{}"/>)", round(x1), y, color);
        const double middle = (x0 + x1) / 2;
        rect(middle - width / 2 - 6, y - 8, width + 12, 16, hex(colors_.raised), R"( rx="3")");
        text(middle, baseline(y - 8, 16, kSmallText), kSmallText, colors_.hi, said,
             R"( text-anchor="middle")");
    }

    static std::string class_name(const SliceClass& of) {
        if (of.color.scale == ColorScale::event_class)
            return std::string(event_class_name(static_cast<EventClass>(of.color.step)));
        return cut(of.name, 220, kSmallText);
    }

    std::string detail_of(const GroupBox& group) const {
        std::string line = group.detail;
        if (!options_.idle || group.process >= options_.idle->device_lines.size()) return line;
        const std::string& busy = options_.idle->device_lines[group.process];
        return line + (line.empty() || busy.empty() ? "" : " · ") + busy;
    }

    void heads() {
        for (const GroupBox& group : layout_.groups) {
            const double height = layout_.rows[group.head_row].height;
            const double y = baseline(top_ + group.y, height, kText);
            text(12, y, kText, colors_.hi, cut(group.name, left_ - 20, kText),
                 R"( font-weight="500")");
            text(left_ + 8, y, kSmallText, colors_.low, detail_of(group));
        }
        for (const LaneBox& lane : layout_.lanes) {
            const double y = top_ + lane.y;
            rect(0, y + lane.height - 1, left_, 1, hex(colors_.line));
            const bool one_line = lane.height < 30;
            text(26, one_line ? baseline(y, lane.height, kText) : y + 15, kText, colors_.mid,
                 cut(lane.name, left_ - 34, kText));
            if (!one_line)
                text(26, y + 29, kSmallText, colors_.low, cut(lane.detail, left_ - 34, kSmallText));
        }
        rect(left_ - 1, 0, 1, top_ + layout_.height, hex(colors_.line));
        rect(0, kRuler - 1, options_.width, 1, hex(colors_.line));
    }

    // Classes that do not fit beside the title are counted.
    void legend() {
        const double y = top_ + layout_.height + kMargin;
        const double most = options_.width * 0.7;
        double x = 12;
        auto left = std::ranges::count(seen_, true);
        for (std::size_t i = 0; i < seen_.size(); ++i) {
            if (!seen_[i]) continue;
            const std::string name = class_name(index_->classes->classes[i]);
            const double width = static_cast<double>(name.size()) * kSmallText * kLetter + 44;
            if (x + width > most && left > 1) {
                text(x, baseline(y, 18, kSmallText), kSmallText, colors_.low,
                     fmt::format("and {} more", left));
                x += 80;
                break;
            }
            const SlotLook& look = palette_.looks[i];
            rect(x, y + 3, 18, 12, hex(look.fill),
                 fmt::format(R"( rx="2" stroke="{}" stroke-width="0.75")", hex(look.edge)));
            text(x + 24, baseline(y, 18, kSmallText), kSmallText, colors_.mid, name);
            x += width;
            --left;
        }
        const std::string title = cut(options_.title, options_.width - x - 12, kSmallText);
        text(options_.width - 12, baseline(y, 18, kSmallText), kSmallText, colors_.low, title,
             R"( text-anchor="end")");
    }

    const ViewIndexPtr& index_;
    const Trace& trace_;
    const LaneLayout& layout_;
    const SvgOptions& options_;
    const ThemeColors& colors_;
    Palette palette_;
    std::vector<bool> seen_;  // by slot
    double left_;
    double top_;
    double height_;
    Viewport view_;
    Culler culler_;
    const DrawItems* items_ = nullptr;
    std::string out_;
};

}  // namespace

std::string timeline_svg(const ViewIndexPtr& index, const LaneLayout& layout,
                         const SvgOptions& options) {
    return SvgWriter(index, layout, options).write();
}

}  // namespace lanescope
