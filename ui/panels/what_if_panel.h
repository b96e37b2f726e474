// What if: how long steps would be if slices took less.
#pragma once

#include "ui/commands/panel_names.h"
#include "ui/panels/table_panel.h"

namespace lanescope {

class WhatIfPanel : public TablePanel {
  public:
    WhatIfPanel() : TablePanel(kWhatIfPanel) {}
    void draw(Frame& frame) override;
};

}  // namespace lanescope
