// Landmarks on the overview: a mark at its lower edge for each, which describes it and links to it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/overlays/landmarks.h"
#include "ui/timeline/layer.h"

namespace lanescope {

class LandmarksLayer : public TimelineLayer {
  public:
    using Landmarks = std::shared_ptr<const std::vector<Landmark>>;

    const Landmarks& landmarks() const { return landmarks_; }  // null: not known yet
    void set_landmarks(Landmarks landmarks);

    void trace_closed() override { set_landmarks(nullptr); }
    void draw_on_overview(const Timeline& timeline, const Look& look, ImDrawList& list) override;
    // Describes the landmark under the pointer, and others that share its mark.
    void draw_card(const Timeline& timeline, const Look& look, ImVec2 at) override;
    // Brings the landmark into view, and selects its slice.
    bool press(Timeline& timeline, const LayerClick& click) override;
    void describe(const Timeline& timeline, nlohmann::json& state) const override;

  private:
    // The landmark at a point of the window, the first of those that share a mark.
    std::optional<std::size_t> landmark_at(ImVec2 point) const;

    Landmarks landmarks_;
    std::vector<Box> places_;  // as the landmarks; of the last frame
};

}  // namespace lanescope
