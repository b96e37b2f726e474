#include "core/trace/devices.h"

namespace lanescope {

const Device* device_of(const Trace& trace, uint32_t part, int32_t id) {
    for (const Device& device : trace.devices)
        if (device.part == part && device.id == id) return &device;
    return nullptr;
}

const Device* device_like(const Trace& trace, uint32_t part, int32_t id) {
    if (const Device* const device = device_of(trace, part, id)) return device;
    const Device* any = nullptr;
    for (const Device& device : trace.devices) {
        if (device.part != part) continue;
        if (any && any->name != device.name) return nullptr;
        if (!any) any = &device;
    }
    return any;
}

}  // namespace lanescope
