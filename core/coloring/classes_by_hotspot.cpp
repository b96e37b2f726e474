// The colour mode "hotspot": colours kernels, copies and sets by their name's share of all lost
// time (time beyond the floor). Single long slices are conspicuous anyway; this mode shows names
// with many short ones.
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "core/analysis/work/work_models.h"
#include "core/coloring/color_modes.h"
#include "core/view/color.h"

namespace lanescope {

namespace {

struct HeatBand {
    double below;
    const char* name;
};
constexpr std::array<HeatBand, kHeats> kHeatBands = {{
    {0.01, "under 1 % of all lost time"},
    {0.03, "1 to 3 %"},
    {0.10, "3 to 10 %"},
    {0.20, "10 to 20 %"},
    {0.40, "20 to 40 %"},
    {std::numeric_limits<double>::infinity(), "40 % and more"},
}};
constexpr Slot kNoFloorKnown = 1 + kHeats;

}  // namespace

SliceClasses classes_by_hotspot(const TraceContext& context) {
    const Trace& trace = context.trace();
    const WorkModels& models = context.get<WorkModels>();
    const GpuActivities& gpu = trace.gpu_activities;
    SliceClasses result;
    result.table = table_of_one(trace);
    result.classes.push_back({"no GPU work", {}, 0});
    for (std::size_t band = 0; band < kHeatBands.size(); ++band)
        result.classes.push_back(
            {kHeatBands[band].name, {ColorScale::heat, static_cast<uint8_t>(band)}, 0});
    result.classes.push_back({"unknown: no model or no peaks",
                              {ColorScale::event_class, static_cast<uint8_t>(EventClass::other)},
                              0,
                              ClassRole::unknown});

    std::vector<double> lost(trace.strings.size(), 0);
    double all = 0;
    for (uint32_t row = 0; row < gpu.slice.size(); ++row) {
        const double floor = models.costs[row].floor_ns;
        if (std::isnan(floor)) continue;
        const double own = lost_ns(static_cast<double>(trace.duration(gpu.slice[row])), floor);
        lost[trace.name_id(gpu.slice[row])] += own;
        all += own;
    }
    for (uint32_t row = 0; row < gpu.slice.size(); ++row) {
        const SliceRef slice = gpu.slice[row];
        Slot slot = kNoFloorKnown;
        if (!std::isnan(models.costs[row].floor_ns)) {
            const double part = all > 0 ? lost[trace.name_id(slice)] / all : 0;
            const auto band =
                std::ranges::find_if(kHeatBands, [&](const HeatBand& b) { return part < b.below; });
            slot = static_cast<Slot>(1 + (band - kHeatBands.begin()));
        }
        slots_of_lane(result, trace, slice.lane)[slice.index] = slot;
    }
    return result;
}

}  // namespace lanescope
