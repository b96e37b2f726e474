// Whether the desktop is dark or light, according to its settings portal.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "core/base/result.h"
#include "core/view/color.h"

namespace lanescope {

// Asks org.freedesktop.portal.Settings on the session bus for `color-scheme` of
// org.freedesktop.appearance (XDG Desktop Portal, version 1 or later), and follows its changes, on
// a thread of its own. Unknown without a bus, a portal or a preference.
class DesktopTheme {
  public:
    // The thread calls `changed` when theme() has another value.
    explicit DesktopTheme(std::function<void()> changed);
    ~DesktopTheme();
    DesktopTheme(const DesktopTheme&) = delete;
    DesktopTheme& operator=(const DesktopTheme&) = delete;

    std::optional<Theme> theme() const;

  private:
    void run();
    void set(uint32_t scheme);

    std::function<void()> changed_;
    std::atomic<int> scheme_ = 0;  // the portal's values: 0 no preference, 1 dark, 2 light
    int stop_ = -1;                // an eventfd that ends the thread
    std::thread thread_;
};

// The portal's theme in words. Errors: there is no bus, or no portal answers.
Result<std::string> probe_portal();

}  // namespace lanescope
