#include "ui/commands/command_palette.h"

#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace lanescope {

namespace {

constexpr float kWidth = 620;
constexpr float kTop = 56;
constexpr float kLine = 28;
constexpr int kLinesShown = 14;

std::string lower_letters(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

// 2: the line equals the typed text, apart from "Panel: ", which may be typed as "panel ", and "…";
// 1: the line begins with the typed text; 0: neither.
int likeness(std::string_view line, std::string_view typed) {
    constexpr std::string_view kOfPanel = "Panel: ";
    constexpr std::string_view kTypedPanel = "panel ";
    constexpr std::string_view kAsks = "…";
    if (typed.empty()) return 0;
    std::string wanted = lower_letters(typed);
    if (line.starts_with(kOfPanel)) {
        line.remove_prefix(kOfPanel.size());
        if (wanted.starts_with(kTypedPanel)) wanted.erase(0, kTypedPanel.size());
    }
    if (line.ends_with(kAsks)) line.remove_suffix(kAsks.size());
    const std::string text = lower_letters(line);
    if (text == wanted) return 2;
    return text.starts_with(wanted) ? 1 : 0;
}

}  // namespace

void CommandPalette::open(std::string hint, std::vector<PaletteLine> lines) {
    hint_ = std::move(hint);
    lines_ = std::move(lines);
    typed_.clear();
    frames_ = 0;
    shown_ = true;
    choose_offers();
}

void CommandPalette::choose_offers() {
    offers_.clear();
    chosen_ = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        const PaletteLine& line = lines_[i];
        const std::string all = line.detail.empty() ? line.text : line.text + "  " + line.detail;
        if (auto match = fuzzy_match(all, typed_))
            offers_.push_back({i, std::move(*match), likeness(line.text, typed_)});
    }
    std::ranges::stable_sort(offers_, std::greater(), [](const Offer& offer) {
        return std::pair(offer.likeness, offer.match.score);
    });
}

std::vector<std::string> CommandPalette::offered() const {
    std::vector<std::string> texts;
    for (const Offer& offer : offers_) texts.push_back(lines_[offer.line].text);
    return texts;
}

void CommandPalette::draw_line(const Offer& offer, bool chosen, float width,
                               const Look& look) const {
    const PaletteLine& line = lines_[offer.line];
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetItemRectMin();
    if (chosen)
        list.AddRectFilled(at, ImGui::GetItemRectMax(), with_alpha(look.colors.accent, 0.2f),
                           look.px(4));
    const float y = text_y(look, type::kText, at.y, look.px(kLine));
    const float keys =
        line.keys.empty()
            ? 0
            : text_width(look, look.fonts.regular, type::kTable, line.keys) + look.px(16);
    const float room = width - keys - look.px(20);
    const float text = draw_text_cut(list, look, look.fonts.regular, type::kText,
                                     {at.x + look.px(10), y}, look.colors.hi, line.text, room);
    // Draws the typed letters again in the accent colour.
    for (const std::size_t place : offer.match.places) {
        if (place >= line.text.size()) break;
        const float before =
            text_width(look, look.fonts.regular, type::kText, line.text.substr(0, place));
        if (before > text - look.px(12)) break;
        draw_text(list, look, look.fonts.regular, type::kText, {at.x + look.px(10) + before, y},
                  look.colors.accent, line.text.substr(place, 1));
    }
    if (!line.detail.empty() && text + look.px(40) < room)
        draw_text_cut(list, look, look.fonts.regular, type::kTable,
                      {at.x + look.px(20) + text, text_y(look, type::kTable, at.y, look.px(kLine))},
                      look.colors.low, line.detail, room - text - look.px(12));
    if (keys > 0)
        draw_text(list, look, look.fonts.regular, type::kTable,
                  {at.x + width - keys, text_y(look, type::kTable, at.y, look.px(kLine))},
                  look.colors.mid, line.keys);
}

std::optional<std::size_t> CommandPalette::draw(const Look& look) {
    if (!shown_) return std::nullopt;
    const ImVec2 view = ImGui::GetMainViewport()->Size;
    const float width = std::min(look.px(kWidth), view.x - look.px(32));
    ImGui::SetNextWindowPos({(view.x - width) / 2, look.px(kTop)});
    ImGui::SetNextWindowSize({width, 0});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, look.colors.raised);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(10), look.px(10)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, look.px(6)});
    if (frames_ == 0) ImGui::SetNextWindowFocus();
    ImGui::Begin("##palette", nullptr,
                 ImGuiWindowFlags{ImGuiWindowFlags_NoDecoration} | ImGuiWindowFlags_NoDocking |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoNav);
    if (frames_ == 0 || focus_again_) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(-1);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(10), look.px(7)});
    const std::string before = typed_;
    const bool entered = ImGui::InputTextWithHint("##typed", hint_.c_str(), &typed_,
                                                  ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::PopStyleVar();
    if (typed_ != before) choose_offers();
    const bool down = ImGui::IsKeyPressed(ImGuiKey_DownArrow);
    const bool up = ImGui::IsKeyPressed(ImGuiKey_UpArrow);
    const std::size_t count = offers_.size();
    if (count > 0 && down) chosen_ = (chosen_ + 1) % count;
    if (count > 0 && up) chosen_ = (chosen_ + count - 1) % count;
    std::optional<std::size_t> result;
    if (entered && count > 0) result = offers_[chosen_].line;
    focus_again_ = entered && count == 0;  // Enter took the focus from the field
    const auto shown = static_cast<float>(std::clamp<std::size_t>(count, 1, kLinesShown));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    if (ImGui::BeginChild("lines", {0, shown * look.px(kLine)})) {
        const float line_width = ImGui::GetContentRegionAvail().x;
        if (down || up || typed_ != before) {
            const float y = static_cast<float>(chosen_) * look.px(kLine);
            const float top = ImGui::GetScrollY();
            const float room = shown * look.px(kLine);
            if (y < top) ImGui::SetScrollY(y);
            if (y + look.px(kLine) > top + room) ImGui::SetScrollY(y + look.px(kLine) - room);
        }
        ImGuiListClipper clipper;
        clipper.Begin(static_cast<int>(count), look.px(kLine));
        while (clipper.Step())
            for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
                const auto offer = static_cast<std::size_t>(i);
                ImGui::PushID(i);
                if (ImGui::InvisibleButton("line", {line_width, look.px(kLine)}))
                    result = offers_[offer].line;
                if (ImGui::IsItemHovered() && ImGui::GetIO().MouseDelta.y != 0) chosen_ = offer;
                draw_line(offers_[offer], offer == chosen_, line_width, look);
                ImGui::PopID();
            }
        if (count == 0) ImGui::TextDisabled("Nothing of that name.");
    }
    ImGui::EndChild();
    ImGui::PopStyleVar();
    const bool left = frames_ > 2 && !ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
    if (result || left || ImGui::IsKeyPressed(ImGuiKey_Escape)) shown_ = false;
    ++frames_;
    ImGui::End();
    ImGui::PopStyleVar(3);
    ImGui::PopStyleColor();
    return result;
}

}  // namespace lanescope
