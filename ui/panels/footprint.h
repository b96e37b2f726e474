// The footprint of a selected kernel: its launch, how many blocks fit on a multiprocessor, and what
// limits their number.
#pragma once

#include <optional>
#include <string>

#include "core/models/occupancy.h"
#include "ui/panels/panel_column.h"

namespace lanescope {

struct KernelFootprint {
    LaunchConfig config;
    std::optional<OccupancyDevice> device;  // none: the file does not contain the device's limits
    std::optional<Occupancy> occupancy;
    std::optional<HeadRoom> room;
    std::string unknown;  // why the occupancy is not known
};

// Empty for slices other than kernels, and for kernels without a launch configuration.
std::optional<KernelFootprint> footprint_of(const Trace& trace, SliceRef slice);

void draw_footprint(PanelColumn& c, const KernelFootprint& footprint);

}  // namespace lanescope
