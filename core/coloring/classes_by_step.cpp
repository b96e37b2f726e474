// The colour mode "step": calls by the step in which they begin, GPU work by the step of its
// launch.
#include <algorithm>
#include <map>

#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/steps.h"
#include "core/coloring/color_modes.h"
#include "core/view/color.h"

namespace lanescope {

namespace {

// Steps with a class of their own; further steps reuse the classes.
constexpr std::size_t kMaxSteps = 240;

// The slots of all steps; steps of the same name in several processes share a slot.
std::vector<Slot> name_steps(const Trace& trace, const Steps& steps, SliceClasses& result) {
    std::map<std::string, Slot> slot_of;
    std::vector<Slot> slots;
    std::size_t named = 0;
    result.classes.push_back({"in no step", {}, 0});
    for (uint32_t i = 0; i < steps.all.size(); ++i) {
        std::string label = step_label(trace, steps, i);
        const auto [known, added] =
            slot_of.try_emplace(label, static_cast<Slot>(1 + named % kMaxSteps));
        slots.push_back(known->second);
        if (!added) continue;
        const auto color = static_cast<uint8_t>(named % kSequence);
        if (named < kMaxSteps)
            result.classes.push_back({std::move(label), {ColorScale::sequence, color}, 0});
        else if (named < 2 * kMaxSteps)
            result.classes[known->second].name +=
                " and each " + std::to_string(kMaxSteps) + "th on";
        ++named;
    }
    return slots;
}

// Steps that the profiler shows on streams, beside the work that was launched in them.
void follow_names(const Trace& trace, const Steps& steps, const std::vector<Slot>& slot_of,
                  LaneId id, SliceClasses& result) {
    if (steps.source != StepSource::profiler) return;
    for (const auto& chunk : trace.lanes[id].chunks) {
        for (uint32_t i = 0; i < chunk->size(); ++i) {
            if (trace.event_class(chunk->name[i], chunk->category[i]) != EventClass::annotation)
                continue;
            const auto step = std::ranges::find(steps.all, chunk->name[i], &Step::name);
            if (step != steps.all.end())
                slots_of_lane(result, trace, id)[chunk->first + i] =
                    slot_of[static_cast<std::size_t>(step - steps.all.begin())];
        }
    }
}

bool is_gpu_lane(const Trace& trace, const Lane& lane) {
    return trace.processes[lane.process].is_gpu;
}

}  // namespace

SliceClasses classes_by_step(const TraceContext& context) {
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
    SliceClasses result;
    result.table = table_of_one(trace);
    const std::vector<Slot> slot_of = name_steps(trace, steps, result);
    if (steps.all.empty()) return result;
    const auto slot_at = [&](uint32_t process, Nanos t) {
        const uint32_t step = steps.at(process, t);
        return step == kNoRow ? Slot{0} : slot_of[step];
    };
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        const Lane& lane = trace.lanes[id];
        if (lane.slice_count == 0) continue;
        if (is_gpu_lane(trace, lane)) {
            follow_names(trace, steps, slot_of, id, result);
            continue;
        }
        Column<Slot>& slots = slots_of_lane(result, trace, id);
        for (const auto& chunk : lane.chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i)
                slots[chunk->first + i] = slot_at(lane.process, chunk->start[i]);
    }
    const GpuActivities& gpu = trace.gpu_activities;
    const std::vector<uint32_t>& step_of_work = context.get<DeviceSteps>().step_of_work;
    for (uint32_t row = 0; row < gpu.slice.size(); ++row)
        if (const uint32_t step = step_of_work[row]; step != kNoRow)
            slots_of_lane(result, trace, gpu.slice[row].lane)[gpu.slice[row].index] = slot_of[step];
    return result;
}

}  // namespace lanescope
