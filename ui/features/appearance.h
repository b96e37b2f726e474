// Appearance: theme, size of the interface, and habits of the wheel.
#pragma once

#include <memory>

#include "ui/frame/feature.h"
#include "ui/platform/desktop_theme.h"

namespace lanescope {

class AppearanceFeature : public Feature {
  public:
    explicit AppearanceFeature(Frame& frame);

    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    bool is_on(Action action, const Frame& frame) const override;
    void begin(Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

    // Screen pixels per design pixel, without the user's own scale.
    void set_content_scale(float scale, Frame& frame);
    float content_scale() const { return content_scale_; }

  private:
    void follow_theme(Frame& frame) const;

    // Null: for a picture, which does not follow the desktop.
    std::unique_ptr<DesktopTheme> desktop_;
    float content_scale_ = 1;
};

}  // namespace lanescope
