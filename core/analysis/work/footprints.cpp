#include "core/analysis/work/footprints.h"

#include <string>

#include "core/trace/devices.h"
#include "core/trace/join.h"

namespace lanescope {

Footprints::Footprints(const Trace& trace) : trace_(trace) {
    for (const Device& device : trace.devices) devices_.push_back(occupancy_device(device));
    known_.resize(devices_.size() * trace.launch_configs.size());
}

uint32_t Footprints::device_row(uint32_t gpu_row) const {
    const GpuActivities& gpu = trace_.gpu_activities;
    const int32_t recorded = gpu.device.empty() ? -1 : gpu.device[gpu_row];
    const int32_t id = recorded >= 0
                           ? recorded
                           : trace_.processes[trace_.lanes[gpu.slice[gpu_row].lane].process].device;
    const Device* const device =
        lanescope::device_of(trace_, part_of(trace_, gpu.slice[gpu_row].lane), id);
    return device ? static_cast<uint32_t>(device - trace_.devices.data()) : kNoRow;
}

const OccupancyDevice* Footprints::device_of(uint32_t gpu_row) const {
    const uint32_t row = device_row(gpu_row);
    return row != kNoRow && devices_[row] ? &*devices_[row] : nullptr;
}

const Occupancy* Footprints::footprint_of(uint32_t gpu_row) {
    const GpuActivities& gpu = trace_.gpu_activities;
    const uint32_t config = gpu.config.empty() ? kNoRow : gpu.config[gpu_row];
    if (config == kNoRow || devices_.empty()) return nullptr;
    const uint32_t row = device_row(gpu_row);
    if (row == kNoRow || !devices_[row]) return nullptr;
    Known& known = known_[std::size_t{row} * trace_.launch_configs.size() + config];
    if (!known.asked) known = {true, occupancy_of(trace_.launch_configs[config], *devices_[row])};
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
