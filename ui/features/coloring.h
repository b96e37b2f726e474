// Coloring: the colour mode, the legend, and the classes that the legend's filter shows.
#pragma once

#include <optional>

#include "ui/features/legend.h"
#include "ui/frame/feature.h"

namespace lanescope {

class ColoringFeature : public Feature {
  public:
    // `mode`: as chosen by the user; none: the mode that fits each trace.
    explicit ColoringFeature(std::optional<ColorMode> mode)
        : mode_(mode.value_or(ColorMode::category)),
          chosen_(mode.has_value()),
          unseen_(mode.has_value()) {}

    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    bool is_on(Action action, const Frame& frame) const override;
    bool dismiss(Layer layer, Frame& frame) override;
    void opened(OpenTrace& trace, Frame& frame) override;
    void draw_over(Frame& frame) override;
    void follow(Frame& frame) override;
    bool settled(const Frame& frame) const override;
    void offer(std::vector<Choice>& choices, Frame& frame) override;
    void draw_menu(std::string_view group, Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

    // Draws the field of modes into the top bar, left of `right`; returns its left edge.
    float draw_field(float right, Frame& frame);

  private:
    void set_mode(ColorMode mode, Frame& frame);
    bool ready(const Frame& frame) const;
    void next_mode(Frame& frame);
    static void offer_classes(Frame& frame);
    void show_colored_lanes(Frame& frame);
    void color(Frame& frame);
    static void find_chosen(Frame& frame);
    static void find_lost_time(LoadedTrace& loaded, Frame& frame);

    ColorMode mode_;
    bool chosen_;  // chosen by the user; otherwise it is the mode that fits the trace
    bool unseen_;  // true until a lane with colours of a chosen mode was in view
    Legend legend_;
    ImVec2 field_;  // position of the field of modes in the top bar
};

}  // namespace lanescope
