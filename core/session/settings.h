// Settings that outlive the window: theme, scale, lane heads' width and the files opened last. A
// small JSON file in the user's configuration folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

enum class ThemeChoice : uint8_t { desktop, dark, light };  // desktop: dark where it tells nothing

struct Settings {
    ThemeChoice theme = ThemeChoice::desktop;
    double scale = 1;                  // of the interface, 1 to 3
    double lane_head_width = 196;      // at scale 1
    bool motion = true;                // eased zoom and pan
    bool wheel_zoom_reversed = false;  // Ctrl+wheel, and Ctrl with two fingers
    bool wheel_pan_reversed = false;   // Shift+wheel, and two fingers across
    bool tables_shown = true;
    int window_width = 1600;
    int window_height = 1000;
    bool window_maximized = false;
    std::vector<std::string> recent_files;     // newest first
    std::vector<std::string> searches;         // newest first
    std::vector<std::string> recent_commands;  // ids, newest first
    // Own keys, by command: those it has instead of the ones at first; texts as they were written.
    std::map<std::string, std::vector<std::string>> keys;

    friend bool operator==(const Settings&, const Settings&) = default;
};

// $XDG_CONFIG_HOME/lanescope, or ~/.config/lanescope; empty when neither variable is set.
std::string config_folder();
// The same for what the user made: $XDG_DATA_HOME/lanescope, or ~/.local/share/lanescope.
std::string data_folder();

struct LoadedSettings {
    Settings settings;
    std::string message;   // what to tell the user; empty: nothing
    bool may_save = true;  // false: a broken file stands in the way
};

// The settings at `path`; what is missing or out of bounds is as in a new `Settings`. A file that
// is no settings at all is set aside under another name, and that is told.
LoadedSettings load_settings(const std::string& path);
// Why load_settings() would set the file aside; empty: it would not. Only looks.
std::string settings_problem(const std::string& path);
Result<void> save_settings(const Settings& settings, const std::string& path);

// Puts `path`, made absolute, first among the recent files, and drops the oldest over ten.
void remember_file(Settings& settings, const std::string& path);

}  // namespace lanescope
