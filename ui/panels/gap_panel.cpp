#include "ui/panels/gap_panel.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/format.h"
#include "core/view/short_name.h"
#include "ui/panels/link.h"
#include "ui/panels/panel_column.h"

namespace lanescope {

namespace {

std::string device_text(const GapStory& story) {
    return story.gap.device < 0 ? std::string("the GPU") : fmt::format("GPU {}", story.gap.device);
}

// A cause in a sentence.
std::string cause_text(GapCause cause) {
    switch (cause) {
        case GapCause::profiler_overhead:
            return "The profiler itself worked for most of it.";
        case GapCause::synchronisation:
            return "The host waited for the GPU before it launched what came next.";
        case GapCause::copy:
            return "The host worked on the next copy for most of it.";
        case GapCause::host:
            return "The host was late: it launched what came next after the GPU had run dry.";
        case GapCause::dependency:
            return "The stream waited for an event of another one.";
        case GapCause::graph:
            return "What came next belongs to a graph: files do not say what its parts wait for.";
        case GapCause::launch_latency:
            return "What came next had been launched: it took that long to start.";
        case GapCause::unknown:
            break;
    }
    return "The launch of what came next is not in the file, so the cause is not known.";
}

void wrapped(const Look& look, const std::string& text, ImU32 color) {
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
    ImGui::Dummy({0, look.px(2)});
}

// A slice as a link, with a time at the right.
void link_row(PanelColumn& c, const Trace& trace, SliceRef slice, const std::string& time, int id,
              Requests& requests) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = text_width(c.look, c.look.fonts.regular, type::kTable, time);
    ImGui::PushID(id);
    if (draw_link(c.look, at, "slice", short_name(trace, slice), c.width() - width - c.look.px(12),
                  c.look.fonts.regular))
        requests.select = slice;
    ImGui::PopID();
    draw_text(c.list, c.look, c.look.fonts.regular, type::kTable,
              {c.x1 - width, text_y(c.look, type::kTable, at.y, c.look.px(kLinkHeight))},
              c.look.colors.hi, time);
    ImGui::SetCursorScreenPos({at.x, at.y + c.look.px(kLinkHeight)});
    ImGui::Dummy({0, 0});
}

}  // namespace

void draw_gap(const Trace& trace, const GapStory& story, const Look& look, Requests& requests) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(1)});
    PanelColumn c = panel_column(look);
    ImGui::PushFont(look.fonts.medium, type::kName);
    ImGui::TextUnformatted(
        fmt::format("{} idle for {}", device_text(story), format_duration(story.gap.range.length()))
            .c_str());
    ImGui::PopFont();
    wrapped(look,
            fmt::format("Gap {} of {}, from the longest on  ·  G next  ·  Shift + G back",
                        format_count(static_cast<int64_t>(story.place) + 1),
                        format_count(static_cast<int64_t>(story.count))),
            look.colors.low);
    wrapped(look, cause_text(story.gap.cause), look.colors.waiting);
    row(c, "Starts at", format_duration(story.gap.range.begin - trace.origin));
    if (story.device_span > 0)
        row(c, "The GPU is busy for",
            fmt::format("{} of its {}",
                        format_percent(static_cast<double>(story.device_busy) /
                                       static_cast<double>(story.device_span)),
                        format_duration(story.device_span)));
    int id = 0;
    if (story.around.slice) {
        section(c, "MEANWHILE ON THE HOST");
        for (const GapCall& call : story.chain)
            link_row(c, trace, call.slice, format_duration(call.inside), id++, requests);
        link_row(c, trace, story.around.slice, format_duration(story.around.inside), id++,
                 requests);
    }
    if (!story.calls.empty()) {
        section(c, "ITS LONGEST CALLS");
        for (const GapCall& call : story.calls)
            link_row(c, trace, call.slice, format_duration(call.inside), id++, requests);
    }
    const GpuActivities& gpu = trace.gpu_activities;
    section(c, "ON THE GPU");
    link_row(c, trace, gpu.slice[story.gap.before], "ran before", id++, requests);
    link_row(c, trace, gpu.slice[story.gap.after], "ran after", id++, requests);
    ImGui::PopStyleVar();
}

}  // namespace lanescope
