// Draws the contents of lanes: slices, runs of short slices, instants, curves and idle spans.
#include "core/base/format.h"
#include "core/export/pictures/timeline_svg_writer.h"
#include "core/trace/short_name.h"

namespace lanescope {

namespace {

constexpr double kCurveLabel = 14;  // free space above a curve
// Narrower idle spans are not drawn, as in the window.
constexpr double kHatchFrom = 40;
constexpr double kTintFrom = 8;
constexpr std::size_t kMaxIdleSpans = 400;  // maximum number in a row

}  // namespace

void SvgWriter::rows() {
    for (const RowItems& row : items_->rows) {
        const LayoutRow& place = layout_.rows[row.row];
        const double y = top_ + place.y;
        runs(row, y, place.height);
        slices(row, y, place.height);
        instants(row, y, place.height);
        if (row.point_begin != row.point_end) curve(row, y, place.height);
    }
}

void SvgWriter::idle() {
    if (!options_.idle) return;
    const IdleLook window = dead_window_look(options_.theme);
    put(R"(<defs><pattern id="dead" width="8" height="8" patternUnits="userSpaceOnUse">)"
        R"(<rect x="0" y="0" width="8" height="8" fill="{}"/>)"
        R"(<path d="M-2 2l4-4M0 8l8-8M6 10l4-4" stroke="{}" stroke-width="1.25"/></pattern></defs>)",
        hex(window.fill), hex(window.line));
    std::vector<uint32_t> found;
    for (const RowItems& items : items_->rows) {
        const LayoutRow& place = layout_.rows[items.row];
        if (place.kind != RowKind::slices) continue;
        // A partly shown lane has other rows than the trace's lane.
        const bool partly = index_->shown && index_->shown->lanes[items.lane];
        const IdleRow* const row = !partly ? options_.idle->row(items.lane, place.depth)
                                   : options_.shown_idle
                                       ? options_.shown_idle->row(items.lane, place.depth)
                                       : nullptr;
        if (!row) continue;
        const bool gaps = !row->causes.empty();
        const double min_length = (gaps ? kTintFrom : kHatchFrom) * kColumns * view_.nanos_per_px();
        find_spans(*row, view_.range(), static_cast<Nanos>(std::ceil(min_length)), kMaxIdleSpans,
                   found);
        for (const uint32_t i : found)
            idle_span(row->spans[i], gaps ? &row->causes[i] : nullptr, place);
    }
}

void SvgWriter::idle_span(TimeRange span, const GapCause* cause, const LayoutRow& row) {
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

void SvgWriter::runs(const RowItems& row, double y, double height) {
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

void SvgWriter::slices(const RowItems& row, double y, double height) {
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

void SvgWriter::label(const RowItems& row, const LabelItem& label, double y, double height) {
    const RectItem& item = items_->rects[label.rect];
    const SliceRef slice{row.lane, item.slice};
    const double width = static_cast<double>(label.width) / kColumns;
    const std::string name = slice_label(layout_.rows[row.row], short_name(trace_, slice));
    const std::string said = cut(name, width, kText);
    if (said.empty()) return;
    put(R"(<svg x="{:g}" y="{:g}" width="{:g}" height="{:g}">)",
        round(x_of(static_cast<double>(label.x))), y, round(width), height);
    text(0, baseline(0, height, kText), kText, palette_.looks[item.slot].text, said);
    out_ += "</svg>\n";
}

void SvgWriter::instants(const RowItems& row, double y, double height) {
    for (uint32_t i = row.tick_begin; i < row.tick_end; ++i) {
        const TickItem& tick = items_->ticks[i];
        const double x = x_of(static_cast<double>(tick.x));
        const Color color = palette_.looks[tick.slot].mark;
        put(R"(<path d="M{:g} {:g}h6l-3 4v{:g}h-0.5v-{:g}z" fill="{}"/>)", round(x - 3), y,
            height - 4, height - 4, hex(color));
    }
}

void SvgWriter::curve(const RowItems& row, double y, double height) {
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

}  // namespace lanescope
