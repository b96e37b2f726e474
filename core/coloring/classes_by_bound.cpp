// The colour mode "bound": what limits kernels and steps.
#include <array>

#include "core/analysis/gpu/step_times.h"
#include "core/analysis/structure/steps.h"
#include "core/analysis/work/work_models.h"
#include "core/coloring/color_modes.h"

namespace lanescope {

namespace {

using enum EventClass;

struct Bound {
    const char* name;
    EventClass color;  // its fill, chosen to be distinguishable for everyone
    ClassRole role = ClassRole::ordinary;
};
// Slots after the slot of all other slices: first GPU work by WorkBound, then steps by StepBound.
constexpr std::array<Bound, 9> kBounds = {{
    {"unknown: no model or no peaks", other, ClassRole::unknown},
    {"latency: part of a wave, or under 5 µs", sync},
    {"compute", kernel},
    {"memory", memory},
    {"step: input", annotation, ClassRole::step},
    {"step: communication", communication, ClassRole::step},
    {"step: overhead of the host", runtime, ClassRole::step},
    {"step: device", op, ClassRole::step},
    {"step: mixed", module, ClassRole::step},
}};
constexpr Slot kFirstOfSteps = 5;

}  // namespace

SliceClasses classes_by_bound(const TraceContext& context) {
    const Trace& trace = context.trace();
    const WorkModels& models = context.get<WorkModels>();
    const GpuActivities& gpu = trace.gpu_activities;
    SliceClasses result;
    result.table = table_of_one(trace);
    result.classes.push_back({"neither GPU work nor a step", {}, 0});
    for (const Bound& bound : kBounds)
        result.classes.push_back({bound.name,
                                  {ColorScale::event_class, static_cast<uint8_t>(bound.color)},
                                  0,
                                  bound.role});
    for (uint32_t row = 0; row < gpu.slice.size(); ++row)
        slots_of_lane(result, trace, gpu.slice[row].lane)[gpu.slice[row].index] =
            static_cast<Slot>(1 + static_cast<uint8_t>(models.costs[row].bound));
    for (const StepRow& row : step_times(context, {}).rows) {
        const SliceRef slice = context.get<Steps>().all[row.step].mark;
        if (!slice || row.bound == StepBound::unknown) continue;
        slots_of_lane(result, trace, slice.lane)[slice.index] =
            static_cast<Slot>(kFirstOfSteps + static_cast<uint8_t>(row.bound) - 1);
    }
    return result;
}

}  // namespace lanescope
