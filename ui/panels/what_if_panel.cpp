#include "ui/panels/what_if_panel.h"

namespace lanescope {

void WhatIfPanel::draw(Frame& frame) {
    draw_contents(panel_inputs(frame), frame.look, frame.requests);
}

}  // namespace lanescope
