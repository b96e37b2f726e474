#include "core/export/pictures/timeline_svg.h"

#include "core/base/format.h"
#include "core/export/pictures/timeline_svg_writer.h"
#include "core/view/ruler.h"

namespace lanescope {

namespace {

constexpr double kRuler = 24;
constexpr double kTimelineMargin = 8;
constexpr double kLegend = 30;
constexpr double kPad = 5;  // space before and after a label

}  // namespace

SvgWriter::SvgWriter(const ViewIndexPtr& index, const LaneLayout& layout, const SvgOptions& options)
    : index_(index),
      trace_(*index->trace),
      layout_(layout),
      options_(options),
      colors_(theme_colors(options.theme)),
      palette_(build_palette(options.theme, index->classes->classes)),
      seen_(palette_.looks.size()),
      left_(options.head_width),
      top_(kRuler),
      height_(kRuler + layout.height + kTimelineMargin + kLegend) {
    view_ = framed(Viewport{0, 0, 1, (options.width - left_) * kColumns}, options.range, 0);
    CullOptions cull;
    cull.min_label_px = 30 * kColumns;
    cull.label_pad = kPad * kColumns;
    items_ = &culler_.cull({index_, layout_, palette_, view_, 0, layout_.height + 1, cull});
}

std::string SvgWriter::write() {
    put(R"(<svg data-generator="lanescope" xmlns="http://www.w3.org/2000/svg" width="{0:g}" height="{1:g}" )"
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

std::string SvgWriter::cut(std::string_view text, double width, double size) {
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

double SvgWriter::wide(std::string_view said) {
    const auto letters = std::ranges::count_if(said, [](char c) { return (c & 0xC0) != 0x80; });
    return static_cast<double>(letters) * kText * kLetter;
}

void SvgWriter::bands() {
    for (const GroupBox& group : layout_.groups) {
        const double height = layout_.rows[group.head_row].height;
        rect(0, top_ + group.y, options_.width, height, hex(mixed(colors_.bg, colors_.line, 0.4)));
    }
}

void SvgWriter::ruler() {
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

std::string SvgWriter::class_name(const SliceClass& slice_class) {
    if (slice_class.color.scale == ColorScale::event_class)
        return std::string(event_class_name(static_cast<EventClass>(slice_class.color.step)));
    return cut(slice_class.name, 220, kSmallText);
}

std::string SvgWriter::detail_of(const GroupBox& group) const {
    std::string line = group.detail;
    const DeviceLine* const device =
        options_.idle ? options_.idle->device_line(group.process) : nullptr;
    return device ? line + (line.empty() ? "" : " · ") + device->text : line;
}

void SvgWriter::heads() {
    for (const GroupBox& group : layout_.groups) {
        const double height = layout_.rows[group.head_row].height;
        const double y = baseline(top_ + group.y, height, kText);
        text(12, y, kText, colors_.hi, cut(group.name, left_ - 20, kText), R"( font-weight="500")");
        text(left_ + 8, y, kSmallText, colors_.low, detail_of(group));
        if (group.quiet == 0) continue;
        const LayoutRow& more = layout_.rows[group.more_row];
        text(26, baseline(top_ + more.y, more.height, kText), kText, colors_.low,
             quiet_line(group));
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

void SvgWriter::legend() {
    const double y = top_ + layout_.height + kTimelineMargin;
    const double max_width = options_.width * 0.7;
    double x = 12;
    auto left = std::ranges::count(seen_, true);
    for (std::size_t i = 0; i < seen_.size(); ++i) {
        if (!seen_[i]) continue;
        const std::string name = class_name(index_->classes->classes[i]);
        const double width = static_cast<double>(name.size()) * kSmallText * kLetter + 44;
        if (x + width > max_width && left > 1) {
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

std::string timeline_svg(const ViewIndexPtr& index, const LaneLayout& layout,
                         const SvgOptions& options) {
    return SvgWriter(index, layout, options).write();
}

}  // namespace lanescope
