#include "ui/shell/floating.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "core/view/idle_spans.h"

namespace lanescope {

namespace {

constexpr ImGuiWindowFlags kCard = ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoDocking |
                                   ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings |
                                   ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoTitleBar |
                                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;

struct LegendLine {
    EventClass event_class;
    const char* says;
};
constexpr LegendLine kLegend[] = {
    {EventClass::python, "Python frames"},
    {EventClass::module, "modules"},
    {EventClass::annotation, "steps, user ranges, NVTX"},
    {EventClass::op, "framework operators"},
    {EventClass::runtime, "launches and other API calls"},
    {EventClass::kernel, "GPU kernels"},
    {EventClass::memory, "copies and sets"},
    {EventClass::communication, "collectives"},
    {EventClass::sync, "synchronisation"},
    {EventClass::overhead, "the profiler itself"},
    {EventClass::other, "everything else"},
};

void begin_card(const Look& look) {
    ImGui::PushStyleColor(ImGuiCol_WindowBg, look.colors.raised);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(16), look.px(12)});
}

void end_card() {
    ImGui::End();
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
}

void title(const Look& look, const char* text) {
    ImGui::PushFont(look.fonts.medium, type::kText);
    ImGui::TextUnformatted(text);
    ImGui::PopFont();
    ImGui::Dummy({0, look.px(2)});
}

// Where nothing runs: a hatch for the host, a tint for each cause on the GPU.
void draw_idle_legend(const Look& look) {
    constexpr std::array kCauses = {GapCause::host,
                                    GapCause::synchronisation,
                                    GapCause::copy,
                                    GapCause::dependency,
                                    GapCause::launch_latency,
                                    GapCause::graph,
                                    GapCause::profiler_overhead,
                                    GapCause::unknown};
    ImGui::Dummy({0, look.px(4)});
    title(look, "Where nothing runs");
    ImGui::PushFont(look.fonts.regular, type::kTable);
    const auto line = [&](const IdleLook& colors, bool hatched, std::string_view says) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const ImVec2 end{at.x + look.px(22), at.y + look.px(14)};
        ImDrawList& list = *ImGui::GetWindowDrawList();
        list.AddRectFilled(at, end, hatched ? look.colors.bg : colors.fill.packed());
        if (hatched) {
            list.PushClipRect(at, end, true);
            for (float x = at.x - look.px(14); x < end.x; x += look.px(6))
                list.AddLine({x, end.y}, {x + look.px(14), at.y}, colors.line.packed());
            list.PopClipRect();
        }
        list.AddRect(at, end, look.colors.line2);
        ImGui::Dummy({look.px(30), look.px(14)});
        ImGui::SameLine();
        // The tints are faint; the words have the colour that lengths have on them.
        ImGui::PushStyleColor(ImGuiCol_Text, hatched ? look.colors.hi : colors.text.packed());
        ImGui::TextUnformatted(says.data(), says.data() + says.size());
        ImGui::PopStyleColor();
    };
    line(dead_window_look(look.theme), true, "dead window: nothing that is called runs");
    for (const GapCause cause : kCauses)
        line(gap_look(look.theme, cause), false,
             "GPU idle: " +
                 std::string(cause == GapCause::unknown ? "cause not known" : short_cause(cause)));
    ImGui::PopFont();
}

}  // namespace

void draw_legend(bool& shown, const Look& look) {
    if (!shown) return;
    const ImVec2 size = ImGui::GetMainViewport()->Size;
    ImGui::SetNextWindowPos({size.x - look.px(12), look.px(48)}, ImGuiCond_Always, {1, 0});
    begin_card(look);
    ImGui::Begin("##legend", nullptr, kCard);
    title(look, "Colours");
    ImGui::PushFont(look.fonts.regular, type::kTable);
    for (const LegendLine& line : kLegend) {
        const auto index = static_cast<std::size_t>(line.event_class);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const ImVec2 end{at.x + look.px(22), at.y + look.px(14)};
        ImGui::GetWindowDrawList()->AddRectFilled(at, end, look.colors.fill[index], look.px(2));
        ImGui::GetWindowDrawList()->AddRect(at, end, look.colors.edge[index], look.px(2));
        ImGui::Dummy({look.px(30), look.px(14)});
        ImGui::SameLine();
        ImGui::TextUnformatted(line.says);
    }
    ImGui::PopFont();
    draw_idle_legend(look);
    end_card();
}

ToastAnswer draw_toast(const std::string& message, const Look& look) {
    constexpr float kWidest = 720;
    constexpr float kAboveEdge = 40;
    const ImVec2 size = ImGui::GetMainViewport()->Size;
    const float most = std::min(look.px(kWidest), size.x - look.px(48));
    const float text = text_width(look, look.fonts.regular, type::kText, message);
    ImGui::SetNextWindowPos({std::round(size.x / 2), size.y - look.px(kAboveEdge)},
                            ImGuiCond_Always, {0.5f, 1});
    ImGui::SetNextWindowSize({std::min(most, text + look.px(33)), 0});
    begin_card(look);
    ImGui::Begin("##toast", nullptr, kCard & ~ImGuiWindowFlags_AlwaysAutoResize);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(message.data(), message.data() + message.size());
    ImGui::PopTextWrapPos();
    const bool held = ImGui::IsWindowHovered();
    const bool clicked = held && ImGui::IsMouseReleased(0);
    end_card();
    return clicked ? ToastAnswer::dismissed : held ? ToastAnswer::held : ToastAnswer::none;
}

}  // namespace lanescope
