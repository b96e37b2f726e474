#include "ui/features/what_if.h"

#include "core/insight/what_if/what_if.h"
#include "ui/commands/panel_names.h"

namespace lanescope {

namespace {

constexpr double kTwice = 2;
constexpr std::size_t kMaxHelpRows = 30;  // number of changes listed

// The trace of the rows that the panel shows.
struct ShownRows {
    TracePtr trace;
};

}  // namespace

std::span<const Action> WhatIfFeature::actions() const {
    static constexpr Action kActions[] = {Action::what_if};
    return kActions;
}

void WhatIfFeature::act(Action /*action*/, Frame& frame) {
    ask(frame.timeline.selected, frame);
}

bool WhatIfFeature::take(const Request& request, Frame& frame) {
    const auto* const asked = std::get_if<AskWhatIf>(&request);
    if (asked) ask(asked->slice, frame);
    return asked != nullptr;
}

void WhatIfFeature::ask(SliceRef slice, Frame& frame) {
    if (frame.live()) {
        frame.notify("What-if becomes available when the recording ends.");
        frame.show_panel(kWhatIfPanel);
        return;
    }
    if (!frame.loaded() || !slice) {
        frame.notify(
            "Select a kernel or operator to see how long steps would be if it were faster.");
        return;
    }
    frame.trace->state.get<ShownRows>().trace =
        frame.timeline.index ? frame.timeline.index->trace : nullptr;
    panel_.set_source([slice](const TraceContext& context, const TableQuery& query) {
        const Trace& trace = context.trace();
        return what_if_table(context, query, change_like(context, slice), trace.name(slice),
                             kTwice);
    });
    frame.show_panel(kWhatIfPanel);
}

// A slice of another trace is meaningless in this one. During a recording, the most effective
// changes are computed for each snapshot.
void WhatIfFeature::begin(Frame& frame) {
    if (!frame.trace) return;
    TracePtr& trace_of_rows = frame.trace->state.get<ShownRows>().trace;
    const TracePtr shown = frame.timeline.index ? frame.timeline.index->trace : nullptr;
    if (frame.live() ? trace_of_rows != nullptr : trace_of_rows == shown) return;
    trace_of_rows = shown;
    panel_.set_source([](const TraceContext& context, const TableQuery& query) {
        return what_helps_table(context, query, kTwice, kMaxHelpRows);
    });
}

}  // namespace lanescope
