// A request of a panel.
#pragma once

#include <optional>

#include "ui/commands/requests.h"

namespace lanescope::testing {

// The slice to zoom to, or to select; none: the panel did not ask for it.
inline std::optional<SliceRef> zoomed_to(const Requests& requests) {
    const auto* const zoom = requests.find<ZoomToSlice>();
    return zoom ? std::optional(zoom->slice) : std::nullopt;
}
inline std::optional<SliceRef> selected_in(const Requests& requests) {
    const auto* const select = requests.find<SelectSlice>();
    return select ? std::optional(select->slice) : std::nullopt;
}

}  // namespace lanescope::testing
