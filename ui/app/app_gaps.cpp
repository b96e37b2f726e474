// Idle spans: found for the lanes in the background; the walk from one idle gap of the GPU to the
// next, longest first.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/format.h"
#include "core/export/gap_sentence.h"
#include "ui/app/app.h"
#include "ui/commands/panel_names.h"
#include "ui/panels/gap_panel.h"

namespace lanescope {

// A load may meanwhile have put a newer snapshot on the timeline, with other lanes.
void App::find_idle() {
    analysis_worker_.post([this, of = traces_.of, contexts = traces_.contexts] {
        std::vector<std::shared_ptr<const IdleSpans>> found;
        found.reserve(contexts.size());
        for (const auto& context : contexts) found.push_back(find_idle_spans(*context));
        return [this, of, idle = joined_idle_spans(found)] {
            if (of == traces_.of) timeline_.idle = idle;
            pacing_.wake();
        };
    });
}

void App::walk_gaps(int by) {
    if (!context_) {
        if (document_) notify("Gaps are known once the trace is loaded.", now_);
        return;
    }
    if (gap_walk_.busy) return;
    const auto range = timeline_.marked ? std::optional(timeline_.marked->time) : std::nullopt;
    if (gap_walk_.context != context_ || gap_walk_.range != range)
        gap_walk_ = {context_, range, nullptr, std::nullopt, false};
    gap_walk_.busy = true;
    std::size_t place = 0;
    if (gap_walk_.at) {
        const std::size_t count = gap_walk_.gaps->size();
        place = (gap_walk_.at->place + (by > 0 ? 1 : count - 1)) % count;
    }
    worker_.post([this, context = context_, range, gaps = gap_walk_.gaps, place] {
        const auto all =
            gaps ? gaps
                 : std::make_shared<const std::vector<IdleGap>>(device_gaps(*context, {range}));
        std::optional<WalkedGap> at;
        if (!all->empty()) at = walk_to(*context, *all, place);
        return [this, context, all, at = std::move(at)]() mutable {
            gap_walk_.busy = false;
            if (context != context_) return;
            gap_walk_.gaps = all;
            gap_walk_.at = std::move(at);
            show_gap();
        };
    });
}

void App::show_gap() {
    pacing_.wake();
    if (!gap_walk_.at) {
        const bool any = !context_->trace().gpu_activities.slice.empty();
        notify(any ? "No GPU is idle between two activities." : "No GPU activity in this trace.",
               now_);
        return;
    }
    const WalkedGap& at = *gap_walk_.at;
    const IdleGap& gap = at.story.gap;
    timeline_.selected = {};
    timeline_.gap = gap.range;
    timeline_.gap_process = gap.process;
    timeline_.camera.remember();
    timeline_.camera.frame(gap.range);
    timeline_.camera.remember();
    if (gap.launch) reveal_lane(timeline_, gap.launch.lane);
    if (narrow_layout_)
        show_panel(kSelectionPanel);
    else
        tell(Tell::selection);
    notify(fmt::format("Gap {} of {}, {}: {}", format_count(static_cast<int64_t>(at.place) + 1),
                       format_count(static_cast<int64_t>(at.count)), gpu_label(gap),
                       gap_sentence(context_->trace(), at.story)),
           now_);
}

}  // namespace lanescope
