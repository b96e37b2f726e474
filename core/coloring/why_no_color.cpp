#include "core/coloring/why_no_color.h"

namespace lanescope {

std::string_view why_no_color(const SliceClasses& classes) {
    uint64_t unknown = 0;
    uint64_t known = 0;
    for (std::size_t slot = 1; slot < classes.classes.size(); ++slot) {
        const SliceClass& one = classes.classes[slot];
        if (one.role == ClassRole::unknown) unknown += one.count;
        if (one.role == ClassRole::ordinary) known += one.count;
    }
    if (unknown == 0 || known > 0) return {};
    switch (classes.mode) {
        case ColorMode::occupancy:
            return "No kernel's occupancy is known: the file does not record registers of launches "
                   "(AMD's files never do), or does not describe the device. Selection shows the "
                   "upper bound.";
        case ColorMode::hotspot:
        case ColorMode::bound:
            return "No kernel has a floor: record shapes with record_shapes=True and, if the "
                   "device is unknown, add its peaks to gpu_specs.json.";
        default:
            return {};
    }
}

}  // namespace lanescope
