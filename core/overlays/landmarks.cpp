#include "core/overlays/landmarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

#include "core/analysis/gpu/dead_windows.h"
#include "core/analysis/structure/steps.h"
#include "core/base/format.h"
#include "core/overlays/idle_spans.h"
#include "core/trace/devices.h"
#include "core/trace/short_name.h"

namespace lanescope {

namespace {

constexpr Nanos kMinPart = 200;  // fraction of the trace: about five pixels of a screen
constexpr std::size_t kMaxGaps = 3;
constexpr std::size_t kMaxWindows = 3;
constexpr std::size_t kMaxSteps = 10;

std::string gap_text(const Trace& trace, const IdleGap& gap) {
    const std::string_view word = device_word(trace);
    std::string text =
        gap.device < 0 ? fmt::format("A {}", word) : fmt::format("{} {}", word, gap.device);
    text += " is idle for " + format_duration(gap.range.length());
    const std::string_view cause = short_cause(gap.cause);
    return cause.empty() ? text : fmt::format("{} · {}", text, cause);
}

void add_gaps(const Trace& trace, const Summary& summary, Nanos min_length,
              std::vector<Landmark>& marks) {
    for (const SummaryDevice& device : summary.devices) {
        for (std::size_t i = 0; i < std::min(kMaxGaps, device.gaps.size()); ++i) {
            const IdleGap& gap = device.gaps[i].gap;
            if (gap.range.length() < min_length) continue;
            marks.push_back({LandmarkKind::idle_gap, gap.range, gap.launch, gap_text(trace, gap)});
        }
    }
}

void add_windows(const TraceContext& context, Nanos min_length, std::vector<Landmark>& marks) {
    const Column<DeadWindow>& all = context.get<AllDeadWindows>().rows;
    std::vector<const DeadWindow*> longest(kMaxWindows + 1, nullptr);
    std::size_t count = 0;
    const auto length = [](const DeadWindow* window) { return window->range.length(); };
    for (const DeadWindow& window : all.span()) {
        if (window.range.length() < min_length || !window.is_dead()) continue;
        longest[count] = &window;
        for (std::size_t i = count; i > 0 && length(longest[i]) > length(longest[i - 1]); --i)
            std::swap(longest[i], longest[i - 1]);
        count = std::min(count + 1, kMaxWindows);
    }
    for (std::size_t i = 0; i < count; ++i) {
        const DeadWindow& window = *longest[i];
        marks.push_back(
            {LandmarkKind::dead_window, window.range, window.parent(),
             fmt::format("Nothing runs in {} for {}", short_name(context.trace(), window.parent()),
                         format_duration(window.range.length()))});
    }
}

// Marks only the steps that deviate most: hundreds of marks would cover the whole edge.
void add_steps(const TraceContext& context, const Summary& summary, std::vector<Landmark>& marks) {
    std::vector<SummaryStep> odd;
    std::ranges::copy_if(summary.steps.all, std::back_inserter(odd),
                         [](const SummaryStep& one) { return one.outlier && !one.warm_up; });
    std::ranges::stable_sort(odd, std::greater(),
                             [](const SummaryStep& one) { return std::abs(one.deviation); });
    if (odd.size() > kMaxSteps) odd.resize(kMaxSteps);
    for (const SummaryStep& one : odd) {
        const Step& step = context.get<Steps>().all[one.step];
        marks.push_back(
            {LandmarkKind::odd_step, step.range, step.slice,
             fmt::format("{} takes {}: {} {} than the median",
                         step_label(context.trace(), context.get<Steps>(), one.step),
                         format_duration(one.time), format_percent(std::abs(one.deviation)),
                         one.deviation > 0 ? "more" : "less")});
    }
}

void add_peaks(const Summary& summary, std::vector<Landmark>& marks) {
    for (const SummaryMemory& memory : summary.memory) {
        if (memory.device_type == 0 || memory.peak <= 0) continue;
        marks.push_back({LandmarkKind::memory_peak,
                         {memory.time, memory.time},
                         {},
                         fmt::format("{} allocated on GPU {}, the peak", format_bytes(memory.peak),
                                     memory.device_id)});
    }
}

}  // namespace

std::string_view landmark_kind_name(LandmarkKind kind) {
    switch (kind) {
        case LandmarkKind::idle_gap:
            return "idle gap";
        case LandmarkKind::dead_window:
            return "dead window";
        case LandmarkKind::odd_step:
            return "odd step";
        case LandmarkKind::memory_peak:
            return "memory peak";
        case LandmarkKind::finding:
            return "finding";
    }
    return {};
}

std::vector<Landmark> find_landmarks(const TraceContext& context, const Summary& summary) {
    std::vector<Landmark> marks;
    const Nanos min_length = std::max<Nanos>(1, context.trace().content.length() / kMinPart);
    add_gaps(context.trace(), summary, min_length, marks);
    add_windows(context, min_length, marks);
    add_steps(context, summary, marks);
    add_peaks(summary, marks);
    std::ranges::stable_sort(marks, {}, [](const Landmark& mark) { return mark.time.begin; });
    return marks;
}

std::vector<Landmark> with_findings(std::vector<Landmark> marks, const Findings& found,
                                    std::optional<uint32_t> chosen) {
    for (uint32_t i = 0; i < found.all.size(); ++i) {
        const Finding& finding = found.all[i];
        const bool is_chosen = chosen == i;
        const bool marked =
            finding.severity == Severity::high || finding.severity == Severity::medium;
        const std::size_t count = is_chosen ? finding.places.size() : marked ? 1 : 0;
        for (std::size_t place = 0; place < std::min(count, finding.places.size()); ++place) {
            const FindingPlace& at = finding.places[place];
            std::string text =
                is_chosen ? fmt::format("Place {} of {}: {} · {}", place + 1, finding.places.size(),
                                        format_duration(at.range.length()), finding.title)
                          : finding.title;
            marks.push_back({LandmarkKind::finding, at.range, at.slice, std::move(text),
                             finding.severity, is_chosen});
        }
    }
    // Where marks share a place, findings are in front, and the chosen one before all.
    std::ranges::stable_sort(marks, [](const Landmark& a, const Landmark& b) {
        const auto key = [](const Landmark& mark) {
            return std::tuple(mark.time.begin, !mark.chosen, mark.kind != LandmarkKind::finding);
        };
        return key(a) < key(b);
    });
    return marks;
}

}  // namespace lanescope
