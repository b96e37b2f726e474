// The colour mode "family": the purpose of kernels, copies and sets.
#include <array>

#include "core/analysis/structure/kernel_families.h"
#include "core/coloring/color_modes.h"
#include "core/view/color.h"

namespace lanescope {

namespace {

// Families that occur in the same network layer have distant hues.
constexpr std::array<ClassColor, kKernelFamilies> kFamilyColors = {{
    {ColorScale::hue, 7},   // matrix product
    {ColorScale::hue, 0},   // attention
    {ColorScale::hue, 4},   // norm
    {ColorScale::hue, 10},  // softmax
    {ColorScale::hue, 2},   // elementwise
    {ColorScale::hue, 5},   // reduction
    {ColorScale::hue, 9},   // experts
    {ColorScale::hue, 1},   // quantise
    {ColorScale::hue, 3},   // embedding
    {ColorScale::hue, 11},  // sampling
    {ColorScale::hue, 6},   // rope
    {ColorScale::hue, 8},   // optimizer
    {ColorScale::event_class, static_cast<uint8_t>(EventClass::communication)},
    {ColorScale::event_class, static_cast<uint8_t>(EventClass::memory)},
    {ColorScale::event_class, static_cast<uint8_t>(EventClass::other)},
}};

}  // namespace

SliceClasses classes_by_family(const TraceContext& context) {
    const Trace& trace = context.trace();
    const KernelFamilies& families = context.get<KernelFamilies>();
    SliceClasses result;
    result.table = table_of_one(trace);
    result.classes.push_back({"no GPU work", {}, 0});
    for (std::size_t family = 0; family < kFamilyColors.size(); ++family)
        result.classes.push_back({std::string(family_names()[family]), kFamilyColors[family], 0});
    for (uint32_t row = 0; row < trace.gpu_activities.slice.size(); ++row) {
        const SliceRef slice = trace.gpu_activities.slice[row];
        slots_of_lane(result, trace, slice.lane)[slice.index] =
            static_cast<Slot>(1 + static_cast<uint8_t>(families.by_row[row]));
    }
    return result;
}

}  // namespace lanescope
