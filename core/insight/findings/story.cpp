#include "core/insight/findings/story.h"

#include <algorithm>
#include <string_view>

namespace lanescope {

namespace {

constexpr std::size_t kTopFindings = 3;

// The rule whose finding says what a point of the story says; empty: there is none.
std::string_view rule_of(const Summary& summary, const StoryPoint& point) {
    switch (point.kind) {
        case StoryKind::bound:
            switch (summary.devices[point.device].bound) {
                case StepBound::input:
                    return "dataloader-wait";
                case StepBound::communication:
                    return "comm-exposed";
                case StepBound::overhead:
                    return "overhead-bound";
                default:
                    return {};
            }
        case StoryKind::idle_cause: {
            const GapCause cause = summary.devices[point.device].causes.front().cause;
            return cause == GapCause::graph || cause == GapCause::unknown ? "unexplained-idle" : "";
        }
        case StoryKind::exposed_communication:
            return "comm-exposed";
        case StoryKind::pageable_copies:
            return "pageable-copies";
        case StoryKind::waits:
            return "sync-in-step";
        default:
            return {};
    }
}

}  // namespace

bool is_answer(StoryKind kind) {
    switch (kind) {
        case StoryKind::incomplete:
        case StoryKind::no_gpu_work:
        case StoryKind::counters_only:
        case StoryKind::gpu_busy:
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
        const std::string_view rule = rule_of(found.summary, point);
        const bool of_all = point.kind == StoryKind::waits;
        return !rule.empty() && std::ranges::any_of(top, [&](uint32_t place) {
            const Finding& finding = found.all[place];
            return finding.rule == rule && (of_all || finding.device == point.device);
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
