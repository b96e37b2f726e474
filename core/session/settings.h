// Settings that outlive the window: theme, scale, width of lane heads, recent files. Stored in a
// small JSON file in the user's configuration folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

// Desktop: dark if the desktop does not say.
enum class ThemeChoice : uint8_t { desktop, dark, light };

struct Settings {
    ThemeChoice theme = ThemeChoice::desktop;
    double scale = 1;                  // of the interface, 1 to 3
    double lane_head_width = 196;      // at scale 1
    bool motion = true;                // eased zoom and pan
    bool wheel_zoom_reversed = false;  // for Ctrl+wheel, and Ctrl with two fingers
    bool wheel_pan_reversed = false;   // for Shift+wheel, and two fingers sideways
    bool tables_shown = true;
    int window_width = 1600;
    int window_height = 1000;
    bool window_maximized = false;
    std::vector<std::string> recent_files;     // newest first
    std::vector<std::string> searches;         // newest first
    std::vector<std::string> sql_history;      // queries of the window, newest first
    std::vector<std::string> recent_commands;  // ids, newest first
    // The user's own keys by command, which replace the default keys; texts as written.
    std::map<std::string, std::vector<std::string>> keys;
    // The user's own thresholds of findings by "RULE.NAME", as written.
    std::map<std::string, std::string> thresholds;
    std::map<std::string, std::string> sql_queries;  // saved queries by name

    friend bool operator==(const Settings&, const Settings&) = default;
};

// $XDG_CONFIG_HOME/lanescope, or ~/.config/lanescope; empty when neither variable is set.
std::string config_folder();
// The same for user data: $XDG_DATA_HOME/lanescope, or ~/.local/share/lanescope.
std::string data_folder();

struct LoadedSettings {
    Settings settings;
    std::string message;   // for the user; empty: nothing to report
    bool may_save = true;  // false: a broken file prevents saving
};

// Loads the settings at `path`; missing values and values out of bounds get their defaults. A
// broken file is renamed and reported.
LoadedSettings load_settings(const std::string& path);
// Why load_settings() would set the file aside; empty if it would not. Changes nothing.
std::string settings_problem(const std::string& path);
Result<void> save_settings(const Settings& settings, const std::string& path);

// Puts a query first in the history, and drops those beyond a hundred. A query of more than 64 KiB
// is not kept.
void remember_query(Settings& settings, const std::string& query);

// Puts the absolute form of `path` first among the recent files, and drops those beyond ten. A
// remote trace is not among them: a file with settings cannot make the window connect to a host.
void remember_file(Settings& settings, const std::string& path);

}  // namespace lanescope
