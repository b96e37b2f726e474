#include "core/export/words/gap_sentence.h"

#include <fmt/format.h>

#include "core/base/format.h"
#include "core/export/words/terminal_text.h"
#include "core/trace/kernel_label.h"
#include "core/trace/short_name.h"

namespace lanescope {

namespace {

std::string calls_text(const Trace& trace, const GapCalls& calls) {
    const std::string detail = calls_detail(calls);
    return fmt::format("{} {}{}", calls_label(trace, calls), format_duration(calls.total),
                       detail.empty() ? "" : fmt::format(" ({})", detail));
}

// What ran during the gap, and the operator that it belongs to.
std::string activity_text(const Trace& trace, uint32_t row, SliceRef op) {
    const SliceRef slice = trace.gpu_activities.slice[row];
    return op ? fmt::format("{} ({})", name_in_sentence(trace, slice), name_in_sentence(trace, op))
              : name_in_sentence(trace, slice);
}

constexpr std::size_t kThreadsListed = 4;

// When the next activity was launched, and what the host did during the gap.
std::string meanwhile_text(const Trace& trace, const GapStory& story) {
    std::string line = "the next work was launched " + launch_text(trace, story.gap);
    for (std::size_t i = 0; i < story.threads.size() && i < kThreadsListed; ++i)
        line += fmt::format("; {}: {}",
                            printable(trace.strings[trace.lanes[story.threads[i].lane].name]),
                            thread_text(trace, story.threads[i]));
    if (story.threads.size() > kThreadsListed)
        line += fmt::format("; {} more threads", story.threads.size() - kThreadsListed);
    return line + "; ";
}

}  // namespace

std::string name_in_sentence(std::string_view name) {
    return cut_to_width(printable(name), 48);
}

std::string name_in_sentence(const Trace& trace, SliceRef slice) {
    if (trace.event_class(slice) == EventClass::kernel)
        return name_in_sentence(kernel_label(trace.name(slice)));
    return name_in_sentence(short_name(trace, slice));
}

std::string calls_label(const Trace& trace, const GapCalls& calls) {
    const std::string name = printable(trace.strings[calls.name]);
    return calls.count == 1
               ? name
               : fmt::format("{} × {}", format_count(static_cast<int64_t>(calls.count)), name);
}

std::string calls_detail(const GapCalls& calls) {
    constexpr std::string_view loads = "the first launch of its kernel: lazy loading";
    if (calls.count == 1) return calls.loads_kernel ? std::string(loads) : std::string();
    return fmt::format("{}{}{}, {}{}", format_duration(calls.longest[0].inside),
                       calls.loads_kernel ? ": " : "", calls.loads_kernel ? loads : "",
                       format_duration(calls.longest[1].inside), calls.count > 2 ? ", …" : "");
}

std::string_view gap_cause_words(GapCause cause) {
    switch (cause) {
        case GapCause::graph:
            return "cause not recorded";
        case GapCause::unknown:
            return "launch not recorded";
        default:
            return gap_cause_name(cause);
    }
}

std::string thread_text(const Trace& trace, const GapThread& thread) {
    if (!thread.call.slice) return "nothing recorded";
    return fmt::format("{}{}{}", name_in_sentence(trace, thread.call.slice),
                       thread.op ? fmt::format(" ({})", name_in_sentence(trace, thread.op)) : "",
                       thread.outlasts ? ", which outlasts the gap" : "");
}

std::string launch_text(const Trace& trace, const IdleGap& gap) {
    const Nanos launch = trace.start(gap.launch);
    return fmt::format("at {}, {}", format_duration(launch - trace.origin),
                       launch > gap.range.begin
                           ? std::string("in the gap")
                           : format_duration(gap.range.begin - launch) + " before the gap");
}

std::string gap_sentence(const Trace& trace, const GapStory& story) {
    const IdleGap& gap = story.gap;
    std::string line = fmt::format("{} at {}", format_duration(gap.range.length()),
                                   format_duration(gap.range.begin - trace.origin));
    line += fmt::format(", {}: ", gap_cause_words(gap.cause));
    if (gap.cause == GapCause::graph) {
        line += meanwhile_text(trace, story);
    } else if (story.around.slice) {
        line += "in " + name_in_sentence(trace, story.around.slice);
        if (10 * story.around.inside < 9 * gap.range.length())
            line += fmt::format(" for {}", format_duration(story.around.inside));
        line += ", ";
    }
    if (gap.cause != GapCause::graph) {
        if (story.frame) line += "in " + name_in_sentence(trace, story.frame) + ", ";
        for (const GapCalls& calls : story.calls) line += calls_text(trace, calls) + ", ";
    }
    return line + fmt::format("after {}, before {}.",
                              activity_text(trace, gap.before, story.op_before),
                              activity_text(trace, gap.after, story.op_after));
}

}  // namespace lanescope
