// Draws marks over the lanes: flows, the selection, notes and distances between notes.
#include <utility>

#include "core/base/format.h"
#include "core/export/pictures/timeline_svg_writer.h"
#include "core/trace/query.h"
#include "core/view/pick.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxFlows = 64;
constexpr double kDistanceBelow = 32;  // distance below the top of the lanes

}  // namespace

void SvgWriter::flows() {
    if (!options_.selected) return;
    std::vector<std::pair<SliceRef, SliceRef>> pairs;
    for (const Link& link : links_from(trace_, options_.selected))
        pairs.emplace_back(options_.selected, link.to);
    for (const uint32_t index : links_to(trace_, options_.selected))
        pairs.emplace_back(trace_.links[index].from, options_.selected);
    if (pairs.size() > kMaxFlows) pairs.resize(kMaxFlows);
    for (const auto& [from, to] : pairs) flow(from, to);
}

void SvgWriter::flow(SliceRef from, SliceRef to) {
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
    put(R"(<circle cx="{:g}" cy="{:g}" r="2.6" fill="{}"/>)", round(x0), y0, hex(colors_.accent));
    put(R"(<path d="M{:g} {:g}l-3 {:g}h6z" fill="{}"/>)", round(x1), y1, head, hex(colors_.accent));
}

void SvgWriter::selection() {
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

void SvgWriter::notes() {
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
        const std::string said = cut(std::to_string(i + 1) + "  " + note.text, room - 12, kText);
        if (said.empty()) continue;
        const double width =
            std::min(room, static_cast<double>(said.size()) * kText * kLetter + 12);
        rect(from, top_ + 2, width, 18, hex(colors_.raised),
             fmt::format(R"( rx="3" stroke="{}")", hex(colors_.line2)));
        text(from + 6, baseline(top_ + 2, 18, kText), kText, colors_.hi, said);
    }
}

void SvgWriter::distances() {
    const SvgNote* mark = nullptr;  // the mark before it
    for (const SvgNote& note : options_.notes) {
        if (note.time.length() > 0) continue;
        if (mark && mark->time.begin < note.time.begin)
            distance({mark->time.begin, note.time.begin});
        mark = &note;
    }
}

void SvgWriter::distance(TimeRange time) {
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

}  // namespace lanescope
