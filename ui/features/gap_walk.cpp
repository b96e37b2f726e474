#include "ui/features/gap_walk.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/analysis/gpu/gaps.h"
#include "core/analysis/structure/time_range.h"
#include "core/overlays/idle_spans.h"
#include "ui/commands/panel_names.h"
#include "ui/timeline/gap_layer.h"
#include "ui/timeline/idle_layer.h"

namespace lanescope {

using nlohmann::json;

namespace {

using Gaps = std::shared_ptr<const std::vector<IdleGap>>;

// The gaps of one part of the trace, and of the range that was marked when the walk began.
struct Walk {
    std::shared_ptr<const TraceContext> context;
    std::optional<TimeRange> range;
    Gaps gaps;  // null: not known yet
};

struct WalkStep {
    Gaps gaps;
    std::optional<WalkedGap> at;
};

void show_gap(const TraceContext& context, Frame& frame) {
    frame.pacing.wake();
    const std::optional<WalkedGap>& walked = frame.loaded()->state.get<DescribedGap>().walked;
    if (!walked) {
        const bool any = !context.trace().gpu_activities.slice.empty();
        frame.notify(any ? "No GPU is idle between two activities."
                         : "No GPU activity in this trace.");
        return;
    }
    const IdleGap& gap = walked->story.gap;
    Timeline& timeline = frame.timeline;
    set_selected(timeline, {});
    GapLayer& layer = timeline.layer<GapLayer>();
    layer.gap = gap.range;
    layer.process = gap.process;
    frame_range(timeline, gap.range);
    if (gap.launch) reveal_lane(timeline, gap.launch.lane);
    // The gap is on the lane of what ended it, which may be folded, hidden or out of view.
    reveal_row(timeline, context.trace().gpu_activities.slice[gap.after]);
    if (frame.narrow)
        frame.show_panel(kSelectionPanel);
    else
        frame.front.show_description_of(Described::selection);
}

// The place of the wanted gap among at least one; `present`: of the gap that is described.
using ChooseGap =
    std::function<std::size_t(const std::vector<IdleGap>&, std::optional<std::size_t> present)>;

// Finds the gaps in the background, if they are not known, and shows one of them.
void show_chosen(const ChooseGap& choose, Frame& frame) {
    LoadedTrace* const loaded = frame.loaded();
    if (!loaded) {
        if (frame.trace) frame.notify("Gaps are known once the trace is loaded.");
        return;
    }
    const JobKey key = loaded->key("gap walk");
    if (frame.jobs.busy(key)) return;
    const std::shared_ptr<const TraceContext> context = frame.trace->context();
    const auto range =
        frame.timeline.marked ? std::optional(frame.timeline.marked->time) : std::nullopt;
    Walk& walk = loaded->state.get<Walk>();
    DescribedGap& described = loaded->state.get<DescribedGap>();
    if (walk.context != context || walk.range != range) {
        walk = {context, range, nullptr};
        described.walked.reset();
    }
    std::optional<std::size_t> present;
    if (described.walked) present = described.walked->place;
    frame.jobs.ask(
        key,
        [context, range, gaps = walk.gaps, choose, present] {
            WalkStep step{gaps ? gaps
                               : std::make_shared<const std::vector<IdleGap>>(
                                     device_gaps(*context, marked_query(*context, range))),
                          std::nullopt};
            if (!step.gaps->empty())
                step.at = walk_to(*context, *step.gaps, choose(*step.gaps, present));
            return step;
        },
        [&frame, &walk, &described, context](WalkStep step) {
            if (context != frame.trace->context()) return;
            walk.gaps = std::move(step.gaps);
            described.walked = std::move(step.at);
            show_gap(*context, frame);
        });
}

json state_of(const WalkedGap& walked, const Trace& trace) {
    const GapStory& story = walked.story;
    const auto call_of = [&](const GapCall& call) {
        return json{{"name", trace.name(call.slice)}, {"inside", call.inside}};
    };
    std::vector<GapCall> longest;
    for (const GapCalls& calls : story.calls)
        longest.insert(longest.end(), calls.longest.begin(), calls.longest.end());
    std::ranges::stable_sort(longest, std::greater(), &GapCall::inside);
    json calls = json::array();
    for (const GapCall& call : longest) calls.push_back(call_of(call));
    return {{"place", walked.place},
            {"count", walked.count},
            {"start", story.gap.range.begin - trace.origin},
            {"duration", story.gap.range.length()},
            {"cause", gap_cause_name(story.gap.cause)},
            {"around", story.around.slice ? call_of(story.around) : json()},
            {"calls", calls},
            {"busy", walked.device_busy},
            {"span", walked.device_span}};
}

}  // namespace

std::span<const Action> GapWalkFeature::actions() const {
    static constexpr Action kActions[] = {Action::next_gap, Action::previous_gap, Action::idle};
    return kActions;
}

void GapWalkFeature::act(Action action, Frame& frame) {
    if (action == Action::idle)
        frame.timeline.layer<IdleLayer>().shown ^= true;
    else
        walk(action == Action::next_gap ? 1 : -1, frame);
}

bool GapWalkFeature::take(const Request& request, Frame& frame) {
    const auto* const gap = std::get_if<DescribeGap>(&request);
    if (gap) describe_gap(gap->range, frame);
    return gap != nullptr;
}

bool GapWalkFeature::is_on(Action action, const Frame& frame) const {
    return action == Action::idle && frame.timeline.layer<IdleLayer>().shown;
}

bool GapWalkFeature::dismiss(Layer layer, Frame& frame) {
    if (layer != Layer::gap) return false;
    if (frame.loaded()) frame.loaded()->state.get<DescribedGap>().walked.reset();
    frame.timeline.layer<GapLayer>().gap.reset();
    return true;
}

void GapWalkFeature::loaded(LoadedTrace& loaded, Frame& frame) {
    frame.jobs.ask(
        loaded.key("idle spans"),
        [contexts = loaded.contexts] {
            std::vector<std::shared_ptr<const IdleSpans>> found;
            found.reserve(contexts.size());
            for (const auto& context : contexts) found.push_back(find_idle_spans(*context));
            return joined_idle_spans(found);
        },
        [&frame](auto idle) {
            frame.timeline.layer<IdleLayer>().spans = std::move(idle);
            frame.pacing.wake();
        },
        JobQueue::analysis);
}

// Dead windows follow the rows of calls when Python frames or short slices are left out.
void GapWalkFeature::follow(Frame& frame) {
    const Timeline& timeline = frame.timeline;
    const IdleLayer& layer = timeline.layer<IdleLayer>();
    if (!frame.loaded() || !timeline.index || !layer.spans || !timeline.index->shown) return;
    const ShownLanesPtr& shown = timeline.index->shown;
    const JobKey key = frame.loaded()->key("shown windows");
    if ((layer.windows && layer.windows->shown == shown) || frame.jobs.busy(key)) return;
    frame.jobs.ask(
        key,
        [trace = timeline.index->trace, idle = layer.spans, shown] {
            return shown_idle_spans(*trace, *idle, shown);
        },
        [&frame](std::shared_ptr<const ShownIdleSpans> windows) {
            frame.timeline.layer<IdleLayer>().windows = std::move(windows);
            frame.pacing.wake();
        });
}

void GapWalkFeature::walk(int direction, Frame& frame) {
    show_chosen(
        [direction](const std::vector<IdleGap>& gaps,
                    std::optional<std::size_t> present) -> std::size_t {
            if (!present) return 0;
            return (*present + (direction > 0 ? 1 : gaps.size() - 1)) % gaps.size();
        },
        frame);
}

void GapWalkFeature::describe_gap(TimeRange range, Frame& frame) {
    show_chosen(
        [range](const std::vector<IdleGap>& gaps, std::optional<std::size_t> /*present*/) {
            // Several GPUs may idle in this range: take the gap that covers most of the range.
            const auto shared = [&](const IdleGap& gap) {
                const Nanos inside =
                    std::min(gap.range.end, range.end) - std::max(gap.range.begin, range.begin);
                return std::pair(inside, -gap.range.length());
            };
            return static_cast<std::size_t>(std::ranges::max_element(gaps, {}, shared) -
                                            gaps.begin());
        },
        frame);
}

void GapWalkFeature::describe(const Frame& frame, json& state) const {
    const DescribedGap* const described =
        frame.loaded() ? frame.loaded()->state.find<DescribedGap>() : nullptr;
    state["gap"] = described && described->walked && !frame.timeline.selected
                       ? state_of(*described->walked, frame.timeline.trace())
                       : json();
}

}  // namespace lanescope
