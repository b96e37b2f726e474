#include "ui/panels/gap_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/base/format.h"
#include "core/export/words/gap_sentence.h"
#include "core/trace/devices.h"
#include "core/trace/short_name.h"
#include "ui/panels/link.h"
#include "ui/panels/panel_column.h"

namespace lanescope {

namespace {

// Describes a cause in one sentence.
std::string cause_text(GapCause cause) {
    switch (cause) {
        case GapCause::profiler_overhead:
            return "The profiler itself was working for most of it.";
        case GapCause::synchronisation:
            return "The host waited for the GPU before it launched the next activity.";
        case GapCause::copy:
            return "The host worked on the next copy for most of it.";
        case GapCause::host:
            return "The host was late: it launched the next activity after the GPU had run out of "
                   "work.";
        case GapCause::dependency:
            return "The stream waited for an event of another one.";
        case GapCause::graph:
            return "The cause is not recorded: the next activity had been launched, and the file "
                   "does not say what it waited for.";
        case GapCause::launch_latency:
            return "The next activity had been launched: it took that long to start.";
        case GapCause::recording:
            return "The profiler started or stopped: this is no time of the program.";
        case GapCause::unknown:
            break;
    }
    return "The launch of the next activity is not in the file, so the cause is unknown.";
}

void wrapped(const Look& look, const std::string& text, ImU32 color) {
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
    ImGui::Dummy({0, look.px(2)});
}

// A slice as a link, with a time on the right.
void link_row(PanelColumn& c, std::string_view name, SliceRef slice, const std::string& time,
              int id, Requests& requests) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = text_width(c.look, c.look.fonts.regular, type::kTable, time);
    ImGui::PushID(id);
    if (draw_link(c.look, at, "slice", name, c.width() - width - c.look.px(12),
                  c.look.fonts.regular))
        requests.add(SelectSlice{slice});
    ImGui::PopID();
    draw_text(c.list, c.look, c.look.fonts.regular, type::kTable,
              {c.x1 - width, text_y(c.look, type::kTable, at.y, c.look.px(kLinkHeight))},
              c.look.colors.hi, time);
    ImGui::SetCursorScreenPos({at.x, at.y + c.look.px(kLinkHeight)});
    ImGui::Dummy({0, 0});
}

// Returns the number of links.
int describe_threads(PanelColumn& c, const Trace& trace, const GapStory& story,
                     Requests& requests) {
    int id = 0;
    section(c, "MEANWHILE ON THE HOST");
    for (const GapThread& thread : story.threads) {
        const std::string name(trace.strings[trace.lanes[thread.lane].name]);
        if (thread.call.slice) {
            link_row(c, short_name(trace, thread.call.slice), thread.call.slice,
                     format_duration(thread.call.inside), id++, requests);
            if (thread.outlasts) wrapped(c.look, "outlasts the gap", c.look.colors.low);
            if (thread.op)
                link_row(c, short_name(trace, thread.op), thread.op, "around it", id++, requests);
        }
        if (thread.call.slice)
            row(c, "On", name);
        else
            row(c, name, "nothing recorded", c.look.colors.low);
    }
    return id;
}

int describe_host(PanelColumn& c, const Trace& trace, const GapStory& story, Requests& requests) {
    if (!story.threads.empty()) return describe_threads(c, trace, story, requests);
    int id = 0;
    std::vector<GapCall> host = story.chain;
    if (story.around.slice) host.push_back(story.around);
    if (!host.empty() || story.frame) section(c, "MEANWHILE ON THE HOST");
    for (const GapCall& call : host)
        link_row(c, short_name(trace, call.slice), call.slice, format_duration(call.inside), id++,
                 requests);
    if (story.frame)
        link_row(c, short_name(trace, story.frame), story.frame, "Python frame", id++, requests);
    if (!story.calls.empty()) {
        section(c, "ITS LONGEST CALLS");
        for (const GapCalls& calls : story.calls) {
            link_row(c, calls_label(trace, calls), calls.longest.front().slice,
                     format_duration(calls.total), id++, requests);
            if (const std::string detail = calls_detail(calls); !detail.empty())
                wrapped(c.look, detail, c.look.colors.low);
        }
    }
    return id;
}

}  // namespace

void draw_gap(const Trace& trace, const WalkedGap& walked, const Look& look, Requests& requests) {
    const GapStory& story = walked.story;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(1)});
    PanelColumn c = panel_column(look);
    ImGui::PushFont(look.fonts.medium, type::kName);
    const std::string device =
        story.gap.device < 0 ? "the GPU" : fmt::format("GPU {}", story.gap.device);
    ImGui::TextUnformatted(
        in_device_words(
            trace, fmt::format("{} idle for {}", device, format_duration(story.gap.range.length())))
            .c_str());
    ImGui::PopFont();
    wrapped(look,
            fmt::format("Gap {} of {}, from the longest on  ·  G next  ·  Shift + G back",
                        format_count(static_cast<int64_t>(walked.place) + 1),
                        format_count(static_cast<int64_t>(walked.count))),
            look.colors.low);
    wrapped(look, cause_text(story.gap.cause), look.colors.waiting);
    row(c, "Starts at", format_duration(story.gap.range.begin - trace.origin));
    if (!story.threads.empty()) row(c, "Next launched", launch_text(trace, story.gap));
    if (walked.device_span > 0)
        row(c, "The GPU is busy for",
            fmt::format("{} of its {}",
                        format_percent(static_cast<double>(walked.device_busy) /
                                       static_cast<double>(walked.device_span)),
                        format_duration(walked.device_span)));
    int id = describe_host(c, trace, story, requests);
    section(c, "ON THE GPU");
    const auto neighbor_row = [&](uint32_t row, SliceRef op, const char* place) {
        const SliceRef slice = trace.gpu_activities.slice[row];
        link_row(c, short_name(trace, slice), slice, place, id++, requests);
        if (op) link_row(c, short_name(trace, op), op, "launched in", id++, requests);
    };
    neighbor_row(story.gap.before, story.op_before, "ran before");
    neighbor_row(story.gap.after, story.op_after, "ran after");
    ImGui::PopStyleVar();
}

}  // namespace lanescope
