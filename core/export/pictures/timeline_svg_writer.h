// SvgWriter: writes a view of the timeline as an SVG document. timeline_svg.cpp has the frame and
// the heads, timeline_svg_rows.cpp what is in the lanes, timeline_svg_marks.cpp what is above them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/export/pictures/svg_text.h"
#include "core/export/pictures/timeline_svg.h"
#include "core/view/cull.h"

namespace lanescope {

class SvgWriter {
  public:
    SvgWriter(const ViewIndexPtr& index, const LaneLayout& layout, const SvgOptions& options);

    std::string write();

  private:
    static constexpr double kText = 12;
    static constexpr double kSmallText = 11;
    // Columns per unit: anything narrower than half a column is merged into one.
    static constexpr double kColumns = 2;
    // Average width of a letter of Roboto and Helvetica in names of code, in em. Texts are cut by
    // this width and clipped to their slice, so a wider font cannot overlap other slices.
    static constexpr double kLetter = 0.54;

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
    // Rounds to thousandths of a unit. Printers do not resolve smaller differences.
    static double round(double v) { return std::round(v * 1000) / 1000; }
    double x_of(double column) const { return left_ + column / kColumns; }
    double x_of(Nanos t) const { return x_of(std::clamp(view_.px_of(t), -1e5, view_.width + 1e5)); }
    double inside(double x) const { return std::clamp(x, left_, options_.width); }
    static double baseline(double y, double height, double size) {
        return y + height / 2 + size * 0.35;
    }

    // Cuts a text with an ellipsis to about `width`, at a whole UTF-8 character.
    static std::string cut(std::string_view text, double width, double size);
    static double wide(std::string_view said);  // the approximate width of a label
    static std::string hex(Color c) { return svg_color(c); }
    static std::string hex(uint32_t packed) {
        return fmt::format("#{:02x}{:02x}{:02x}", packed & 0xFF, packed >> 8 & 0xFF,
                           packed >> 16 & 0xFF);
    }

    void bands();
    void ruler();
    void rows();
    // Draws idle spans below the slices, in the rows that have some.
    void idle();
    // `cause`: of a stream's gap; null for a dead window.
    void idle_span(TimeRange span, const GapCause* cause, const LayoutRow& row);
    // Merges neighbouring columns of one colour into one rectangle.
    void runs(const RowItems& row, double y, double height);
    void slices(const RowItems& row, double y, double height);
    // A text that is slightly too long is clipped by a nested document.
    void label(const RowItems& row, const LabelItem& label, double y, double height);
    void instants(const RowItems& row, double y, double height);
    void curve(const RowItems& row, double y, double height);
    // Draws the flows into and out of the selected slice.
    void flows();
    void flow(SliceRef from, SliceRef to);
    void selection();
    void notes();
    // Draws the distances between consecutive marks, as the window does.
    void distances();
    // A line with arrows at its visible ends, labelled with its length.
    void distance(TimeRange time);
    void heads();
    // Classes that do not fit beside the title are counted.
    void legend();
    static std::string class_name(const SliceClass& slice_class);
    std::string detail_of(const GroupBox& group) const;

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

}  // namespace lanescope
