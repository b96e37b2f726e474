// Describes an idle gap of a GPU that the user stepped to.
#pragma once

#include <optional>
#include <string>

#include "core/insight/summary/gap_story.h"
#include "ui/commands/requests.h"
#include "ui/look/theme.h"

namespace lanescope {

// The gap that the panel "Selection" describes while no slice is selected; in LoadedTrace::state.
struct DescribedGap {
    std::optional<WalkedGap> walked;
};

// "GPU 0"; "the GPU" if its ordinal is not recorded.
std::string gpu_label(const IdleGap& gap);

void draw_gap(const Trace& trace, const WalkedGap& walked, const Look& look, Requests& requests);

}  // namespace lanescope
