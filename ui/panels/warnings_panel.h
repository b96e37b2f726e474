// Warnings: what a reader should know about the file: its anomalies, followed by arguments that
// models could not use.
#pragma once

#include <vector>

#include "core/trace/trace.h"
#include "ui/panels/panel.h"

namespace lanescope {

// Arguments of the loaded trace that models could not use; in LoadedTrace::state.
struct ModelWarnings {
    std::vector<Warning> list;
};

class WarningsPanel : public Panel {
  public:
    std::string_view name() const override;
    void draw(Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;
};

}  // namespace lanescope
