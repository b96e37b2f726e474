#include "ui/features/attach_dialog.h"

#include <fmt/format.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

#include "core/analysis/structure/time_range.h"
#include "ui/look/dialog_parts.h"

namespace lanescope {

namespace {

constexpr const char* kTitle = "Attach to running PyTorch";
constexpr float kRow = 26;
constexpr int kRowsShown = 7;
// Where columns begin, in the width of a row; the command takes the rest.
constexpr float kPid = 34, kRank = 104, kUser = 150, kCommand = 230, kState = 110;

struct Extra {
    const char* text;
    ImGuiKey key;
    bool CaptureOptions::*value;
};
constexpr std::array<Extra, 5> kExtras = {{{"Shapes  S", ImGuiKey_S, &CaptureOptions::shapes},
                                           {"Stack  K", ImGuiKey_K, &CaptureOptions::stack},
                                           {"Memory  M", ImGuiKey_M, &CaptureOptions::memory},
                                           {"FLOPs  F", ImGuiKey_F, &CaptureOptions::flops},
                                           {"Modules  O", ImGuiKey_O, &CaptureOptions::modules}}};

// A symbol in front of the state, so that colour is not the only sign.
std::pair<const char*, ImU32> look_of(CaptureState state, const Look& look) {
    switch (state) {
        case CaptureState::idle:
            return {"", look.colors.low};
        case CaptureState::busy:
        case CaptureState::waiting:
            return {"… ", look.colors.waiting};
        case CaptureState::warming_up:
        case CaptureState::collecting:
        case CaptureState::writing:
            return {"▸ ", look.colors.accent};
        case CaptureState::complete:
            return {"✓ ", look.colors.fine};
        case CaptureState::failed:
            return {"✗ ", look.colors.costs};
    }
    return {"", look.colors.low};
}

std::string file_for_now(const std::string& folder) {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    std::array<char, 64> text{};
    std::strftime(text.data(), text.size(), "torch-%Y%m%d-%H%M%S.json", &local);
    return folder.empty() ? std::string(text.data()) : folder + "/" + text.data();
}

bool is_pressed(ImGuiKey key) {
    const ImGuiIO& io = ImGui::GetIO();
    return !io.WantTextInput && !io.KeyCtrl && !io.KeyAlt && ImGui::IsKeyPressed(key, false);
}

}  // namespace

void AttachDialog::show(const std::string& folder) {
    wanted_ = true;
    wrong_.clear();
    file_ = file_for_now(folder);
}

void AttachDialog::note_place(const std::string& name) {
    const ImVec2 min = ImGui::GetItemRectMin();
    const ImVec2 max = ImGui::GetItemRectMax();
    places_.emplace_back(name, ImVec2{(min.x + max.x) / 2, (min.y + max.y) / 2});
}

// A word that is chosen by a click, highlighted if chosen.
bool AttachDialog::word(const Look& look, const char* text, bool is_on) {
    const bool clicked = dialog_choice(look, text, is_on);
    note_place(text);
    ImGui::SameLine(0, look.px(6));
    return clicked;
}

std::vector<int32_t> AttachDialog::chosen(const AttachView& view) const {
    std::vector<int32_t> pids;
    for (const AttachRow& row : view.rows)
        if (is_chosen(row.pid)) pids.push_back(row.pid);
    return pids;
}

void AttachDialog::toggle(int32_t pid) {
    if (!left_out_.erase(pid)) left_out_.insert(pid);
}

void AttachDialog::ask(const AttachView& view) {
    CaptureOptions options = options_;
    wrong_.clear();
    options.iterations = 0;
    if (by_iterations_) {
        const char* const end = iterations_.data() + iterations_.size();
        const auto read = std::from_chars(iterations_.data(), end, options.iterations);
        if (read.ec != std::errc() || read.ptr != end || options.iterations < 1)
            wrong_ = fmt::format("\"{}\" is not a number of steps.", iterations_);
    } else {
        const auto length = parse_duration(length_);
        options.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::nanoseconds(length.value_or(0)));
        if (options.duration.count() < 1)
            wrong_ = fmt::format("\"{}\" is not a duration such as 500 ms or 2 s.", length_);
    }
    if (file_.empty()) wrong_ = "The trace needs a name.";
    if (wrong_.empty()) answer_.capture = {chosen(view), options, file_};
}

