// Picture: saves or copies a picture of the window.
#pragma once

#include <optional>

#include "ui/features/picture_dialog.h"
#include "ui/frame/feature.h"

namespace lanescope {

class PictureFeature : public Feature {
  public:
    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    bool take(const Request& request, Frame& frame) override;
    void draw_over(Frame& frame) override;
    bool dialog_shown() const override { return dialog_.shown(); }
    void describe(const Frame& frame, nlohmann::json& state) const override;

    // The request for a picture since the last call.
    std::optional<PictureRequest> take_request();

  private:
    PictureDialog dialog_;
    std::optional<PictureRequest> wanted_;
};

}  // namespace lanescope
