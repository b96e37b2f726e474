// Find: the slices that the search has found.
#pragma once

#include "ui/commands/panel_names.h"
#include "ui/panels/table_panel.h"

namespace lanescope {

class FindPanel : public TablePanel {
  public:
    FindPanel() : TablePanel(kFindPanel) {}
    void draw(Frame& frame) override;
    bool ready() const override { return !shows_ || TablePanel::ready(); }

  private:
    bool shows_ = false;  // there is a search
};

}  // namespace lanescope
