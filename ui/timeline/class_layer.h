// The chosen classes of the legend: slices of other classes are dimmed or hidden (see shade_of()).
#pragma once

#include "ui/timeline/class_filter.h"
#include "ui/timeline/layer.h"

namespace lanescope {

class ClassLayer : public TimelineLayer {
  public:
    ClassFilter filter;

    void trace_changed() override { forget(); }
    void trace_closed() override { forget(); }
    // The chosen classes belong to the colouring.
    void index_changed(const ViewIndex& before, const ViewIndex& after) override {
        if (before.classes->mode != after.classes->mode) filter.chosen.reset();
    }

  private:
    void forget() {
        const bool hides = filter.hides;
        filter = {};
        filter.hides = hides;
    }
};

}  // namespace lanescope
