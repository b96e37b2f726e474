#include "core/export/pictures/traces_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/export/pictures/svg_text.h"
#include "core/pictures/traces_picture.h"

namespace lanescope {

namespace {

constexpr double kTracesMargin = 16;
constexpr double kFiguresHead = 44;
constexpr double kFigureRow = 34;
constexpr double kColumn = 116;
constexpr double kApart = 14;
constexpr double kBar = 5;
constexpr double kFigureLetter = 6.6;  // mean width of a letter, if the font cannot be measured

// The width of the longest text of some items, and at least `min_room`.
template <typename Items, typename GetText>
double room_for(const Items& items, double min_room, const GetText& get_text) {
    double room = min_room;
    for (const auto& item : items)
        room = std::max(
            room, kFigureLetter * static_cast<double>(std::string_view(get_text(item)).size()));
    return room;
}

class FiguresDrawing {
  public:
    FiguresDrawing(std::span<const TraceFigures> traces, Theme theme)
        : traces_(traces),
          theme_(theme),
          colors_(theme_colors(theme)),
          columns_(trace_bars(traces)),
          names_(room_for(traces, 40, [](const TraceFigures& t) { return t.name; })) {}

    std::string draw() {
        double width = kTracesMargin * 2 + names_;
        for (const TraceBars& column : columns_) width += kApart + width_of(column);
        const double height =
            kFiguresHead + kFigureRow * static_cast<double>(traces_.size()) + kTracesMargin;
        out_.put(
            R"(<svg data-generator="lanescope" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" )"
            R"(height="{1:.0f}" font-family="Roboto, Helvetica, Arial, sans-serif" font-size="12">)",
            width, height);
        out_.put("<title>Traces side by side</title>");
        out_.put(R"(<rect width="{:.0f}" height="{:.0f}" fill="{}"/>)", width, height,
                 svg_color(colors_.bg));
        heads(width);
        for (std::size_t i = 0; i < traces_.size(); ++i) row(i);
        out_.put("</svg>");
        return out_.take();
    }

  private:
    void text(double x, double y, std::string_view says, Color color, std::string_view anchor) {
        out_.put(R"(<text x="{:.1f}" y="{:.1f}" fill="{}" text-anchor="{}">{}</text>)", x, y,
                 svg_color(color), anchor, svg_escaped(says));
    }
    double width_of(const TraceBars& column) const {
        return room_for(column.bars, kColumn, [](const TraceBar& bar) { return bar.text; });
    }

    void heads(double width) {
        double x = kTracesMargin + names_;
        for (const TraceBars& column : columns_) {
            x += kApart + width_of(column);
            text(x, 24, column.title, colors_.low, "end");
        }
        out_.put(R"(<line x1="{}" y1="34" x2="{:.1f}" y2="34" stroke="{}"/>)", kTracesMargin,
                 width - kTracesMargin, svg_color(colors_.line));
    }

    void bar(const TraceBar& bar, double x, double y, double width) {
        const Color mark = slice_mark(theme_, EventClass::kernel);
        if (bar.part <= 0) return;
        out_.put(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}" fill="{}"/>)", x, y,
                 width * bar.part, kBar, svg_color(mark));
        if (bar.margin <= 0) return;
        const double from = x + width * std::max(0.0, bar.part - bar.margin);
        const double to = x + width * std::min(1.0, bar.part + bar.margin);
        const double middle = y + kBar / 2;
        out_.put(
            R"(<path d="M{0:.1f} {1:.1f}H{2:.1f}M{0:.1f} {3:.1f}v6M{2:.1f} {3:.1f}v6" stroke="{4}"/>)",
            from, middle, to, middle - 3, svg_color(colors_.hi));
    }

    void row(std::size_t i) {
        const double y = kFiguresHead + kFigureRow * static_cast<double>(i);
        out_.put("<g><title>{}</title>", svg_escaped(trace_text(traces_[i])));
        text(kTracesMargin, y + 12, traces_[i].name, colors_.hi, "start");
        double x = kTracesMargin + names_;
        for (const TraceBars& column : columns_) {
            x += kApart;
            const double width = width_of(column);
            text(x + width, y + 12, column.bars[i].text, colors_.hi, "end");
            bar(column.bars[i], x, y + 18, width);
            x += width;
        }
        out_.put("</g>");
    }

    std::span<const TraceFigures> traces_;
    Theme theme_;
    const ThemeColors& colors_;
    std::vector<TraceBars> columns_;
    double names_;  // width of their column
    SvgLines out_;
};

}  // namespace

std::string traces_svg(std::span<const TraceFigures> traces, Theme theme) {
    return FiguresDrawing(traces, theme).draw();
}

}  // namespace lanescope