void AttachDialog::take_keys(const AttachView& view) {
    const std::size_t rows = view.rows.size();
    current_ = rows == 0 ? 0 : std::min(current_, rows - 1);
    if (view.under_way) {
        if (is_pressed(ImGuiKey_X)) answer_.cancel = true;
        return;
    }
    if (!ImGui::GetIO().WantTextInput && rows > 0) {
        if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) current_ = (current_ + 1) % rows;
        if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) current_ = (current_ + rows - 1) % rows;
        if (is_pressed(ImGuiKey_Space)) toggle(view.rows[current_].pid);
    }
    for (const Extra& extra : kExtras)
        if (is_pressed(extra.key)) options_.*extra.value = !(options_.*extra.value);
    for (const bool iterations : {false, true}) {
        if (!is_pressed(iterations ? ImGuiKey_I : ImGuiKey_D)) continue;
        by_iterations_ = iterations;
        focus_length_ = true;
    }
    if (is_pressed(ImGuiKey_C) && rows == 0) answer_.copy_command = true;
}

void AttachDialog::draw_row(const AttachRow& row, bool current, float width, const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetItemRectMin();
    const ImVec2 end = ImGui::GetItemRectMax();
    if (current)
        list.AddRectFilled(at, end, with_alpha(look.colors.accent, 0.16f), look.px(4));
    else if (ImGui::IsItemHovered())
        list.AddRectFilled(at, end, with_alpha(look.colors.hi, 0.05f), look.px(4));
    const float side = look.px(13);
    const ImVec2 box{at.x + look.px(10), std::round((at.y + end.y - side) / 2)};
    if (is_chosen(row.pid)) {
        list.AddRectFilled(box, {box.x + side, box.y + side}, look.colors.accent, look.px(3));
        const ImU32 ink = look.theme == Theme::light ? look.colors.raised : look.colors.bg;
        const std::array<ImVec2, 3> tick = {ImVec2{box.x + side * 0.22f, box.y + side * 0.52f},
                                            ImVec2{box.x + side * 0.42f, box.y + side * 0.72f},
                                            ImVec2{box.x + side * 0.80f, box.y + side * 0.28f}};
        list.AddPolyline(tick.data(), 3, ink, look.px(2));
    } else {
        list.AddRect(box, {box.x + side, box.y + side}, look.colors.low, look.px(3));
    }
    const float y = text_y(look, type::kTable, at.y, look.px(kRow));
    const auto cell = [&](float x, float room, ImU32 color, const std::string& text) {
        draw_text_cut_middle(list, look, look.fonts.regular, type::kTable, {at.x + look.px(x), y},
                             color, text, room);
    };
    cell(kPid, look.px(kRank - kPid - 8), look.colors.hi, std::to_string(row.pid));
    cell(kRank, look.px(kUser - kRank - 8), look.colors.mid, row.rank.empty() ? "–" : row.rank);
    cell(kUser, look.px(kCommand - kUser - 8), look.colors.mid, row.user);
    cell(kCommand, width - look.px(kCommand + kState + 8), look.colors.mid, row.command);
    const auto [mark, color] = look_of(row.state, look);
    draw_text_cut(list, look, look.fonts.regular, type::kTable, {at.x + width - look.px(kState), y},
                  color, std::string(mark) + name_of(row.state), look.px(kState));
}

