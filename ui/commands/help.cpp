#include "ui/commands/help.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <string>

namespace lanescope {

namespace {

constexpr float kKeysWidth = 116;
constexpr float kColumn = 460;
constexpr float kMargin = 48;

constexpr ImGuiWindowFlags kCard = ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoDocking |
                                   ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings |
                                   ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoTitleBar |
                                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;

int lines_of(std::string_view group) {
    const auto in_group = [&](const auto& line) { return group == line.group; };
    return static_cast<int>(std::ranges::count_if(commands(), in_group) +
                            std::ranges::count_if(gestures(), in_group)) +
           2;
}

void say(const Look& look, ImU32 color, const std::string& text) {
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::PushTextWrapPos(look.px(2 * kColumn));
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
}

}  // namespace

// Places the longest groups first, each into the column with most space; within a column the groups
// keep their order.
std::vector<std::vector<std::string_view>> help_columns(std::size_t count) {
    const std::vector<std::string_view> groups = command_groups();
    std::vector<std::size_t> longest(groups.size());
    std::iota(longest.begin(), longest.end(), std::size_t{0});
    std::ranges::stable_sort(longest, std::greater(),
                             [&](std::size_t group) { return lines_of(groups[group]); });
    std::vector<std::vector<std::size_t>> columns(count);
    std::vector<int> lines(count, 0);
    for (const std::size_t group : longest) {
        const auto room = static_cast<std::size_t>(std::ranges::min_element(lines) - lines.begin());
        columns[room].push_back(group);
        lines[room] += lines_of(groups[group]);
    }
    for (auto& column : columns) std::ranges::sort(column);
    std::ranges::sort(columns);
    std::vector<std::vector<std::string_view>> named(count);
    for (std::size_t i = 0; i < count; ++i)
        for (const std::size_t group : columns[i]) named[i].push_back(groups[group]);
    return named;
}

void KeyHelp::show(bool shown) {
    shown_ = shown;
    changing_ = Action::none;
}

void KeyHelp::change(Action action) {
    shown_ = true;
    changing_ = action;
}

bool KeyHelp::take(std::span<const PressedKey> pressed, std::span<const ImWchar> typed,
                   KeySettings& settings) {
    const std::string id = command_of(changing_).id;
    for (const ImWchar sign : typed) {
        if (sign <= ' ' || sign >= 0x7f || !ispunct(static_cast<int>(sign))) continue;
        settings[id] = {chord_text({0, sign})};
        changing_ = Action::none;
        return true;
    }
    for (const PressedKey& key : pressed) {
        if (key.again || types_a_sign(key.chord)) continue;
        changing_ = Action::none;
        if (key.chord == ImGuiKey_Escape) return false;
        if (key.chord == ImGuiKey_Backspace) return settings.erase(id) > 0;
        if (key.chord == ImGuiKey_Delete)
            settings[id].clear();
        else
            settings[id] = {chord_text({plain_chord(key.chord), 0})};
        return true;
    }
    return false;
}

bool KeyHelp::scrolls(ImGuiKeyChord pressed) const {
    constexpr std::array kKeys = {ImGuiKey_UpArrow,  ImGuiKey_DownArrow, ImGuiKey_PageUp,
                                  ImGuiKey_PageDown, ImGuiKey_Home,      ImGuiKey_End};
    return shown_ && std::ranges::find(kKeys, static_cast<ImGuiKey>(pressed)) != kKeys.end();
}

// Scrolls if the window is too small for the whole list.
void KeyHelp::scroll_by_keys() {
    scroll_ = {ImGui::GetScrollY(), ImGui::GetScrollMaxY()};
    if (waits_for_key()) return;
    const auto steps = [](ImGuiKey down, ImGuiKey up) {
        return static_cast<float>(ImGui::IsKeyPressed(down)) -
               static_cast<float>(ImGui::IsKeyPressed(up));
    };
    const float page = ImGui::GetWindowHeight() * 0.9f;
    const float distance =
        steps(ImGuiKey_DownArrow, ImGuiKey_UpArrow) * 3 * ImGui::GetFrameHeight() +
        steps(ImGuiKey_PageDown, ImGuiKey_PageUp) * page +
        steps(ImGuiKey_End, ImGuiKey_Home) * ImGui::GetScrollMaxY();
    if (distance != 0)
        ImGui::SetScrollY(std::clamp(scroll_.first + distance, 0.0f, scroll_.second));
}

std::optional<ImVec2> KeyHelp::place_of(std::string_view id) const {
    const Command* command = find_command(id);
    if (!shown_ || !command) return std::nullopt;
    const auto place =
        std::ranges::find(places_, command->action, &std::pair<Action, ImVec2>::first);
    return place == places_.end() ? std::nullopt : std::optional(place->second);
}

void KeyHelp::draw_key(const Command& command, const KeyMap& keys, bool own, const Look& look) {
    const bool changing = changing_ == command.action;
    std::string text = changing ? "press a key" : keys_of(keys, command.action);
    if (text.empty()) text = "–";
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetTextLineHeight();
    if (ImGui::InvisibleButton(command.id, {look.px(kKeysWidth - 10), height}))
        changing_ = changing ? Action::none : command.action;
    places_.emplace_back(command.action, ImVec2{at.x + look.px(20), at.y + height / 2});
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const bool hovered = ImGui::IsItemHovered();
    if (hovered || changing) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        const ImVec2 min{at.x - look.px(5), at.y - look.px(1)};
        const ImVec2 max{at.x + look.px(kKeysWidth - 12), at.y + height + look.px(1)};
        list.AddRect(min, max, changing ? look.colors.accent : look.colors.line2, look.px(4));
    }
    const ImU32 color = changing || own ? look.colors.accent : look.colors.hi;
    draw_text_cut(list, look, look.fonts.regular, type::kTable, at, color, text,
                  look.px(kKeysWidth - 16));
    if (hovered && !changing) ImGui::SetTooltip("%s: click to change", command.id);
}

