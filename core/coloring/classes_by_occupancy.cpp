// The colour mode "occupancy": kernels by theoretical occupancy of a multiprocessor's warps.
#include <algorithm>
#include <array>

#include "core/analysis/work/footprints.h"
#include "core/coloring/color_modes.h"
#include "core/view/color.h"

namespace lanescope {

namespace {

struct OccupancyBand {
    double below;
    const char* name;
};
constexpr std::array<OccupancyBand, kAmounts> kOccupancyBands = {{
    {0.10, "under 10 %"},
    {0.25, "10 to 25 %"},
    {0.50, "25 to 50 %"},
    {0.75, "50 to 75 %"},
    {1.00, "75 to 100 %"},
    {2.00, "100 %"},
}};

constexpr Slot kNotKnown = 1 + kAmounts;

}  // namespace

SliceClasses classes_by_occupancy(const TraceContext& context) {
    const Trace& trace = context.trace();
    SliceClasses result;
    result.table = table_of_one(trace);
    result.classes.push_back({"no kernel", {}, 0});
    for (std::size_t band = 0; band < kOccupancyBands.size(); ++band)
        result.classes.push_back(
            {kOccupancyBands[band].name, {ColorScale::amount, static_cast<uint8_t>(band)}, 0});
    SliceClass& unknown = result.classes.emplace_back();
    unknown.name = "unknown: the file has no registers or does not describe the device";
    unknown.role = ClassRole::unknown;
    unknown.color = {ColorScale::event_class, static_cast<uint8_t>(EventClass::other)};
    const GpuActivities& gpu = trace.gpu_activities;
    Footprints footprints(trace);
    for (uint32_t row = 0; row < gpu.slice.size(); ++row) {
        const SliceRef slice = gpu.slice[row];
        const EventClass kind = trace.event_class(slice);
        const Occupancy* const occupancy = footprints.footprint_of(row);
        if (!occupancy) {
            if (kind != EventClass::memory)
                slots_of_lane(result, trace, slice.lane)[slice.index] = kNotKnown;
            continue;
        }
        const auto band = std::ranges::find_if(kOccupancyBands, [&](const OccupancyBand& b) {
            return occupancy->theoretical < b.below;
        });
        slots_of_lane(result, trace, slice.lane)[slice.index] =
            static_cast<Slot>(1 + (band - kOccupancyBands.begin()));
    }
    return result;
}

}  // namespace lanescope
