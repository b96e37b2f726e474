#include "ui/features/critical_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/analysis/critical_path/critical_path.h"
#include "core/base/format.h"
#include "ui/timeline/path_layer.h"

namespace lanescope {

namespace {

// Whether the paths of the loaded trace are shown or being computed.
struct Paths {
    bool asked = false;
};

struct FoundPaths {
    std::shared_ptr<const std::vector<DrawnPath>> paths;
    std::string shares;
};

// "kernel 61 %, gap 20 %, operator 9 %": the three largest parts.
std::string shares_of(const std::array<Nanos, kPathPartCount>& times) {
    std::array<std::pair<Nanos, PathPart>, kPathPartCount> parts;
    Nanos all = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i] = {times[i], static_cast<PathPart>(i)};
        all += times[i];
    }
    std::ranges::sort(parts, std::greater());
    std::string text;
    for (std::size_t i = 0; i < 3 && parts[i].first > 0; ++i)
        text += fmt::format(
            "{}{} {}", text.empty() ? "" : ", ", path_part_name(parts[i].second),
            format_percent(static_cast<double>(parts[i].first) / static_cast<double>(all)));
    return text;
}

FoundPaths find_paths(const std::vector<std::shared_ptr<const TraceContext>>& contexts) {
    auto paths = std::make_shared<std::vector<DrawnPath>>();
    std::array<Nanos, kPathPartCount> parts = {};
    for (const auto& context : contexts) {
        const auto found = context->get<CriticalPaths>().all;
        for (const StepPath& path : *found) {
            paths->push_back({path.range, segments_of(*context, path)});
            for (std::size_t i = 0; i < parts.size(); ++i) parts[i] += path.parts[i];
        }
    }
    return {paths, shares_of(parts)};
}

}  // namespace

std::span<const Action> CriticalPathFeature::actions() const {
    static constexpr Action kActions[] = {Action::critical_path};
    return kActions;
}

void CriticalPathFeature::act(Action /*action*/, Frame& frame) {
    frame.timeline.layer<PathLayer>().shown ^= true;
    // If the paths are shown again, they are described again.
    if (frame.loaded()) frame.loaded()->state.get<Paths>().asked = false;
}

bool CriticalPathFeature::is_on(Action /*action*/, const Frame& frame) const {
    return frame.timeline.layer<PathLayer>().shown;
}

void CriticalPathFeature::follow(Frame& frame) {
    LoadedTrace* const loaded = frame.loaded();
    if (!frame.timeline.layer<PathLayer>().shown || !frame.timeline.index || !loaded) return;
    if (std::exchange(loaded->state.get<Paths>().asked, true)) return;
    frame.timeline.layer<PathLayer>().paths.reset();
    frame.jobs.ask(
        loaded->key("critical paths"),
        [contexts = loaded->contexts] { return find_paths(contexts); },
        [&frame](const FoundPaths& found) {
            frame.timeline.layer<PathLayer>().paths = found.paths;
            const std::size_t steps = found.paths->size();
            frame.notify(found.shares.empty()
                             ? "No step or call to follow in this trace."
                             : fmt::format("Critical path of {} {}: {}. {} explains its lines",
                                           steps, steps == 1 ? "step" : "steps", found.shares,
                                           keys_of(frame.keys, Action::legend)));
        },
        JobQueue::analysis);
}

}  // namespace lanescope
