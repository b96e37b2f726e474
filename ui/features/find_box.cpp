#include "ui/features/find_box.h"

#include <imgui_stdlib.h>

#include <algorithm>

namespace lanescope {

namespace {

// The first that fits.
constexpr const char* kHints[] = {"Find: gemm  dur>1ms  re:…  args:…", "Find: gemm  dur>1ms",
                                  "Find"};

}  // namespace

void FindBox::recall(ImGuiInputTextCallbackData& data, const std::vector<std::string>& history) {
    if (back_ == 0) typed_.assign(data.Buf, static_cast<std::size_t>(data.BufTextLen));
    if (data.EventKey == ImGuiKey_UpArrow && back_ < history.size()) ++back_;
    if (data.EventKey == ImGuiKey_DownArrow && back_ > 0) --back_;
    const std::string& text = back_ == 0 ? typed_ : history[back_ - 1];
    data.DeleteChars(0, data.BufTextLen);
    data.InsertChars(0, text.c_str());
}

bool FindBox::draw(const Look& look, const Box& box, const std::string& status,
                   const std::string& filter, const std::vector<std::string>& history) {
    bool pressed = false;
    box_ = box;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    float right = box.x1;
    if (!filter.empty()) {
        const float width = ImGui::CalcTextSize(filter.c_str()).x + look.px(16);
        right -= width + look.px(6);
        ImGui::SetCursorScreenPos({box.x1 - width, box.y0});
        pressed = ImGui::Button((filter + "##filter").c_str(), {width, box.height()});
        ImGui::SetItemTooltip("%s", filter == "Stop"
                                        ? "Stop reading the file  Esc"
                                        : "Slices that do not match: shown, dimmed, or hidden");
    }
    const float status_width =
        status.empty()
            ? 0
            : text_width(look, look.fonts.regular, type::kSecondary, status) + look.px(14);
    const float room = right - box.x0;
    ImGui::SetCursorScreenPos({box.x0, box.y0});
    if (std::exchange(focus_wanted_, false)) ImGui::SetKeyboardFocusHere();
    ImGui::SetNextItemWidth(room);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                        {look.px(10), (box.height() - ImGui::GetFontSize()) / 2});
    ImGuiIO& io = ImGui::GetIO();
    const bool keeps = std::exchange(io.ConfigInputTextEnterKeepActive, true);
    struct Recall {
        FindBox* box;
        const std::vector<std::string>* history;
    } recall{this, &history};
    const auto callback = [](ImGuiInputTextCallbackData* data) {
        const auto* to = static_cast<Recall*>(data->UserData);
        to->box->recall(*data, *to->history);
        return 0;
    };
    const auto* const hint = std::ranges::find_if(kHints, [&](const char* text) {
        return ImGui::CalcTextSize(text).x <= room - status_width - look.px(20);
    });
    const bool entered =
        ImGui::InputTextWithHint("##find", hint == std::end(kHints) ? "" : *hint, &text_,
                                 ImGuiInputTextFlags{ImGuiInputTextFlags_EnterReturnsTrue} |
                                     ImGuiInputTextFlags{ImGuiInputTextFlags_CallbackHistory},
                                 callback, &recall);
    io.ConfigInputTextEnterKeepActive = keeps;
    ImGui::PopStyleVar();
    // Esc leaves the field and keeps the text; Dear ImGui would restore the earlier text.
    if (focused_ && ImGui::IsKeyPressed(ImGuiKey_Escape)) text_ = before_escape_;
    focused_ = ImGui::IsItemActive();
    if (focused_) before_escape_ = text_;
    if (!focused_ || entered) back_ = 0;
    if (!status.empty() && status_width < room * 0.6f) {
        const ImVec2 at{right - status_width, text_y(look, type::kSecondary, box.y0, box.height())};
        list.AddRectFilled(
            {at.x - look.px(6), box.y0 + 2}, {right - 2, box.y1 - 2},
            ImGui::GetColorU32(focused_ ? ImGuiCol_FrameBgActive : ImGuiCol_FrameBg));
        draw_text(list, look, look.fonts.regular, type::kSecondary, at,
                  error_ ? look.colors.costs : look.colors.mid, status);
    }
    if (focused_) list.AddRect({box.x0, box.y0}, {right, box.y1}, look.colors.accent, look.px(5));
    if (error_) {
        underline_error(look);
        if (focused_) draw_error(look);
    }
    return pressed;
}

// From the position of the error to the end of the word.
void FindBox::underline_error(const Look& look) const {
    const auto place =
        static_cast<std::size_t>(std::min<uint64_t>(error_->byte_offset, text_.size()));
    const std::size_t end = std::min(text_.find(' ', place), text_.size());
    const float before = ImGui::CalcTextSize(text_.data(), text_.data() + place).x;
    const float width =
        std::max(look.px(6), ImGui::CalcTextSize(text_.data() + place, text_.data() + end).x);
    const float x = std::min(box_.x0 + look.px(10) + before, box_.x1 - look.px(8));
    const float y = box_.y1 - look.px(5);
    ImGui::GetWindowDrawList()->AddRectFilled(
        {x, y}, {std::min(x + width, box_.x1), y + look.px(2)}, look.colors.costs);
}

void FindBox::draw_error(const Look& look) const {
    ImGui::SetNextWindowPos({box_.x0, box_.y1 + look.px(4)});
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.costs);
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(look.px(420));
    ImGui::TextUnformatted(error_->text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
    ImGui::PopStyleColor();
}

}  // namespace lanescope
