#include <icons_font_awesome_6.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/format.h"
#include "core/view/lane_arrangement.h"
#include "ui/app/bars.h"
#include "ui/app/key_input.h"
#include "ui/base/abilities.h"

namespace lanescope {

namespace {

constexpr float kMinSearchWidth = 200;
constexpr float kMaxSearchWidth = 560;

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
    ImGui::SetCursorPos({x, look.px((kTopBar - 26) / 2)});
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

// "NVIDIA A100 ×8, Tesla V100 ×2". Unnamed devices are only counted: "8 GPUs".
std::string device_names(const Trace& trace, bool brief) {
    std::vector<std::pair<std::string, int64_t>> counts;  // in the order of the file
    uint64_t unnamed = 0;
    for (const Device& device : trace.devices) {
        const std::string name(brief ? short_device_name(device.name) : device.name);
        const auto known =
            std::ranges::find(counts, name, [](const auto& pair) { return pair.first; });
        if (name.empty())
            ++unnamed;
        else if (known != counts.end())
            ++known->second;
        else
            counts.emplace_back(name, 1);
    }
    std::string names;
    for (const auto& [name, count] : counts) {
        names += (names.empty() ? "" : ", ") + name;
        if (count > 1) names += " ×" + std::to_string(count);
    }
    if (unnamed == 0) return names;
    return names + (names.empty() ? "" : ", ") + format_count(unnamed, "GPU", "GPUs");
}

// The contents of a trace, number of events and devices, in texts for more and less room.
std::vector<std::string> trace_lines(const Trace& trace) {
    const std::string events = (trace.synthetic ? "synthetic sample · " : "") +
                               format_count(static_cast<int64_t>(trace.facts.events)) + " events";
    if (trace.devices.empty()) {
        const bool has_gpu =
            std::ranges::any_of(trace.processes, [](const Process& p) { return p.is_gpu; });
        if (has_gpu) return {events};
        return {events + " · CPU only", "CPU only"};
    }
    const std::string names = device_names(trace, false);
    const std::string brief = device_names(trace, true);
    return {events + " · " + names, events + " · " + brief, names, brief};
}

// Draws the buttons at the right end; returns their left edge.
float draw_right_buttons(Features& features, Frame& frame) {
    const Look& look = frame.look;
    const auto hint = [&frame](const char* text, Action action) {
        return with_key(text, keys_of(frame.keys, action));
    };
    const std::string legend = hint("Legend", Action::legend);
    const char* const words[] = {"Menu", ICON_FA_CIRCLE_HALF_STROKE, legend.c_str(), "?"};
    const std::string hints[] = {hint("Menu of everything", Action::menu),
                                 hint("Dark or light", Action::theme), "",
                                 hint("All keys", Action::help)};
    constexpr Action kActions[] = {Action::menu, Action::theme, Action::legend, Action::help};
    float x = ImGui::GetWindowWidth() - look.px(12);
    for (int i = 3; i >= 0; --i) {
        x -= button_width(words[i]);
        if (bar_button(look, words[i], x, hints[i].c_str())) frame.requests.act(kActions[i]);
        if (i == 0) {
            features.command_list.draw_main_menu(frame);
            share_arrow_keys(features, frame);
        }
        x -= look.px(8);
    }
    return x;
}

// "bert.json.gz" → "bert".
std::string_view without_extensions(std::string_view name) {
    for (const std::string_view ending : {".gz", ".zst", ".json", ".trace", ".pt"})
        if (name.size() > ending.size() && name.ends_with(ending))
            name.remove_suffix(ending.size());
    return name;
}

// The name of the trace and its contents, between `x` and `end`. A text that does not fit is
// replaced by a shorter one; the pointer shows all.
void draw_name(float x, float end, const WindowFiles& files, const Frame& frame) {
    const Look& look = frame.look;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float height = look.px(kTopBar);
    const std::string name = files.path().empty() ? "Lanescope" : files.shown_name();
    const float room = end - x;
    const bool fits = text_width(look, look.fonts.medium, type::kText, name) <= room;
    const float used = draw_text_cut(list, look, look.fonts.medium, type::kText,
                                     {x, text_y(look, type::kText, 0, height)}, look.colors.hi,
                                     fits ? name : without_extensions(name), room);
    if (!frame.timeline.index) return;
    const float left_room = room - used - look.px(12);
    const std::vector<std::string> lines = trace_lines(frame.timeline.trace());
    const auto line = std::ranges::find_if(lines, [&](const std::string& text) {
        return text_width(look, look.fonts.regular, type::kTable, text) <= left_room;
    });
    if (line != lines.end())
        draw_text(list, look, look.fonts.regular, type::kTable,
                  {x + used + look.px(12), text_y(look, type::kTable, 0, height)}, look.colors.low,
                  *line);
    const bool hovered =
        ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect({x, 0}, {std::max(x, end), height});
    if (hovered) ImGui::SetTooltip("%s\n%s", files.path().c_str(), lines.front().c_str());
}

struct BarButton {
    const char* word;
    Action action;
};

std::vector<BarButton> bar_buttons(bool with_trace) {
    std::vector<BarButton> buttons = {{"Open", Action::open}};
    if (abilities().captures)
        buttons.insert(buttons.end(), {{"Record", Action::record}, {"Attach", Action::attach}});
    if (with_trace)
        buttons.insert(buttons.end(),
                       {{"Compare", Action::compare}, {"Export", Action::export_list}});
    return buttons;
}

}  // namespace

void draw_top_bar(Features& features, const WindowFiles& files, Frame& frame) {
    const Look& look = frame.look;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float height = look.px(kTopBar);
    draw_mark(list, look, {look.px(12), look.px((kTopBar - 18) / 2)});
    float x = draw_right_buttons(features, frame);
    x = features.coloring.draw_field(x, frame) - look.px(8);
    const std::vector<BarButton> buttons = bar_buttons(frame.timeline.index != nullptr);
    float buttons_width = 0;
    for (const BarButton& button : buttons) buttons_width += button_width(button.word) + look.px(8);
    const float name_x = look.px(38);
    const float search_width = frame.timeline.index ? look.px(kMinSearchWidth) : 0;
    const float last_x = x - buttons_width - search_width;
    const float buttons_x =
        std::clamp(look.px(470), name_x + look.px(80), std::max(name_x + look.px(80), last_x));
    float at = buttons_x;
    for (const BarButton& button : buttons) {
        if (bar_button(look, button.word, at, keys_of(frame.keys, button.action).c_str()))
            frame.requests.act(button.action);
        at += button_width(button.word) + look.px(8);
    }
    if (frame.timeline.index) {
        const float y0 = look.px((kTopBar - 26) / 2);
        features.search.draw_box(
            {at, y0, std::min(x, at + look.px(kMaxSearchWidth)), y0 + look.px(26)}, frame);
    }
    draw_name(name_x, buttons_x - look.px(12), files, frame);
    list.AddRectFilled({0, height - 1}, {ImGui::GetWindowWidth(), height}, look.colors.line);
}

}  // namespace lanescope
