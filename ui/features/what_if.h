// What if: how long steps would be if all slices like the selected one took less time.
#pragma once

#include "ui/frame/feature.h"
#include "ui/panels/table_panel.h"

namespace lanescope {

class WhatIfFeature : public Feature {
  public:
    // Sets the source of the panel's rows.
    explicit WhatIfFeature(TablePanel& panel) : panel_(panel) {}

    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    bool take(const Request& request, Frame& frame) override;
    void begin(Frame& frame) override;

  private:
    void ask(SliceRef slice, Frame& frame);

    TablePanel& panel_;
};

}  // namespace lanescope
