// Findings: walks through their places by keys, and opens the list of their thresholds.
#pragma once

#include "ui/frame/feature.h"
#include "ui/panels/findings.h"

namespace lanescope {

class FindingsFeature : public Feature {
  public:
    explicit FindingsFeature(TraceFindings& findings) : findings_(findings) {}

    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;

  private:
    TraceFindings& findings_;
};

}  // namespace lanescope
