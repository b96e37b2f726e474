#include <string>

#include "core/base/format.h"
#include "ui/app/bars.h"
#include "ui/commands/panel_names.h"
#include "ui/features/legend.h"
#include "ui/panels/selection.h"
#include "ui/panels/warnings_panel.h"
#include "ui/timeline/class_layer.h"

namespace lanescope {

namespace {

// Draws words from left to right.
class Words {
  public:
    Words(float x, float y, const Look& look) : x_(x), y_(y), look_(look) {}
    float x() const { return x_; }
    void say(const std::string& text, ImU32 color) {
        x_ += draw_text(*ImGui::GetWindowDrawList(), look_, look_.fonts.regular, type::kSecondary,
                        {x_, y_}, color, text) +
              look_.px(26);
    }

  private:
    float x_;
    float y_;
    const Look& look_;
};

void say_warnings(Words& words, Frame& frame) {
    const Look& look = frame.look;
    const auto* const of_models =
        frame.loaded() ? frame.loaded()->state.find<ModelWarnings>() : nullptr;
    const std::size_t warnings =
        frame.timeline.trace().warnings.size() + (of_models ? of_models->list.size() : 0);
    const std::string text = warnings == 0 ? "no warnings"
                                           : format_count(static_cast<int64_t>(warnings)) +
                                                 (warnings == 1 ? " warning" : " warnings");
    ImGui::SetCursorScreenPos({words.x(), ImGui::GetWindowPos().y});
    const float width = text_width(look, look.fonts.regular, type::kSecondary, text);
    if (ImGui::InvisibleButton("warnings", {width, look.px(kStatusBar)}))
        frame.requests.add(ShowPanel{kWarningsPanel});
    if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    words.say(text, warnings == 0 ? look.colors.fine : look.colors.waiting);
}

void say_trace(Words& words, Frame& frame) {
    const Colors& colors = frame.look.colors;
    const Timeline& timeline = frame.timeline;
    const std::string events =
        format_count(static_cast<int64_t>(timeline.trace().facts.events)) + " events";
    if (frame.trace->loading()) {
        words.say(events + " so far", colors.mid);
    } else {
        const auto load_time = static_cast<Nanos>(frame.trace->document().progress().seconds * 1e9);
        words.say(frame.options.still ? events : events + " in " + format_duration(load_time),
                  colors.mid);
        say_warnings(words, frame);
    }
    words.say("view " + format_duration(timeline.camera.view().span), colors.mid);
    const DescribedSlice* const described = frame.trace->state.find<DescribedSlice>();
    if (described && described->facts)
        words.say("selected " + format_duration(described->facts->duration), colors.mid);
    if (const std::string only = chosen_classes(timeline); !only.empty())
        words.say((timeline.layer<ClassLayer>().filter.hides ? "only " : "in focus: ") + only,
                  colors.accent);
    if (timeline.marked)
        words.say("range " + format_duration(timeline.marked->time.length()), colors.mid);
}

// The most important keys.
std::string keys_text(const Frame& frame) {
    const auto key = [&frame](Action action) { return keys_of(frame.keys, action); };
    const std::string help = key(Action::help).substr(0, key(Action::help).find(' '));
    std::string keys = key(Action::open) + " open   ";
    if (frame.timeline.index)
        keys = key(Action::zoom_in) + " " + key(Action::zoom_out) + " zoom   " +
               key(Action::pan_left) + " " + key(Action::pan_right) + " pan   " +
               key(Action::frame) + " frame   ";
    return keys + help + " all keys";
}

}  // namespace

void draw_status_bar(Frame& frame) {
    const Look& look = frame.look;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 origin = ImGui::GetWindowPos();
    const float width = ImGui::GetWindowWidth();
    const float y = text_y(look, type::kSecondary, origin.y, look.px(kStatusBar));
    list.AddRectFilled(origin, {origin.x + width, origin.y + 1}, look.colors.line);
    Words words(look.px(14), y, look);
    if (frame.timeline.index && frame.trace) say_trace(words, frame);
    const std::string keys = keys_text(frame);
    const float keys_width = text_width(look, look.fonts.regular, type::kSecondary, keys);
    const float keys_x = width - keys_width - look.px(14);
    if (keys_x > words.x())
        draw_text(list, look, look.fonts.regular, type::kSecondary, {keys_x, y}, look.colors.low,
                  keys);
}

}  // namespace lanescope
