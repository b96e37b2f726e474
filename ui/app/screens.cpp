#include "ui/app/screens.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/base/format.h"
#include "core/base/url.h"
#include "ui/base/abilities.h"

namespace lanescope {

namespace {

// Begins a column of widgets, `width` wide, in the middle of [min, max); the cursor is at its top.
float begin_column(const Look& look, ImVec2 min, ImVec2 max, float width, float height) {
    const float room = max.x - min.x - look.px(32);
    const float used = std::min(look.px(width), room);
    const float x = std::round((min.x + max.x - used) / 2);
    const float y =
        std::round(std::max(min.y + look.px(16), (min.y + max.y - look.px(height)) / 2));
    ImGui::SetCursorScreenPos({x, y});
    ImGui::BeginGroup();
    return used;
}

void line(const Look& look, ImFont* font, float size, ImU32 color, std::string_view text,
          float width) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_text_cut(*ImGui::GetWindowDrawList(), look, font, size, at, color, text, width);
    ImGui::Dummy({width, std::round(size * look.scale)});
}

void wrapped(const Look& look, ImU32 color, const std::string& text, float width) {
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
    ImGui::Dummy({0, look.px(2)});
}

bool path_row(const Look& look, const std::string& path, float width) {
    const std::filesystem::path file(path);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = look.px(26);
    ImGui::PushID(path.c_str());
    const bool clicked =
        ImGui::InvisibleButton("path", {width, height}, ImGuiButtonFlags_EnableNav);
    const bool hot = ImGui::IsItemHovered();
    ImGui::PopID();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (hot) {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        list.AddRectFilled(at, {at.x + width, at.y + height}, look.colors.panel, look.px(5));
    }
    const float pad = look.px(8);
    const float y = text_y(look, type::kText, at.y, height);
    const float used = draw_text_cut(list, look, look.fonts.regular, type::kText, {at.x + pad, y},
                                     look.colors.accent, file.filename().string(), width * 0.6f);
    const float left = width - used - 3 * pad;
    draw_text_cut(list, look, look.fonts.regular, type::kTable,
                  {at.x + 2 * pad + used, text_y(look, type::kTable, at.y, height)},
                  look.colors.low, file.parent_path().string(), left);
    return clicked;
}

std::string advice(ErrorCode code) {
    switch (code) {
        case ErrorCode::io:
            return "Check that the file exists, can be read, and is not being written to.";
        case ErrorCode::unsupported:
            return "Export a Chrome or Kineto JSON trace (plain, .gz or .zst), for instance with "
                   "torch.profiler's "
                   "export_chrome_trace.";
        case ErrorCode::damaged:
            return "The file is truncated or was changed. Record it again, or copy it again from "
                   "its origin.";
        case ErrorCode::empty:
            return "There is nothing to show in it. Was the profiler running when it was exported?";
        default:
            return "";
    }
}

void draw_capture_buttons(Frame& frame) {
    const Look& look = frame.look;
    ImGui::SameLine();
    if (ImGui::Button("Attach…", {0, look.px(30)})) frame.requests.act(Action::attach);
    ImGui::SetItemTooltip("Have a running PyTorch record  %s",
                          keys_of(frame.keys, Action::attach).c_str());
    ImGui::SameLine();
    if (ImGui::Button("Record…", {0, look.px(30)})) frame.requests.act(Action::record);
    ImGui::SetItemTooltip("Run a program and record it  %s",
                          keys_of(frame.keys, Action::record).c_str());
}

}  // namespace

void draw_start_screen(ImVec2 min, ImVec2 max, Frame& frame) {
    const Look& look = frame.look;
    std::vector<std::string> recent;
    for (const std::string& path : frame.settings.recent_files) {
        std::error_code code;
        if (std::filesystem::exists(path, code)) recent.push_back(path);
    }
    const float rows = 26.0f * static_cast<float>(recent.size());
    const float width = begin_column(look, min, max, 560, 210 + rows);
    line(look, look.fonts.medium, type::kName * 1.3f, look.colors.hi, "Open a trace", width);
    ImGui::Dummy({0, look.px(2)});
    wrapped(look, look.colors.mid,
            std::string("A profile of a PyTorch program, or any Chrome trace: .json, .json.gz or "
                        ".json.zst. Open one here, ") +
                (abilities().captures ? "drop a file on this window, record a program, or have a "
                                        "running PyTorch record itself."
                                      : "or drop a file on this page. It stays on this machine."),
            width);
    ImGui::Dummy({0, look.px(6)});
    ImGui::PushStyleColor(ImGuiCol_Button, look.colors.accent);
    ImGui::PushStyleColor(ImGuiCol_ButtonHovered, mixed(look.colors.accent, look.colors.hi, 0.15f));
    ImGui::PushStyleColor(ImGuiCol_ButtonActive, mixed(look.colors.accent, look.colors.hi, 0.3f));
    ImGui::PushStyleColor(ImGuiCol_Text,
                          look.theme == Theme::light ? look.colors.raised : look.colors.bg);
    ImGui::PushStyleColor(ImGuiCol_NavCursor, look.colors.hi);
    if (ImGui::Button("Open…", {look.px(120), look.px(30)})) frame.requests.act(Action::open);
    ImGui::PopStyleColor(5);
    if (abilities().captures) draw_capture_buttons(frame);
    if (!frame.options.sample_path.empty()) {
        ImGui::SameLine();
        if (ImGui::Button("Look at a sample", {0, look.px(30)}))
            frame.requests.add(OpenFile{frame.options.sample_path});
    }
    ImGui::Dummy({0, look.px(14)});
    line(look, look.fonts.medium, type::kSecondary, look.colors.low, "RECENT FILES", width);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::Dummy({0, look.px(4)});
    for (const std::string& path : recent) {
        if (path_row(look, path, width)) frame.requests.add(OpenFile{path});
    }
    ImGui::PopStyleVar();
    if (recent.empty())
        wrapped(look, look.colors.low, "None yet: opened traces are listed here.", width);
    ImGui::EndGroup();
}

