#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>

#include "core/base/format.h"
#include "core/export/flame_writer.h"
#include "core/export/svg_text.h"
#include "core/view/flame_layout.h"

namespace lanescope {

namespace {

constexpr double kRow = 18;
constexpr double kHead = 32;
constexpr double kMargin = 10;
constexpr double kLetter = 6.3;     // mean width of a letter at this size of text
constexpr double kLeastBox = 0.25;  // a browser can zoom into narrow boxes
constexpr double kLeastText = 24;

class FlamePicture {
  public:
    FlamePicture(const Trace& trace, const FlameTree& tree, const FlameSvgOptions& options)
        : trace_(trace), tree_(tree), options_(options), colors_(theme_colors(options.theme)) {}

    std::string draw() {
        const FlameLayout layout =
            lay_out_flames(tree_, 0, options_.width - 2 * kMargin, kLeastBox);
        const double height = kHead + kRow * std::max<double>(layout.row_count(), 1) + kMargin;
        out_.put(
            R"(<svg data-generator="lanescope" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" )"
            R"(font-family="Roboto, Helvetica, Arial, sans-serif" font-size="11">)",
            options_.width, height);
        out_.put("<title>{}</title>", svg_escaped(options_.title));
        out_.put(R"(<rect width="{}" height="{}" fill="{}"/>)", options_.width, height,
                 svg_color(colors_.bg));
        out_.put(R"(<text x="{}" y="20" font-size="13" fill="{}">{}</text>)", kMargin,
                 svg_color(colors_.hi), svg_escaped(options_.title));
        out_.put(R"(<text x="{}" y="20" fill="{}" text-anchor="end">{}</text>)",
                 options_.width - kMargin, svg_color(colors_.mid),
                 flame_weight_text(tree_.weight, tree_.root().total));
        for (const FlameBox& box : layout.boxes) draw_box(box);
        out_.put("</svg>");
        return out_.take();
    }

  private:
    void draw_box(const FlameBox& box) {
        const FlameNode& node = tree_.nodes[box.node];
        const FlameFrame& frame = tree_.frames[node.frame];
        const double x = kMargin + box.x0;
        const double y = kHead + kRow * box.row;
        const double width = box.x1 - box.x0;
        const double gap = width > 3 ? 1 : 0;
        if (box.count > 1) {
            out_.put(
                R"(<rect x="{:.2f}" y="{:.1f}" width="{:.2f}" height="{}" fill="{}"><title>{}</title></rect>)",
                x, y, width, kRow - 1, svg_color(colors_.line2),
                format_count(box.count, "call", "calls, each too short to be drawn"));
            return;
        }
        const SlotLook look = look_of(options_.theme, flame_color(trace_, tree_, frame));
        std::string title(frame_text(trace_, frame));
        for (const std::string& fact : flame_facts(tree_, node)) title += "\n" + fact;
        out_.put(
            R"(<g><title>{}</title><rect x="{:.2f}" y="{:.1f}" width="{:.2f}" height="{}" rx="2" fill="{}"/>)",
            escaped_lines(title), x, y, width - gap, kRow - 1, svg_color(look.fill));
        if (width > kLeastText) {
            const std::string label = cut(flame_label(trace_, frame), (width - 8) / kLetter);
            out_.put(R"(<text x="{:.2f}" y="{:.1f}" fill="{}">{}</text>)", x + 4, y + 12.5,
                     svg_color(look.text), svg_escaped(label));
        }
        out_.put("</g>");
    }

    // svg_escaped() replaces line breaks, which separate the lines of a title.
    static std::string escaped_lines(const std::string& text) {
        std::string out;
        for (std::size_t at = 0; at <= text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            out += (at == 0 ? "" : "\n") + svg_escaped(std::string_view(text).substr(at, end - at));
            at = end + 1;
        }
        return out;
    }

    static std::string cut(const std::string& text, double letters) {
        const auto most = static_cast<std::size_t>(std::max(letters, 0.0));
        std::size_t at = 0;
        std::size_t count = 0;
        while (at < text.size() && count < most) {
            do ++at;
            while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80);
            ++count;
        }
        if (at == text.size()) return text;
        return most < 3 ? std::string() : text.substr(0, character_at(text, at - 1)) + "…";
    }

    const Trace& trace_;
    const FlameTree& tree_;
    const FlameSvgOptions& options_;
    const ThemeColors& colors_;
    SvgLines out_;
};

}  // namespace

std::string flame_svg(const Trace& trace, const FlameTree& tree, const FlameSvgOptions& options) {
    return FlamePicture(trace, tree, options).draw();
}

}  // namespace lanescope