void AttachDialog::draw_nobody(const AttachView& view, const Look& look) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(6), look.px(6)});
    ImGui::Dummy({0, look.px(4)});
    ImGui::Indent(look.px(12));
    const char* first = "Listening: PyTorch asks every five seconds whether to record.";
    if (view.way == AttachView::Way::dynolog)
        first = "No process of yours runs with KINETO_USE_DAEMON.";
    else if (view.nobody_asked)
        first = "No PyTorch process of yours has asked whether to record.";
    dialog_text(look.colors.hi, first);
    ImGui::Dummy({0, look.px(2)});
    dialog_text(look.colors.mid, "A process can be captured if it was started like this:");
    ImGui::PushFont(look.fonts.mono, type::kTable);
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.hi);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(kAttachCommand);
    ImGui::PopStyleColor();
    ImGui::PopFont();
    ImGui::SameLine(0, look.px(14));
    if (ImGui::Button("Copy  C")) answer_.copy_command = true;
    note_place("copy");
    ImGui::Dummy({0, look.px(2)});
    dialog_text(
        look.colors.low,
        "In a container, it needs the host's network, or the same KINETO_IPC_SOCKET_DIR as this "
        "window.");
    ImGui::Unindent(look.px(12));
    ImGui::PopStyleVar();
}

void AttachDialog::draw_processes(const AttachView& view, const Look& look) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(6), 0});
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 head = ImGui::GetCursorScreenPos();
    const float all = ImGui::GetContentRegionAvail().x;
    const auto title = [&](float x, const char* text) {
        draw_text(list, look, look.fonts.regular, type::kSecondary, {head.x + x, head.y},
                  look.colors.low, text);
    };
    title(look.px(kPid), "pid");
    title(look.px(kRank), "rank");
    title(look.px(kUser), "user");
    title(look.px(kCommand), "command");
    title(all - look.px(kState), "state");
    ImGui::Dummy({0, look.px(20)});
    list.AddRectFilled({head.x, head.y + look.px(19)}, {head.x + all, head.y + look.px(20)},
                       look.colors.line);
    if (ImGui::BeginChild("processes", {0, look.px(kRow * kRowsShown)})) {
        const float width = ImGui::GetContentRegionAvail().x;
        for (std::size_t i = 0; i < view.rows.size(); ++i) {
            const AttachRow& row = view.rows[i];
            ImGui::PushID(row.pid);
            if (ImGui::InvisibleButton("row", {width, look.px(kRow)}) && !view.under_way) {
                current_ = i;
                toggle(row.pid);
            }
            note_place(fmt::format("row {}", row.pid));
            draw_row(row, i == current_, width, look);
            if (ImGui::IsItemHovered() && !row.command.empty())
                ImGui::SetTooltip("%s", row.command.c_str());
            ImGui::PopID();
        }
    }
    if (view.rows.empty() && view.way != AttachView::Way::none) draw_nobody(view, look);
    ImGui::EndChild();
    ImGui::PopStyleVar(2);
    const ImVec2 end = ImGui::GetCursorScreenPos();
    list.AddRectFilled({end.x, end.y}, {end.x + all, end.y + 1}, look.colors.line);
    ImGui::Dummy({0, look.px(6)});
}

void AttachDialog::draw_options(const AttachView& view, const Look& look) {
    ImGui::BeginDisabled(view.under_way);
    dialog_label(look, "Record");
    for (const bool iterations : {false, true}) {
        if (word(look, iterations ? "Steps  I" : "Duration  D", by_iterations_ == iterations)) {
            by_iterations_ = iterations;
            focus_length_ = true;
        }
    }
    ImGui::SetNextItemWidth(look.px(110));
    if (std::exchange(focus_length_, false)) ImGui::SetKeyboardFocusHere();
    ImGui::InputText(by_iterations_ ? "##steps" : "##length",
                     by_iterations_ ? &iterations_ : &length_, ImGuiInputTextFlags_AutoSelectAll);
    note_place("length");
    if (by_iterations_) {
        ImGui::SameLine(0, look.px(10));
        ImGui::TextDisabled("of the optimizer");
    }
    dialog_label(look, "With");
    for (const Extra& extra : kExtras)
        if (word(look, extra.text, options_.*extra.value))
            options_.*extra.value = !(options_.*extra.value);
    ImGui::NewLine();
    dialog_label(look, "File");
    ImGui::SetNextItemWidth(-1);
    ImGui::InputText("##file", &file_);
    note_place("file");
    if (chosen(view).size() > 1) {
        dialog_label(look, "");
        ImGui::TextDisabled(
            "One file for each process, with its pid in the name; all open together, aligned by "
            "wall clock.");
    }
    ImGui::EndDisabled();
}

