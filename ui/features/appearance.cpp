#include "ui/features/appearance.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace lanescope {

namespace {

constexpr double kScaleStep = 0.1;

void take_wheel_habits(Frame& frame) {
    set_wheel(frame.timeline,
              {frame.settings.wheel_zoom_reversed, frame.settings.wheel_pan_reversed});
}

void rescale(double change, Frame& frame) {
    double& scale = frame.settings.scale;
    scale = std::clamp(std::round((scale + change) * 10) / 10, 1.0, 3.0);
    frame.look_changed = true;
}

}  // namespace

AppearanceFeature::AppearanceFeature(Frame& frame) {
    if (!frame.options.still) desktop_ = std::make_unique<DesktopTheme>(frame.wake);
    follow_theme(frame);
    take_wheel_habits(frame);
}

std::span<const Action> AppearanceFeature::actions() const {
    static constexpr Action kActions[] = {Action::theme,      Action::desktop_theme,
                                          Action::larger,     Action::smaller,
                                          Action::wheel_zoom, Action::wheel_pan};
    return kActions;
}

void AppearanceFeature::act(Action action, Frame& frame) {
    Settings& settings = frame.settings;
    switch (action) {
        case Action::theme:
            settings.theme =
                frame.look.theme == Theme::dark ? ThemeChoice::light : ThemeChoice::dark;
            follow_theme(frame);
            break;
        case Action::desktop_theme:
            settings.theme = ThemeChoice::desktop;
            follow_theme(frame);
            break;
        case Action::larger:
            rescale(kScaleStep, frame);
            break;
        case Action::smaller:
            rescale(-kScaleStep, frame);
            break;
        case Action::wheel_zoom:
            settings.wheel_zoom_reversed = !settings.wheel_zoom_reversed;
            take_wheel_habits(frame);
            break;
        default:
            settings.wheel_pan_reversed = !settings.wheel_pan_reversed;
            take_wheel_habits(frame);
            break;
    }
}

bool AppearanceFeature::is_on(Action action, const Frame& frame) const {
    switch (action) {
        case Action::theme:
            return frame.look.theme == Theme::light;
        case Action::desktop_theme:
            return frame.settings.theme == ThemeChoice::desktop;
        case Action::wheel_zoom:
            return frame.settings.wheel_zoom_reversed;
        case Action::wheel_pan:
            return frame.settings.wheel_pan_reversed;
        default:
            return false;
    }
}

void AppearanceFeature::set_content_scale(float scale, Frame& frame) {
    if (scale == content_scale_) return;
    content_scale_ = scale;
    frame.look_changed = true;
}

void AppearanceFeature::follow_theme(Frame& frame) const {
    const ThemeChoice choice = frame.settings.theme;
    Theme theme = choice == ThemeChoice::light ? Theme::light : Theme::dark;
    if (choice == ThemeChoice::desktop && desktop_) theme = desktop_->theme().value_or(Theme::dark);
    if (theme == frame.look.theme) return;
    frame.look.theme = theme;
    frame.look_changed = true;
}

void AppearanceFeature::begin(Frame& frame) {
    follow_theme(frame);
    if (!std::exchange(frame.look_changed, false)) return;
    const float scale = static_cast<float>(frame.settings.scale) * content_scale_;
    if (scale != frame.look.scale) frame.rescaled = true;
    frame.look.scale = scale;
    frame.look.colors = packed_colors(frame.look.theme);
    apply_style(frame.look);
}

void AppearanceFeature::describe(const Frame& frame, nlohmann::json& state) const {
    state["theme"] = frame.look.theme == Theme::light ? "light" : "dark";
}

}  // namespace lanescope
