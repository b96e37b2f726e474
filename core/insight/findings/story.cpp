#include "core/insight/findings/story.h"

#include <algorithm>
#include <string_view>

#include "core/insight/findings/rule_list.h"

namespace lanescope {

namespace {

constexpr std::size_t kTopFindings = 3;

// Whether a rule's finding makes the same statement as a point of the story.
bool says(std::string_view rule, const Summary& summary, const StoryPoint& point) {
    switch (point.kind) {
        case StoryKind::bound:
            switch (summary.devices[point.device].bound) {
                case StepBound::input:
                    return rule == id_of<DataloaderWaitRule>();
                case StepBound::communication:
                    return rule == id_of<CommExposedRule>();
                case StepBound::overhead:
                    return rule == id_of<OverheadBoundRule>() ||
                           rule == id_of<InputPreparationRule>();
                default:
                    return false;
            }
        case StoryKind::idle_cause: {
            const GapCause cause = summary.devices[point.device].causes.front().cause;
            return (cause == GapCause::graph || cause == GapCause::unknown) &&
                   rule == id_of<UnexplainedIdleRule>();
        }
        case StoryKind::exposed_communication:
            return rule == id_of<CommExposedRule>();
        case StoryKind::pageable_copies:
            return rule == id_of<PageableCopiesRule>();
        case StoryKind::waits:
            return rule == id_of<SyncInStepRule>();
        default:
            return false;
    }
}

// Whether a point blames the program for all idle time.
bool is_about_idle(StoryKind kind) {
    return kind == StoryKind::bound || kind == StoryKind::idle_cause;
}

}  // namespace

bool is_answer(StoryKind kind) {
    switch (kind) {
        case StoryKind::incomplete:
        case StoryKind::no_gpu_work:
        case StoryKind::counters_only:
        case StoryKind::gpu_busy:
        case StoryKind::peak_memory:
        case StoryKind::lag:
        case StoryKind::bound:
        case StoryKind::few_gaps:
        case StoryKind::idle_cause:
            return true;
        default:
            return false;
    }
}

std::vector<uint32_t> top_findings(const Findings& found) {
    std::vector<uint32_t> top;
    for (uint32_t i = 0; i < found.all.size() && top.size() < kTopFindings; ++i) {
        const auto same_rule = [&](uint32_t other) {
            return found.all[other].rule == found.all[i].rule;
        };
        if (found.all[i].cost && std::ranges::none_of(top, same_rule)) top.push_back(i);
    }
    return top;
}

std::vector<StoryPoint> findings_story(const Findings& found) {
    const std::vector<uint32_t> top = top_findings(found);
    // The waits of the story are those of all devices.
    const auto is_said = [&](const StoryPoint& point) {
        if (is_about_idle(point.kind) && found.windows[point.device].is_idle_unknown) return true;
        const bool of_all = point.kind == StoryKind::waits;
        return std::ranges::any_of(top, [&](uint32_t place) {
            const Finding& finding = found.all[place];
            return says(finding.rule, found.summary, point) &&
                   (of_all || finding.device == point.device);
        });
    };
    std::vector<StoryPoint> story;
    for (const StoryPoint& point : found.summary.story)
        if (!is_said(point)) story.push_back(point);
    const auto after = std::ranges::find_if_not(
        story, [](const StoryPoint& point) { return is_answer(point.kind); });
    std::vector<StoryPoint> named;
    named.reserve(top.size());
    for (const uint32_t place : top) named.push_back({StoryKind::finding, 0, place});
    story.insert(after, named.begin(), named.end());
    return story;
}

Findings find_story(const TraceContext& context, const Thresholds& thresholds,
                    const FindingsQuery& query) {
    Findings found = find_all(context, thresholds, query);
    complete_summary(context, query.table, found.summary);
    found.summary.story = findings_story(found);
    return found;
}

}  // namespace lanescope
