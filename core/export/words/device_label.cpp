#include "core/export/words/device_label.h"

#include <fmt/format.h>

#include "core/export/words/terminal_text.h"
#include "core/trace/devices.h"

namespace lanescope {

std::string device_label(const Trace& trace, const Summary& summary, uint32_t place) {
    const SummaryDevice& device = summary.devices[place];
    std::string label = in_device_words(
        trace, device.device < 0 ? std::string("GPU") : fmt::format("GPU {}", device.device));
    if (trace.parts.size() > 1)
        return fmt::format("{} of {}", label,
                           printable(trace.parts[trace.processes[device.process].part].name));
    for (uint32_t d = 0; d < summary.devices.size(); ++d)
        if (d != place && summary.devices[d].device == device.device)
            return label + " of " + printable(trace.strings[trace.processes[device.process].pid]);
    return label;
}

}  // namespace lanescope
