// Carries out what panels and the timeline requested while a frame was drawn.
#pragma once

#include "ui/app/features.h"

namespace lanescope {

void carry_out_requests(Features& features, Frame& frame);

}  // namespace lanescope