void KeyHelp::draw_group(std::string_view group, const KeyMap& keys, const KeySettings& settings,
                         const Look& look) {
    ImGui::PushFont(look.fonts.medium, type::kText);
    ImGui::TextUnformatted(group.data());
    ImGui::PopFont();
    ImGui::Dummy({0, look.px(2)});
    for (const Command& command : commands()) {
        if (group != command.group) continue;
        const float x = ImGui::GetCursorPosX();
        draw_key(command, keys, settings.contains(command.id), look);
        ImGui::SameLine();
        ImGui::SetCursorPosX(x + look.px(kKeysWidth));
        ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
        ImGui::TextUnformatted(command.title);
        ImGui::PopStyleColor();
    }
    for (const Gesture& gesture : gestures()) {
        if (group != gesture.group) continue;
        const float x = ImGui::GetCursorPosX();
        ImGui::TextUnformatted(gesture.how);
        const float after = ImGui::GetItemRectSize().x + look.px(12);
        ImGui::SameLine();
        ImGui::SetCursorPosX(x + std::max(look.px(kKeysWidth), after));
        ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
        ImGui::TextUnformatted(gesture.does);
        ImGui::PopStyleColor();
    }
    ImGui::Dummy({0, look.px(6)});
}

void KeyHelp::draw(const KeyMap& keys, const KeySettings& settings, const Look& look) {
    if (!shown_) return;
    places_.clear();
    const ImGuiViewport& viewport = *ImGui::GetMainViewport();
    ImGui::SetNextWindowPos(viewport.GetCenter(), ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::SetNextWindowSizeConstraints(
        {0, 0}, {viewport.Size.x - look.px(kMargin), viewport.Size.y - look.px(2 * kMargin)});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, look.colors.raised);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(16), look.px(12)});
    ImGui::Begin("##help", nullptr, kCard);
    ImGui::PushFont(look.fonts.regular, type::kTable);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(3)});
    scroll_by_keys();
    const int fitting_columns =
        static_cast<int>((viewport.Size.x - look.px(kMargin)) / look.px(kColumn));
    const auto columns = help_columns(static_cast<std::size_t>(std::clamp(fitting_columns, 1, 3)));
    for (std::size_t column = 0; column < columns.size(); ++column) {
        if (column > 0) ImGui::SameLine(look.px(kColumn) * static_cast<float>(column), look.px(16));
        ImGui::BeginGroup();
        for (const std::string_view group : columns[column])
            draw_group(group, keys, settings, look);
        ImGui::EndGroup();
    }
    for (const std::string& problem : keys.problems) say(look, look.colors.costs, problem);
    say(look, look.colors.low,
        "Click a key to change it, then press the new one. Backspace: the default key. Delete: no "
        "key. Esc: no change. ↑ ↓ PageUp PageDown scroll a list that is longer than the window.");
    ImGui::PopStyleVar();
    ImGui::PopFont();
    ImGui::End();
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
}

}  // namespace lanescope
