// The footprint of each kernel on its device: core/models/occupancy.h applied to its launch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/models/occupancy.h"
#include "core/trace/trace.h"

namespace lanescope {

// Computes each launch configuration on each device once. Not thread-safe.
class Footprints {
  public:
    explicit Footprints(const Trace& trace);

    // The footprint of a row of Trace::gpu_activities; null if unknown: for copies and sets, for
    // devices that the file does not describe, or for a launch without registers or shared memory.
    const Occupancy* footprint_of(uint32_t gpu_row);
    // The device of such a row, if its limits are known.
    const OccupancyDevice* device_of(uint32_t gpu_row) const;

  private:
    uint32_t device_row(uint32_t gpu_row) const;  // of Trace::devices; kNoRow: not described

    const Trace& trace_;
    std::vector<std::optional<OccupancyDevice>> devices_;  // by row of Trace::devices
    struct Known {
        bool asked = false;
        std::optional<Occupancy> occupancy;
    };
    std::vector<Known> known_;  // by device, then by launch configuration
};

// "registers+shared memory": all limits that bind; empty for none.
std::string limiter_text(const Occupancy& occupancy);

}  // namespace lanescope
