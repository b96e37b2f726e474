// The footprint of each kernel on its device: what core/models/occupancy.h says of its launch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/models/occupancy.h"
#include "core/trace/trace.h"

namespace lanescope {

// Works out each launch configuration on each device once. Not for several threads at once.
class Footprints {
  public:
    explicit Footprints(const Trace& trace);

    // Of a row of Trace::gpu_activities; null where it is not known: copies and sets, devices
    // that the file does not describe, or a launch without registers or shared memory.
    const Occupancy* of(uint32_t gpu_row);
    // The device that such a row ran on, where its limits are known.
    const OccupancyDevice* device_of(uint32_t gpu_row) const;

  private:
    const Trace& trace_;
    std::vector<OccupancyDevice> devices_;
    struct Known {
        bool asked = false;
        std::optional<Occupancy> occupancy;
    };
    std::vector<Known> known_;  // by device, then by launch configuration
};

// "registers+shared memory": all that limit; empty for none.
std::string limiter_text(const Occupancy& occupancy);

}  // namespace lanescope
