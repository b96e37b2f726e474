#include "core/export/pictures/roofline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

#include "core/base/format.h"
#include "core/export/pictures/svg_text.h"

namespace lanescope {

namespace {

constexpr double kLeft = 92;
constexpr double kRight = 16;
constexpr double kTop = 36;
constexpr double kBottom = 52;
constexpr double kLine = 15;

class RooflineDrawing {
  public:
    RooflineDrawing(const Trace& trace, const RooflinePoints& points, const RooflineFrame& frame,
                    const RooflineSvgOptions& options)
        : trace_(trace),
          points_(points),
          frame_(frame),
          options_(options),
          colors_(theme_colors(options.theme)) {}

    std::string draw() {
        out_.put(
            R"(<svg data-generator="lanescope" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" )"
            R"(font-family="Roboto, Helvetica, Arial, sans-serif" font-size="12">)",
            options_.width, options_.height);
        out_.put("<title>{}</title>", svg_escaped(options_.title));
        out_.put(R"(<rect width="{}" height="{}" fill="{}"/>)", options_.width, options_.height,
                 svg_color(colors_.bg));
        text(kLeft, 20, options_.title, colors_.hi);
        axes();
        out_.put(R"(<clipPath id="plot"><rect x="{}" y="{}" width="{}" height="{}"/></clipPath>)",
                 kLeft, kTop, options_.width - kLeft - kRight, options_.height - kTop - kBottom);
        out_.put(R"--(<g clip-path="url(#plot)">)--");
        for (const Roof& roof : points_.roofs) roof_lines(roof);
        dots();
        out_.put("</g>");
        names();
        legend();
        out_.put("</svg>");
        return out_.take();
    }

  private:
    double x_of(double intensity) const {
        return kLeft + std::log(intensity / frame_.intensity_min) /
                           std::log(frame_.intensity_max / frame_.intensity_min) *
                           (options_.width - kLeft - kRight);
    }
    double y_of(double rate) const {
        return options_.height - kBottom -
               std::log(rate / frame_.rate_min) / std::log(frame_.rate_max / frame_.rate_min) *
                   (options_.height - kTop - kBottom);
    }
    void text(double x, double y, std::string_view says, Color color,
              std::string_view anchor = "start") {
        out_.put(R"(<text x="{:.1f}" y="{:.1f}" fill="{}" text-anchor="{}">{}</text>)", x, y,
                 svg_color(color), anchor, svg_escaped(says));
    }
    void line(double x0, double y0, double x1, double y1, Color color, double width) {
        out_.put(
            R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" stroke-width="{}"/>)",
            x0, y0, x1, y1, svg_color(color), width);
    }

    // The powers of ten between two numbers.
    static std::vector<double> decades(double min, double max) {
        std::vector<double> ticks;
        for (int power = static_cast<int>(std::ceil(std::log10(min))); std::pow(10, power) <= max;
             ++power)
            ticks.push_back(std::pow(10, power));
        return ticks;
    }

    void axes() {
        const double bottom = options_.height - kBottom;
        const double right = options_.width - kRight;
        for (const double tick : decades(frame_.intensity_min, frame_.intensity_max)) {
            line(x_of(tick), kTop, x_of(tick), bottom, colors_.line, 1);
            text(x_of(tick), bottom + 18, format_number(tick), colors_.mid, "middle");
        }
        for (const double tick : decades(frame_.rate_min, frame_.rate_max)) {
            line(kLeft, y_of(tick), right, y_of(tick), colors_.line, 1);
            text(kLeft - 8, y_of(tick) + 4, format_si(tick, "FLOP/s"), colors_.mid, "end");
        }
        text((kLeft + right) / 2, bottom + 38, "operations a byte", colors_.low, "middle");
    }

    void roof_lines(const Roof& roof) {
        const auto corners = roof_line(points_, roof, frame_);
        for (std::size_t i = 1; i < corners.size(); ++i)
            line(x_of(corners[i - 1].intensity), y_of(corners[i - 1].rate),
                 x_of(corners[i].intensity), y_of(corners[i].rate), colors_.mid, 1.5);
    }

    // Names of roofs that are close to each other are placed below each other.
    void names() {
        std::vector<double> lines;
        for (const Roof& roof : points_.roofs)
            lines.push_back(y_of(roof_at(points_, roof, frame_.intensity_max)));
        const std::vector<double> tops = label_tops(lines, kTop, kLine);
        for (std::size_t i = 0; i < lines.size(); ++i)
            text(options_.width - kRight - 4, tops[i] + kLine - 4,
                 roof_label(points_, points_.roofs[i]), colors_.mid, "end");
    }

    void dots() {
        const Nanos all = time_of_points(points_);
        for (const RooflinePoint& point : points_.points) {
            const Color color = slice_mark(options_.theme, class_of_bound(point.bound));
            out_.put(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}" fill="{}" fill-opacity="0.45" )"
                     R"(stroke="{}"><title>{}</title></circle>)",
                     x_of(point.intensity), y_of(point.flop_per_s),
                     roofline_radius(point.time, all), svg_color(color), svg_color(color),
                     svg_escaped(roofline_point_text(trace_, points_, point)));
        }
    }

    void legend() {
        double x = options_.width - kRight - 4;
        constexpr std::array kFromTheRight = {WorkBound::unknown, WorkBound::latency,
                                              WorkBound::memory, WorkBound::compute};
        for (const WorkBound bound : kFromTheRight) {
            const std::string_view name = work_bound_name(bound);
            text(x, 20, name, colors_.mid, "end");
            x -= 7.0 * static_cast<double>(name.size()) + 10;
            out_.put(R"(<circle cx="{:.1f}" cy="16" r="4" fill="{}"/>)", x,
                     svg_color(slice_mark(options_.theme, class_of_bound(bound))));
            x -= 16;
        }
    }

    const Trace& trace_;
    const RooflinePoints& points_;
    RooflineFrame frame_;
    const RooflineSvgOptions& options_;
    const ThemeColors& colors_;
    SvgLines out_;
};

}  // namespace

std::string roofline_svg(const Trace& trace, const RooflinePoints& points,
                         const RooflineFrame& frame, const RooflineSvgOptions& options) {
    return RooflineDrawing(trace, points, frame, options).draw();
}

std::string roofline_point_text(const Trace& trace, const RooflinePoints& points,
                                const RooflinePoint& point) {
    std::string text(trace.strings[point.name]);
    if (point.dims != 0) {
        std::string buffer;
        text += "\n" + std::string(spelled_shapes(trace, point.dims, buffer));
    }
    text += fmt::format("\n{} {}, {} in all", format_count(point.calls),
                        point.calls == 1 ? "call" : "calls", format_duration(point.time));
    text += fmt::format("\n{} at {} operations a byte", format_si(point.flop_per_s, "FLOP/s"),
                        format_number(point.intensity));
    if (point.roof == kNoRow) return text + "\nits peak is not known";
    const Roof& roof = points.roofs[point.roof];
    const double allowed = roof_at(points, roof, point.intensity);
    const bool by_memory = allowed < roof.flop_per_s;
    const char* const mark =
        (by_memory ? points.devices[roof.device].uncertain : roof.uncertain) ? "?" : "";
    text += fmt::format(
        "\n{}{} of the {}{} that {} allows here", format_percent(point.flop_per_s / allowed), mark,
        format_si(allowed, "FLOP/s"), mark, by_memory ? "memory" : spec_name(roof.spec));
    text += "\nbound by " + std::string(work_bound_name(point.bound));
    if (point.bound == WorkBound::unknown) text += ": no floor";
    return text;
}

}  // namespace lanescope
