// Describes an idle gap of a GPU that the user stepped to.
#pragma once

#include <optional>

#include "core/insight/summary/gap_story.h"
#include "ui/commands/requests.h"
#include "ui/look/theme.h"

namespace lanescope {

// The gap that the panel "Selection" describes while no slice is selected; in LoadedTrace::state.
struct DescribedGap {
    std::optional<WalkedGap> walked;
};

void draw_gap(const Trace& trace, const WalkedGap& walked, const Look& look, Requests& requests);

}  // namespace lanescope
