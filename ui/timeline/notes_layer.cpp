#include "ui/timeline/notes_layer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/format.h"
#include "ui/timeline/lane_painter.h"

namespace lanescope {

namespace {

constexpr float kFlagHeight = 14;
constexpr float kSnap = 6;  // pixels to the edge of a slice
constexpr float kTextHeight = 20;
constexpr float kMaxTextWidth = 280;  // maximum width of a text
constexpr float kDistanceBelow = 32;  // distance below the top of the lanes

// The position of a time on the screen, clamped far outside the view, where floats lose precision.
float note_x(const Timeline& timeline, Nanos t) {
    const Viewport& view = timeline.camera.view();
    return timeline.areas.lanes.x0 +
           static_cast<float>(std::round(std::clamp(view.px_of(t), -1e4, view.width + 1e4)));
}

bool note_in_view(const Timeline& timeline, float x0, float x1) {
    return x1 >= timeline.areas.lanes.x0 && x0 <= timeline.areas.lanes.x1;
}

std::string note_number(std::size_t note) {
    return std::to_string(note + 1);
}

float flag_width(const Look& look, std::size_t note) {
    return text_width(look, look.fonts.medium, type::kSecondary, note_number(note)) + look.px(8);
}

// A note's flag is at its begin, on the right side.
Box flag_box(const Timeline& timeline, const std::vector<Note>& notes, const Look& look,
             std::size_t note) {
    const float x = note_x(timeline, notes[note].time.begin);
    const float y = timeline.areas.ruler.y1 - look.px(kFlagHeight);
    return {x, y, x + flag_width(look, note), timeline.areas.ruler.y1};
}

// Space for a note's text: up to the next note's line.
float text_room(const Timeline& timeline, const std::vector<Note>& notes, const Look& look,
                std::size_t note, float x) {
    float room = look.px(kMaxTextWidth);
    for (std::size_t next = note + 1; next < notes.size(); ++next) {
        if (notes[next].text.empty()) continue;
        room = std::min(room, note_x(timeline, notes[next].time.begin) - x - look.px(4));
        break;
    }
    return std::min(room, timeline.areas.lanes.x1 - x - look.px(4));
}

void draw_text_of(const Timeline& timeline, const NotesLayer& layer, const Look& look,
                  ImDrawList& list, std::size_t note, float x) {
    const std::string& text = layer.notes[note].text;
    const std::string line = text.substr(0, std::min(text.find('\n'), text.size()));
    if (line.empty()) return;
    const float pad = look.px(7);
    const float room = text_room(timeline, layer.notes, look, note, x) - 2 * pad;
    if (room < look.px(24)) return;
    const float width =
        std::min(room, text_width(look, look.fonts.medium, type::kTable, line)) + 2 * pad;
    const float y = timeline.areas.lanes.y0 + look.px(6);
    const float height = look.px(kTextHeight);
    list.AddRectFilled({x, y}, {x + width, y + height}, look.colors.raised, look.px(3));
    list.AddRect({x, y}, {x + width, y + height},
                 layer.chosen == note ? look.colors.accent : look.colors.line2, look.px(3));
    draw_text_cut(list, look, look.fonts.medium, type::kTable,
                  {x + pad, text_y(look, type::kTable, y, height)}, look.colors.hi, line, room);
}

// A line with arrows between two marks, with their distance.
void draw_distance(const Timeline& timeline, const Look& look, ImDrawList& list, TimeRange time) {
    const Box& lanes = timeline.areas.lanes;
    const float from = note_x(timeline, time.begin);
    const float to = note_x(timeline, time.end);
    // With both ends out of view, the line would not help.
    if ((from < lanes.x0 && to > lanes.x1) || !note_in_view(timeline, from, to)) return;
    const float x0 = std::max(from, lanes.x0);
    const float x1 = std::min(to, lanes.x1);
    const std::string text = format_duration_exact(time.length());
    const float width = text_width(look, look.fonts.medium, type::kSecondary, text);
    const float head = look.px(4);
    if (x1 - x0 < width + 6 * head) return;
    const float y = lanes.y0 + look.px(kDistanceBelow);
    const float thick = std::max(1.0f, std::floor(look.scale));
    list.AddRectFilled({x0, y}, {x1, y + thick}, look.colors.mid);
    if (from >= lanes.x0)
        list.AddTriangleFilled({x0 + 1, y + thick / 2}, {x0 + 1 + 1.6f * head, y - head},
                               {x0 + 1 + 1.6f * head, y + head}, look.colors.mid);
    if (to <= lanes.x1)
        list.AddTriangleFilled({x1, y + thick / 2}, {x1 - 1.6f * head, y + head},
                               {x1 - 1.6f * head, y - head}, look.colors.mid);
    const float middle = std::round((x0 + x1) / 2);
    const float height = look.px(16);
    const ImVec2 min{middle - width / 2 - look.px(6), std::round(y - height / 2)};
    const ImVec2 max{middle + width / 2 + look.px(6), std::round(y + height / 2)};
    list.AddRectFilled(min, max, look.colors.raised, look.px(3));
    draw_text(list, look, look.fonts.medium, type::kSecondary,
              {min.x + look.px(6), text_y(look, type::kSecondary, min.y, max.y - min.y)},
              look.colors.hi, text);
}

void draw_notes(const Timeline& timeline, const NotesLayer& layer, const Look& look,
                ImDrawList& list) {
    const std::vector<Note>& notes = layer.notes;
    const Box& lanes = timeline.areas.lanes;
    const Note* mark = nullptr;  // the mark before it
    for (std::size_t i = 0; i < notes.size(); ++i) {
        const Note& note = notes[i];
        if (note.is_mark()) {
            if (mark && mark->time.begin < note.time.begin)
                draw_distance(timeline, look, list, {mark->time.begin, note.time.begin});
            mark = &note;
        }
        const float x0 = note_x(timeline, note.time.begin);
        const float x1 = note_x(timeline, note.time.end);
        if (!note_in_view(timeline, x0, x1)) continue;
        const ImU32 color = layer.chosen == i ? look.colors.accent : look.colors.mid;
        if (!note.is_mark())
            list.AddRectFilled({x0, lanes.y0}, {x1, lanes.y1}, with_alpha(color, 0.10f));
        list.AddRectFilled({x0, lanes.y0}, {x0 + 1, lanes.y1}, with_alpha(color, 0.8f));
        if (!note.is_mark())
            list.AddRectFilled({x1 - 1, lanes.y0}, {x1, lanes.y1}, with_alpha(color, 0.8f));
    }
    for (std::size_t i = 0; i < notes.size(); ++i) {
        const float x0 = note_x(timeline, notes[i].time.begin);
        const float x1 = note_x(timeline, notes[i].time.end);
        // The text of a range that began before the view is at the left edge.
        if (note_in_view(timeline, x0, x1))
            draw_text_of(timeline, layer, look, list, i, std::max(x0, lanes.x0) + look.px(1));
    }
}

// The note whose flag is at a position on the ruler. The last note is on top.
std::optional<uint32_t> note_at(const Timeline& timeline, const std::vector<Note>& notes,
                                const Look& look, ImVec2 at) {
    for (std::size_t i = notes.size(); i-- > 0;) {
        if (flag_box(timeline, notes, look, i).holds(at)) return static_cast<uint32_t>(i);
    }
    return std::nullopt;
}

}  // namespace

void NotesLayer::trace_closed() {
    notes.clear();
    chosen.reset();
}

void NotesLayer::paint(LaneStage stage, const PaintInput& in, LaneTarget& to) {
    if (stage == LaneStage::above_names) draw_notes(in.timeline, *this, in.look, to.list);
}

void NotesLayer::draw_on_ruler(const Timeline& timeline, const Look& look, ImDrawList& list) {
    for (std::size_t i = 0; i < notes.size(); ++i) {
        const Box flag = flag_box(timeline, notes, look, i);
        const float end = note_x(timeline, notes[i].time.end);
        if (!note_in_view(timeline, flag.x0, std::max(flag.x1, end))) continue;
        const bool is_chosen = chosen == i;
        const ImU32 color = is_chosen ? look.colors.accent : look.colors.mid;
        if (!notes[i].is_mark())
            list.AddRectFilled({flag.x0, flag.y1 - look.px(2)}, {end, flag.y1}, color);
        list.AddRectFilled({flag.x0, flag.y0}, {flag.x1, flag.y1}, color, look.px(3),
                           ImDrawFlags_RoundTopRight);
        draw_text(list, look, look.fonts.medium, type::kSecondary,
                  {flag.x0 + look.px(4), text_y(look, type::kSecondary, flag.y0, flag.height())},
                  look.colors.bg, note_number(i));
    }
}

void NotesLayer::draw_on_overview(const Timeline& timeline, const Look& look, ImDrawList& list) {
    const Box& box = timeline.areas.overview;
    const float left = timeline.areas.lanes.x0;
    const TimeRange all = timeline.overview.range;
    const auto place = [&](Nanos t) {
        const double part = static_cast<double>(t - all.begin) /
                            static_cast<double>(std::max<Nanos>(1, all.length()));
        return left + std::round(static_cast<float>(part * static_cast<double>(box.x1 - left)));
    };
    for (std::size_t i = 0; i < notes.size(); ++i) {
        const float x0 = place(notes[i].time.begin);
        const float x1 = std::max(x0 + look.px(2), place(notes[i].time.end));
        if (x1 < left || x0 > box.x1) continue;
        const ImU32 color = chosen == i ? look.colors.accent : look.colors.hi;
        list.AddRectFilled({std::max(x0, left), box.y0},
                           {std::min(x1, box.x1), box.y0 + look.px(5)}, color);
    }
}

bool NotesLayer::covers_ruler(const Timeline& timeline, const Look& look, float x0,
                              float x1) const {
    for (std::size_t i = 0; i < notes.size(); ++i) {
        const Box flag = flag_box(timeline, notes, look, i);
        if (flag.x1 > x0 && flag.x0 < x1) return true;
    }
    return false;
}

void NotesLayer::click(Timeline& timeline, const LayerClick& click) {
    if (!timeline.areas.ruler.holds(click.at)) return;
    chosen = note_at(timeline, notes, click.look, click.at);
    if (click.twice && chosen) click.requests.act(Action::edit_note);
}

Nanos noted_time(const Timeline& timeline, const Look& look, float x) {
    const Viewport& view = timeline.camera.view();
    const double px = static_cast<double>(x - timeline.areas.lanes.x0);
    const Nanos pointed = view.time_at(px);
    if (timeline.hovered.kind != HitKind::slice) return pointed;
    const Trace& trace = timeline.trace();
    const SliceRef slice = timeline.hovered.slice;
    const auto far = [&](Nanos t) { return std::abs(view.px_of(t) - px); };
    const Nanos begin = trace.start(slice);
    const Nanos end = trace.slice_end(slice);
    const Nanos nearest = far(begin) <= far(end) ? begin : end;
    return far(nearest) <= static_cast<double>(look.px(kSnap)) ? nearest : pointed;
}

}  // namespace lanescope
