#include "core/analysis/structure/step_batches.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/analysis/context.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/step_finders.h"
#include "core/analysis/structure/steps.h"

namespace lanescope {

namespace {

using Labels = std::map<StringId, BatchLabel>;

Labels labels_of(const Trace& trace) {
    Labels labels;
    for (StringId id = 0; id < trace.strings.size(); ++id)
        if (const std::optional<BatchLabel> label = read_batch_label(trace.strings[id]))
            labels.emplace(id, *label);
    return labels;
}

std::vector<BatchMark> marks_of_lane(const Trace& trace, const LaneView& view,
                                     const std::vector<uint8_t>& states_batch,
                                     const Labels& labels) {
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i < view.size(); ++i)
        if (states_batch[view.name(i)] != 0 &&
            trace.event_class(view.name(i), view.category(i)) == EventClass::annotation)
            found.push_back(i);
    std::ranges::stable_sort(found, {}, [&](uint32_t i) { return view.start(i); });
    std::vector<BatchMark> marks;
    Nanos covered = INT64_MIN;
    for (const uint32_t i : found) {
        const BatchLabel& label = labels.at(view.name(i));
        if (view.start(i) < covered) {
            complete(marks.back().label, label);
            continue;
        }
        covered = view.end(i);
        marks.push_back({i, label});
    }
    return marks;
}

}  // namespace

std::vector<BatchMarks> batch_marks(const Trace& trace) {
    const Labels labels = labels_of(trace);
    if (labels.empty()) return {};
    std::vector<uint8_t> states_batch(trace.strings.size());
    for (const auto& [name, label] : labels) states_batch[name] = 1;
    std::map<uint32_t, BatchMarks> of_process;
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        if (!is_cpu_thread(trace, trace.lanes[lane])) continue;
        std::vector<BatchMark> marks =
            marks_of_lane(trace, LaneView(trace.lanes[lane]), states_batch, labels);
        BatchMarks& longest = of_process[trace.lanes[lane].process];
        if (marks.size() > longest.marks.size()) longest = {lane, std::move(marks)};
    }
    std::vector<BatchMarks> all;
    for (auto& [process, marks] : of_process)
        if (!marks.marks.empty()) all.push_back(std::move(marks));
    return all;
}

StepBatches StepBatches::compute(const TraceContext& context) {
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
    StepBatches batches;
    batches.all.resize(steps.all.size());
    std::vector<uint32_t> count(steps.all.size());
    for (const BatchMarks& marks : batch_marks(trace)) {
        const LaneView view(trace.lanes[marks.lane]);
        StepCursor step_at(steps);
        for (const BatchMark& mark : marks.marks) {
            const uint32_t step =
                step_at.at(trace.lanes[marks.lane].process, view.start(mark.slice));
            if (step == kNoRow) continue;
            batches.all[step] = ++count[step] == 1 ? mark.label : BatchLabel();
        }
    }
    batches.any = std::ranges::any_of(
        batches.all, [](const BatchLabel& label) { return label.phase != BatchPhase::unknown; });
    return batches;
}

}  // namespace lanescope
