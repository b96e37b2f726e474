#include "ui/frame/frame.h"

#include <algorithm>

#include "ui/commands/panel_names.h"

namespace lanescope {

bool Frame::show_panel(std::string_view name) {
    const auto panels = panel_names();
    if (std::ranges::find(panels, name) == panels.end()) return false;
    if (!is_side_panel(name)) settings.tables_shown = true;
    front.choose(name);
    return true;
}

void Frame::show_group(std::string_view window) {
    if (show_panel(window)) return;
    settings.tables_shown = true;
    front.bring(window);
    pacing.wake();
}

bool Frame::still_reading() {
    const bool reading = trace && (trace->loading() || !trace->complete());
    if (reading) notify("This can be done once the traces are read.");
    return reading;
}

}  // namespace lanescope
