// Selection: collects the facts on the selected slice, keeps the selection when another join of the
// traces is shown, and has the menu of a slice.
#pragma once

#include <optional>
#include <vector>

#include "ui/frame/feature.h"

namespace lanescope {

// The selection, and the lanes of the marked range, in the trace that replaces the shown one.
struct KeptSelection {
    SliceRef selected;
    std::vector<LaneId> marked;
    bool described = false;  // the facts are those of the selection
};

class SelectionFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    bool dismiss(Layer layer, Frame& frame) override;
    void replacing(const ViewIndexPtr& next, Frame& frame) override;
    void shown(bool first, Frame& frame) override;
    void draw_on_timeline(ImVec2 min, ImVec2 max, Frame& frame) override;
    void follow(Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

  private:
    void ask_for_menu(Frame& frame);

    std::optional<KeptSelection> kept_;
    std::optional<ImVec2> menu_at_;  // where a key opens the menu
};

}  // namespace lanescope