void AttachDialog::draw_problems(const AttachView& view, const Look& look) const {
    if (view.way == AttachView::Way::none)
        dialog_text(look.colors.costs, "No process can be reached: " + view.problem + ".");
    if (view.way == AttachView::Way::dynolog)
        dialog_text(look.colors.waiting, view.problem + ": captures are requested from it.");
    if (!wrong_.empty()) dialog_text(look.colors.costs, wrong_);
    if (view.under_way) {
        for (const AttachRow& row : view.rows)
            if (row.state == CaptureState::failed && is_chosen(row.pid))
                dialog_text(look.colors.costs, fmt::format("{}: {}.", row.pid, row.problem));
        return;
    }
    if (!view.refusal.empty()) dialog_text(look.colors.costs, view.refusal);
    if (view.cancelled)
        dialog_text(
            look.colors.mid,
            "Cancelled. A process that had begun still writes its trace to its own folder.");
    for (const CaptureOutcome& outcome : view.outcomes)
        if (!outcome.problem.empty())
            dialog_text(look.colors.costs, fmt::format("{}: {}.", outcome.pid, outcome.problem));
}

void AttachDialog::draw_buttons(const AttachView& view, const Look& look) {
    const std::size_t count = chosen(view).size();
    const bool can = !view.under_way && count > 0 &&
                     (view.way == AttachView::Way::daemon || view.way == AttachView::Way::dynolog);
    // Enter works whatever has the focus.
    const bool enter = ImGui::IsKeyPressed(ImGuiKey_Enter, false) && !ImGui::IsWindowAppearing();
    ImGui::Dummy({0, look.px(4)});
    ImGui::AlignTextToFramePadding();
    if (view.under_way)
        ImGui::TextDisabled("X cancels; Esc leaves, and the capture continues");
    else
        ImGui::TextDisabled("Space chooses, Tab goes to the fields, Enter captures, Esc leaves");
    const float button = look.px(120);
    ImGui::SameLine(ImGui::GetWindowWidth() - 2 * button - look.px(8) - look.px(12));
    if (view.under_way) {
        if (ImGui::Button("Cancel capture", {button, 0})) answer_.cancel = true;
        note_place("cancel");
        ImGui::SameLine(0, look.px(8));
    }
    if (ImGui::Button("Close", {button, 0}) || ImGui::IsKeyPressed(ImGuiKey_Escape, false) ||
        std::exchange(close_, false))
        ImGui::CloseCurrentPopup();
    note_place("close");
    if (view.under_way) return;
    ImGui::SameLine(0, look.px(8));
    ImGui::BeginDisabled(!can);
    const std::string text = count > 1 ? fmt::format("Capture {}", count) : "Capture";
    if (ImGui::Button(text.c_str(), {button, 0}) || (enter && can)) ask(view);
    note_place("capture");
    ImGui::EndDisabled();
}

AttachAnswer AttachDialog::draw(const AttachView& view, const Look& look) {
    answer_ = {};
    if (std::exchange(wanted_, false)) {
        ImGui::OpenPopup(kTitle);
        close_ = false;
    }
    shown_ = begin_dialog(look, kTitle, 760);
    if (!shown_) return answer_;
    places_.clear();
    take_keys(view);
    draw_processes(view, look);
    draw_options(view, look);
    draw_problems(view, look);
    draw_buttons(view, look);
    ImGui::EndPopup();
    return answer_;
}

}  // namespace lanescope
