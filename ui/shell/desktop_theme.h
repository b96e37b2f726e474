// Whether the desktop is dark or light, as its settings portal tells it.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "core/base/result.h"
#include "core/view/color.h"

namespace lanescope {

// Asks org.freedesktop.portal.Settings for `color-scheme` of org.freedesktop.appearance (XDG
// Desktop Portal, version 1 on) on the session bus, and follows its changes, from a thread of its
// own. Nothing is known where there is no bus, no portal, or no preference.
class DesktopTheme {
  public:
    // `changed` is called from the thread when theme() has another value.
    explicit DesktopTheme(std::function<void()> changed);
    ~DesktopTheme();
    DesktopTheme(const DesktopTheme&) = delete;
    DesktopTheme& operator=(const DesktopTheme&) = delete;

    std::optional<Theme> theme() const;

  private:
    void run();
    void set(uint32_t scheme);

    std::function<void()> changed_;
    std::atomic<int> scheme_ = 0;  // 0: no preference, 1: dark, 2: light; as the portal counts
    int stop_ = -1;                // an eventfd that ends the thread
    std::thread thread_;
};

// The theme that the portal names, in words. Errors: there is no bus, or no portal answers there.
Result<std::string> probe_portal();

}  // namespace lanescope