void draw_loading(ImVec2 min, ImVec2 max, Frame& frame) {
    const Look& look = frame.look;
    const DocumentProgress progress = frame.trace->document().progress();
    const float height = look.px(64);
    const float width = std::min(look.px(460), max.x - min.x - look.px(32));
    const ImVec2 at{std::round((min.x + max.x - width) / 2), max.y - height - look.px(24)};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(at, {at.x + width, at.y + height}, look.colors.raised, look.px(6));
    list.AddRect(at, {at.x + width, at.y + height}, look.colors.line2, look.px(6));
    const float pad = look.px(14);
    const float inner = width - 2 * pad - look.px(90);
    const float part = progress.bytes_total > 0 ? static_cast<float>(progress.bytes_done) /
                                                      static_cast<float>(progress.bytes_total)
                                                : 0;
    std::string text = format_bytes(static_cast<int64_t>(progress.bytes_done));
    if (progress.bytes_total > 0)
        text += " of " + format_bytes(static_cast<int64_t>(progress.bytes_total));
    if (progress.bytes_per_second > 0)
        text += " · " + format_bytes(static_cast<int64_t>(progress.bytes_per_second)) + "/s";
    if (progress.seconds_left >= 0.05) {
        text += " · " +
                format_duration(static_cast<Nanos>(std::ceil(progress.seconds_left * 10) * 1e8)) +
                " left";
    }
    draw_text_cut(list, look, look.fonts.medium, type::kTable, {at.x + pad, at.y + look.px(10)},
                  look.colors.hi,
                  progress.copying                    ? "Copying from the other machine"
                  : frame.trace->document().loading() ? "Loading"
                                                      : "Preparing the timeline",
                  inner);
    draw_text_cut(list, look, look.fonts.regular, type::kSecondary,
                  {at.x + pad, at.y + look.px(28)}, look.colors.mid, text, inner);
    const float bar = at.y + look.px(48);
    list.AddRectFilled({at.x + pad, bar}, {at.x + pad + inner, bar + look.px(4)}, look.colors.line,
                       look.px(2));
    list.AddRectFilled({at.x + pad, bar},
                       {at.x + pad + inner * std::clamp(part, 0.0f, 1.0f), bar + look.px(4)},
                       look.colors.accent, look.px(2));
    ImGui::SetCursorScreenPos({at.x + width - pad - look.px(76), at.y + look.px(19)});
    if (ImGui::Button("Cancel", {look.px(76), look.px(26)}))
        frame.requests.act(Action::cancel_load);
    ImGui::SetItemTooltip("Discard it  %s", keys_of(frame.keys, Action::cancel_load).c_str());
}

void draw_error(ImVec2 min, ImVec2 max, Frame& frame) {
    const Look& look = frame.look;
    const Error& error = *frame.files->error();
    const float width = begin_column(look, min, max, 620, 190);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    line(look, look.fonts.medium, type::kName, look.colors.hi, "This file cannot be opened", width);
    ImGui::Dummy({0, look.px(2)});
    wrapped(look, look.colors.hi, error.text, width);
    if (error.byte_offset != Error::no_offset) {
        wrapped(
            look, look.colors.mid,
            "At byte " + format_count(static_cast<int64_t>(error.byte_offset)) + " of the text.",
            width);
    }
    // The text about a file on another machine says what failed there.
    if (error.code != ErrorCode::io || !is_url(frame.files->path()))
        wrapped(look, look.colors.mid, error.advice.empty() ? advice(error.code) : error.advice,
                width);
    ImGui::Dummy({0, look.px(8)});
    if (ImGui::Button("Open another…", {0, look.px(30)})) frame.requests.act(Action::open);
    ImGui::SameLine();
    if (ImGui::Button("Try again", {0, look.px(30)}))
        frame.requests.add(OpenFile{frame.files->path()});
    ImGui::SameLine();
    if (ImGui::Button("Close", {0, look.px(30)})) frame.requests.add(DismissError{});
    list.AddRectFilled({at.x - look.px(16), at.y}, {at.x - look.px(12), ImGui::GetItemRectMax().y},
                       look.colors.costs);
    ImGui::EndGroup();
}

}  // namespace lanescope
