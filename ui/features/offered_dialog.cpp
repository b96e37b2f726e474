#include "ui/features/offered_dialog.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "ui/look/dialog_parts.h"

namespace lanescope {

namespace {

constexpr const char* kOfferTitle = "Open in this window";
constexpr std::size_t kPathsShown = 8;

struct OfferChoice {
    const char* text;
    ImGuiKey key;
    OfferAnswer answer;
};
constexpr std::array<OfferChoice, 3> kOfferChoices = {
    {{"Add below  A", ImGuiKey_A, OfferAnswer::add},
     {"Replace  R", ImGuiKey_R, OfferAnswer::replace},
     {"Neither  Esc", ImGuiKey_Escape, OfferAnswer::refuse}}};

}  // namespace

void OfferedDialog::show(const std::vector<std::string>& paths) {
    if (std::exchange(answered_, false)) paths_.clear();
    for (const std::string& path : paths)
        if (std::ranges::find(paths_, path) == paths_.end()) paths_.push_back(path);
    if (!shown_) wanted_ = true;
}

OfferAnswer OfferedDialog::draw_choice(const Look& look, bool may_add) {
    OfferAnswer answer = OfferAnswer::none;
    OfferAnswer focused = OfferAnswer::none;
    const float button = look.px(130);
    const auto count = static_cast<float>(kOfferChoices.size());
    ImGui::SetCursorPosX(ImGui::GetWindowWidth() - count * button - (count - 1) * look.px(8) -
                         look.px(12));
    for (const OfferChoice& choice : kOfferChoices) {
        const bool usable = may_add || choice.answer != OfferAnswer::add;
        ImGui::BeginDisabled(!usable);
        const bool pressed = ImGui::Button(choice.text, {button, look.px(28)});
        if (ImGui::IsItemFocused()) focused = choice.answer;
        ImGui::EndDisabled();
        ImGui::SameLine(0, look.px(8));
        const bool typed = ImGui::IsKeyPressed(choice.key, false) && !ImGui::IsWindowAppearing();
        if (usable && (pressed || typed)) answer = choice.answer;
    }
    ImGui::NewLine();
    // Enter chooses the button that has the focus; without one, that which loses nothing.
    if (answer != OfferAnswer::none || ImGui::IsWindowAppearing() ||
        !ImGui::IsKeyPressed(ImGuiKey_Enter, false))
        return answer;
    if (focused != OfferAnswer::none) return focused;
    return may_add ? OfferAnswer::add : OfferAnswer::none;
}

OfferAnswer OfferedDialog::draw(const Look& look, const std::string& open_name, bool may_add) {
    if (std::exchange(wanted_, false)) ImGui::OpenPopup(kOfferTitle);
    shown_ = begin_dialog(look, kOfferTitle, 560);
    if (!shown_) return OfferAnswer::none;
    for (std::size_t i = 0; i < std::min(paths_.size(), kPathsShown); ++i) {
        const std::filesystem::path path = paths_[i];
        dialog_text(look.colors.hi, path.filename().string());
        dialog_text(look.colors.low, path.parent_path().string());
    }
    if (paths_.size() > kPathsShown)
        dialog_text(look.colors.low, fmt::format("and {} more", paths_.size() - kPathsShown));
    ImGui::Dummy({0, look.px(2)});
    dialog_text(look.colors.mid, fmt::format("Add {} below {}, on one clock, or open {} instead?",
                                             paths_.size() == 1 ? "it" : "them", open_name,
                                             paths_.size() == 1 ? "it" : "them"));
    if (!may_add)
        dialog_text(look.colors.low, "It can be added once the open trace has been read.");
    ImGui::Dummy({0, look.px(6)});
    const OfferAnswer answer = draw_choice(look, may_add);
    if (answer != OfferAnswer::none) {
        answered_ = true;
        shown_ = false;
        ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
    return answer;
}

}  // namespace lanescope
