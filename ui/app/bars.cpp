// The bars at the top and bottom.
#include <icons_font_awesome_6.h>

#include <algorithm>
#include <filesystem>

#include "core/base/format.h"
#include "ui/app/app.h"

namespace lanescope {

namespace {

constexpr float kBar = 40;
constexpr float kStatus = 24;
constexpr float kLeastSearch = 200;
constexpr float kMostSearch = 560;

void draw_mark(ImDrawList& list, const Look& look, ImVec2 at) {
    const float side = look.px(18);
    list.AddRectFilled(at, {at.x + side, at.y + side}, look.colors.accent, look.px(4));
    const ImU32 ink = look.theme == Theme::light ? look.colors.raised : look.colors.bg;
    const float left[] = {4, 4, 7};
    const float right[] = {11, 14, 14};
    for (int i = 0; i < 3; ++i) {
        const float y = at.y + look.px(4 + 4 * static_cast<float>(i));
        list.AddRectFilled({at.x + look.px(left[i]), y}, {at.x + look.px(right[i]), y + look.px(2)},
                           ink);
    }
}

bool bar_button(const Look& look, const char* label, float x, const char* hint) {
    ImGui::SetCursorPos({x, look.px((kBar - 26) / 2)});
    const bool pressed = ImGui::Button(label, {0, look.px(26)});
    if (*hint) ImGui::SetItemTooltip("%s", hint);
    return pressed;
}

float button_width(const char* label) {
    return ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
}

std::string with_key(const std::string& text, const std::string& key) {
    return key.empty() ? text : text + "  " + key;
}

// The contents of a trace: number of events, and devices.
std::string trace_line(const Trace& trace) {
    std::string text = trace.synthetic ? "synthetic sample · " : "";
    text += format_count(static_cast<int64_t>(trace.facts.events)) + " events";
    if (!trace.devices.empty()) {
        text += " · " + trace.devices.front().name;
        if (trace.devices.size() > 1) text += " ×" + std::to_string(trace.devices.size());
    } else if (std::none_of(trace.processes.begin(), trace.processes.end(),
                            [](const Process& p) { return p.is_gpu; })) {
        text += " · CPU only";
    }
    return text;
}

}  // namespace

void App::draw_top_bar() {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float height = look_.px(kBar);
    const float width = ImGui::GetWindowWidth();
    const auto hint = [this](const char* text, Action action) {
        return with_key(text, keys_of(keys_, action));
    };
    draw_mark(list, look_, {look_.px(12), look_.px((kBar - 18) / 2)});

    const std::string legend = with_key("Legend", keys_of(keys_, Action::legend));
    const char* const right[] = {"Menu", ICON_FA_CIRCLE_HALF_STROKE, legend.c_str(), "?"};
    const std::string hints[] = {hint("Menu of everything", Action::menu),
                                 hint("Dark or light", Action::theme), "",
                                 hint("All keys", Action::help)};
    const Action right_actions[] = {Action::menu, Action::theme, Action::legend, Action::help};
    float x = width - look_.px(12);
    for (int i = 3; i >= 0; --i) {
        x -= button_width(right[i]);
        if (bar_button(look_, right[i], x, hints[i].c_str())) {
            requests_.act(right_actions[i]);
        }
        if (i == 0) draw_menu();
        x -= look_.px(8);
    }
    x = draw_color_field(x) - look_.px(8);
    const char* const left[] = {"Open", "Save picture"};
    const Action left_actions[] = {Action::open, Action::screenshot};
    const int buttons = timeline_.index ? 2 : 1;
    float buttons_width = 0;
    for (int i = 0; i < buttons; ++i) buttons_width += button_width(left[i]) + look_.px(8);

    const float name_x = look_.px(38);
    const float search_width = timeline_.index ? look_.px(kLeastSearch) : 0;
    const float last_x = x - buttons_width - search_width;
    const float buttons_x =
        std::clamp(look_.px(470), name_x + look_.px(80), std::max(name_x + look_.px(80), last_x));
    float at = buttons_x;
    for (int i = 0; i < buttons; ++i) {
        if (bar_button(look_, left[i], at, keys_of(keys_, left_actions[i]).c_str()))
            requests_.act(left_actions[i]);
        at += button_width(left[i]) + look_.px(8);
    }

    if (timeline_.index) {
        const float y0 = look_.px((kBar - 26) / 2);
        draw_find_box({at, y0, std::min(x, at + look_.px(kMostSearch)), y0 + look_.px(26)});
    }
    const std::string name = path_.empty() ? "Lanescope" : shown_name();
    const float room = buttons_x - name_x - look_.px(12);
    const float y = text_y(look_, type::kText, 0, height);
    const float used = draw_text_cut(list, look_, look_.fonts.medium, type::kText, {name_x, y},
                                     look_.colors.hi, name, room);
    if (timeline_.index) {
        const float left_room = room - used - look_.px(12);
        if (left_room > look_.px(40)) {
            draw_text_cut(list, look_, look_.fonts.regular, type::kTable,
                          {name_x + used + look_.px(12), text_y(look_, type::kTable, 0, height)},
                          look_.colors.low, trace_line(timeline_.trace()), left_room);
        }
    }
    list.AddRectFilled({0, height - 1}, {width, height}, look_.colors.line);
}

void App::draw_status_bar() {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float height = look_.px(kStatus);
    const ImVec2 origin = ImGui::GetWindowPos();
    const float y = text_y(look_, type::kSecondary, origin.y, height);
    list.AddRectFilled(origin, {origin.x + ImGui::GetWindowWidth(), origin.y + 1},
                       look_.colors.line);
    float x = look_.px(14);
    const auto say = [&](const std::string& text, ImU32 color) {
        x += draw_text(list, look_, look_.fonts.regular, type::kSecondary, {x, y}, color, text) +
             look_.px(26);
    };
    if (timeline_.index && document_) {
        const Trace& trace = timeline_.trace();
        const std::string events =
            format_count(static_cast<int64_t>(trace.facts.events)) + " events";
        if (document_->loading()) {
            say(events + " so far", look_.colors.mid);
        } else {
            const auto load_time = static_cast<Nanos>(document_->progress().seconds * 1e9);
            say(options_.still ? events : events + " in " + format_duration(load_time),
                look_.colors.mid);
            const std::size_t warnings = trace.warnings.size() + model_warnings_.size();
            const std::string text = warnings == 0 ? "no warnings"
                                                   : format_count(static_cast<int64_t>(warnings)) +
                                                         (warnings == 1 ? " warning" : " warnings");
            ImGui::SetCursorScreenPos({x, origin.y});
            if (ImGui::InvisibleButton(
                    "warnings",
                    {text_width(look_, look_.fonts.regular, type::kSecondary, text), height})) {
                requests_.show_warnings = true;
            }
            if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
            say(text, warnings == 0 ? look_.colors.fine : look_.colors.waiting);
        }
        say("view " + format_duration(timeline_.camera.view().span), look_.colors.mid);
        if (facts_) say("selected " + format_duration(facts_->duration), look_.colors.mid);
        if (const std::string only = chosen_classes(timeline_); !only.empty())
            say((timeline_.classes.hides ? "only " : "in focus: ") + only, look_.colors.accent);
        if (timeline_.marked)
            say("range " + format_duration(timeline_.marked->time.length()), look_.colors.mid);
    }
    const auto key = [this](Action action) { return keys_of(keys_, action); };
    const std::string help = key(Action::help).substr(0, key(Action::help).find(' '));
    std::string keys = key(Action::open) + " open   ";
    if (timeline_.index)
        keys = key(Action::zoom_in) + " " + key(Action::zoom_out) + " zoom   " +
               key(Action::pan_left) + " " + key(Action::pan_right) + " pan   " +
               key(Action::frame) + " frame   ";
    keys += help + " all keys";
    const float keys_width = text_width(look_, look_.fonts.regular, type::kSecondary, keys);
    const float keys_x = ImGui::GetWindowWidth() - keys_width - look_.px(14);
    if (keys_x > x)
        draw_text(list, look_, look_.fonts.regular, type::kSecondary, {keys_x, y}, look_.colors.low,
                  keys);
}

}  // namespace lanescope
