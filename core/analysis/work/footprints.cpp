#include "core/analysis/work/footprints.h"

#include <algorithm>
#include <string>

namespace lanescope {

Footprints::Footprints(const Trace& trace) : trace_(trace) {
    for (const Device& device : trace.devices)
        if (const auto found = occupancy_device(device)) devices_.push_back(*found);
    known_.resize(devices_.size() * trace.launch_configs.size());
}

const OccupancyDevice* Footprints::device_of(uint32_t gpu_row) const {
    const GpuActivities& gpu = trace_.gpu_activities;
    const int32_t recorded = gpu.device.empty() ? -1 : gpu.device[gpu_row];
    const int32_t id = recorded >= 0
                           ? recorded
                           : trace_.processes[trace_.lanes[gpu.slice[gpu_row].lane].process].device;
    const auto found = std::ranges::find_if(
        devices_, [&](const OccupancyDevice& device) { return device.device == id; });
    return found == devices_.end() ? nullptr : &*found;
}

const Occupancy* Footprints::footprint_of(uint32_t gpu_row) {
    const GpuActivities& gpu = trace_.gpu_activities;
    const uint32_t config = gpu.config.empty() ? kNoRow : gpu.config[gpu_row];
    if (config == kNoRow || devices_.empty()) return nullptr;
    const OccupancyDevice* const device = device_of(gpu_row);
    if (!device) return nullptr;
    const auto place = static_cast<std::size_t>(device - devices_.data());
    Known& known = known_[place * trace_.launch_configs.size() + config];
    if (!known.asked) known = {true, occupancy_of(trace_.launch_configs[config], *device)};
    return known.occupancy && !known.occupancy->at_most ? &*known.occupancy : nullptr;
}

std::string limiter_text(const Occupancy& occupancy) {
    std::string text;
    for (const OccupancyLimit limit : occupancy.limiters) {
        if (!text.empty()) text += "+";
        text += occupancy_limit_name(limit);
    }
    return text;
}

}  // namespace lanescope
