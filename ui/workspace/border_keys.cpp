#include "ui/workspace/border_keys.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ui/look/key_hint.h"

namespace lanescope {

namespace {

constexpr float kBorderStep = 8;  // design pixels for one key press
constexpr float kFastStep = 64;   // with Shift
constexpr float kBorderLine = 3;  // the line on the chosen border

ImVec2 step_of(ImGuiKey key) {
    switch (key) {
        case ImGuiKey_LeftArrow:
            return {-1, 0};
        case ImGuiKey_RightArrow:
            return {1, 0};
        case ImGuiKey_UpArrow:
            return {0, -1};
        case ImGuiKey_DownArrow:
            return {0, 1};
        default:
            return {0, 0};
    }
}

// The next border after `at` that this arrow key can move; `at` if there is none.
std::size_t next_along(std::span<const PanelBorder> borders, std::size_t at, bool upright) {
    for (std::size_t i = 0; i < borders.size(); ++i) {
        const std::size_t other = (at + i) % borders.size();
        if (borders[other].upright == upright) return other;
    }
    return at;
}

void draw_border(const PanelBorder& border, const Look& look) {
    ImDrawList& list = *ImGui::GetForegroundDrawList(ImGui::GetMainViewport());
    const float half = look.px(kBorderLine) / 2;
    list.AddRectFilled({border.from.x - half, border.from.y - half},
                       {border.to.x + half, border.to.y + half}, look.colors.accent);
    const std::string words =
        std::string(border.upright ? "← →" : "↑ ↓") +
        " move this border, with Shift faster · Tab: next border · Enter: done";
    draw_key_hint(words, {(border.from.x + border.to.x) / 2, (border.from.y + border.to.y) / 2},
                  look);
}

}  // namespace

void BorderKeys::next() {
    at_ = on_ ? at_ + 1 : 0;
    on_ = true;
}

void BorderKeys::leave() {
    on_ = false;
    steps_ = {};
    shown_.reset();
}

bool BorderKeys::take(ImGuiKeyChord pressed) {
    if (!on_ || (pressed & (ImGuiMod_Ctrl | ImGuiMod_Alt | ImGuiMod_Super)) != 0) return false;
    const auto key = static_cast<ImGuiKey>(pressed & ~ImGuiMod_Mask_);
    if (key == ImGuiKey_Enter || key == ImGuiKey_KeypadEnter || key == ImGuiKey_Escape) {
        leave();
        return true;
    }
    if (key == ImGuiKey_Tab) {
        next();
        return true;
    }
    const ImVec2 step = step_of(key);
    if (step.x == 0 && step.y == 0) return false;
    const float by = (pressed & ImGuiMod_Shift) != 0 ? kFastStep : kBorderStep;
    steps_ = {steps_.x + by * step.x, steps_.y + by * step.y};
    return true;
}

std::optional<BorderKeys::Move> BorderKeys::draw(std::span<const PanelBorder> borders,
                                                 const Look& look) {
    if (on_ && (borders.empty() || ImGui::IsMouseClicked(ImGuiMouseButton_Left))) leave();
    if (!on_) return std::nullopt;
    at_ %= borders.size();
    const ImVec2 steps = std::exchange(steps_, ImVec2());
    const bool any = steps.x != 0 || steps.y != 0;
    // An arrow key that cannot move this border applies to the next one that it can move.
    if (any && (borders[at_].upright ? steps.x : steps.y) == 0)
        at_ = next_along(borders, at_, steps.x != 0);
    shown_ = borders[at_];
    draw_border(*shown_, look);
    const float by = shown_->upright ? steps.x : steps.y;
    if (by == 0) return std::nullopt;
    return Move{at_, look.px(by)};
}

}  // namespace lanescope
