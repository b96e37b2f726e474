#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "core/base/format.h"
#include "core/export/pictures/flame_writer.h"
#include "core/export/pictures/svg_text.h"
#include "core/pictures/flame_difference.h"
#include "core/pictures/flame_layout.h"

namespace lanescope {

namespace {

constexpr double kRow = 18;
constexpr double kHead = 32;
constexpr double kFlameLegend = 26;
constexpr double kMargin = 10;
constexpr double kLetter = 6.3;     // mean width of a letter at this size of text
constexpr double kLeastBox = 0.25;  // a browser can zoom into narrow boxes
constexpr double kLeastText = 24;

// The texts of a flame graph's boxes.
struct BoxTexts {
    std::string weight;  // of the whole, at the right of the title
    std::string_view one = "call", many = "calls, each too short to be drawn";
    std::function<std::string(uint32_t node)> label;
    std::function<std::string(uint32_t node)> title;  // lines
    std::function<ClassColor(uint32_t node)> color;
    std::vector<DifferenceBand> legend;
};

class FlamePicture {
  public:
    FlamePicture(const FlameTree& tree, const BoxTexts& texts, const FlameSvgOptions& options)
        : tree_(tree), texts_(texts), options_(options), colors_(theme_colors(options.theme)) {}

    std::string draw() {
        const FlameLayout layout =
            lay_out_flames(tree_, 0, options_.width - 2 * kMargin, kLeastBox);
        const double legend = texts_.legend.empty() ? 0 : kFlameLegend;
        const double boxes_end = kHead + kRow * std::max<double>(layout.row_count(), 1);
        const double height = boxes_end + legend + kMargin;
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
                 options_.width - kMargin, svg_color(colors_.mid), svg_escaped(texts_.weight));
        for (const FlameBox& box : layout.boxes) draw_box(box);
        if (legend > 0) draw_legend(boxes_end + 6);
        out_.put("</svg>");
        return out_.take();
    }

  private:
    void draw_legend(double y) {
        double x = kMargin;
        const auto word = [&](std::string_view text) {
            out_.put(R"(<text x="{:.1f}" y="{:.1f}" fill="{}">{}</text>)", x, y + 12.5,
                     svg_color(colors_.mid), svg_escaped(text));
            x += kLetter * static_cast<double>(text.size()) + 12;
        };
        word("B / A:");
        for (const DifferenceBand& band : texts_.legend) {
            const SlotLook look = look_of(options_.theme, band.color);
            out_.put(
                R"(<rect x="{:.1f}" y="{:.1f}" width="14" height="14" rx="2" fill="{}" stroke="{}"/>)",
                x, y + 1.5, svg_color(look.fill), svg_color(look.edge));
            x += 19;
            word(band.text);
        }
    }

    void draw_box(const FlameBox& box) {
        const double x = kMargin + box.x0;
        const double y = kHead + kRow * box.row;
        const double width = box.x1 - box.x0;
        const double gap = width > 3 ? 1 : 0;
        if (box.count > 1) {
            out_.put(
                R"(<rect x="{:.2f}" y="{:.1f}" width="{:.2f}" height="{}" fill="{}"><title>{}</title></rect>)",
                x, y, width, kRow - 1, svg_color(colors_.line2),
                format_count(box.count, texts_.one, texts_.many));
            return;
        }
        const SlotLook look = look_of(options_.theme, texts_.color(box.node));
        out_.put(
            R"(<g><title>{}</title><rect x="{:.2f}" y="{:.1f}" width="{:.2f}" height="{}" rx="2" fill="{}"/>)",
            escaped_lines(texts_.title(box.node)), x, y, width - gap, kRow - 1,
            svg_color(look.fill));
        if (width > kLeastText) {
            const std::string label = cut(texts_.label(box.node), (width - 8) / kLetter);
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

    const FlameTree& tree_;
    const BoxTexts& texts_;
    const FlameSvgOptions& options_;
    const ThemeColors& colors_;
    SvgLines out_;
};

}  // namespace

std::string flame_svg(const Trace& trace, const FlameTree& tree, const FlameSvgOptions& options) {
    const auto frame = [&](uint32_t node) -> const FlameFrame& {
        return tree.frames[tree.nodes[node].frame];
    };
    BoxTexts texts;
    texts.weight = flame_weight_text(tree.weight, tree.root().total);
    texts.label = [&](uint32_t node) { return flame_label(trace, frame(node)); };
    texts.title = [&](uint32_t node) {
        std::string title(frame_text(trace, frame(node)));
        for (const std::string& fact : flame_facts(tree, tree.nodes[node])) title += "\n" + fact;
        return title;
    };
    texts.color = [&](uint32_t node) { return flame_color(trace, tree, frame(node)); };
    return FlamePicture(tree, texts, options).draw();
}

std::string difference_flame_svg(const DifferenceFlames& flames, const FlameSvgOptions& options) {
    BoxTexts texts;
    texts.one = "function";
    texts.many = "functions, each too short to be drawn";
    if (!flames.boxes.empty()) {
        const DifferenceBox& whole = flames.boxes.front();
        texts.weight =
            "sum of medians " + format_duration(whole.a) + " → " + format_duration(whole.b);
    }
    texts.label = [&](uint32_t node) { return difference_label(flames, node); };
    texts.title = [&](uint32_t node) {
        std::string title = flames.boxes[node].name;
        for (const std::string& fact : difference_facts(flames, node)) title += "\n" + fact;
        return title;
    };
    texts.color = [&](uint32_t node) { return difference_color(flames, node); };
    texts.legend = difference_bands();
    return FlamePicture(flames.tree, texts, options).draw();
}

}  // namespace lanescope
