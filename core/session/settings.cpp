#include "core/session/settings.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/url.h"
#include "core/session/small_file.h"

namespace lanescope {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::size_t kRecentFiles = 10;
constexpr std::size_t kSearches = 30;
constexpr std::size_t kQueries = 100;
constexpr std::size_t kMostQueryBytes = std::size_t{64} << 10U;
constexpr std::array<const char*, 3> kThemes = {"desktop", "dark", "light"};  // by ThemeChoice

ThemeChoice theme_of(const json& document) {
    const json theme = document.value("theme", json());
    for (std::size_t i = 0; i < kThemes.size(); ++i)
        if (theme == kThemes[i]) return static_cast<ThemeChoice>(i);
    return ThemeChoice::desktop;
}

template <typename T>
void read(const json& document, const char* key, T& value) {
    const auto found = document.find(key);
    if (found == document.end()) return;
    if constexpr (std::is_same_v<T, bool>) {
        if (found->is_boolean()) value = found->template get<bool>();
    } else {
        if (!found->is_number()) return;
        const auto number = found->template get<double>();
        if (number >= static_cast<double>(std::numeric_limits<T>::lowest()) &&
            number <= static_cast<double>(std::numeric_limits<T>::max()))
            value = static_cast<T>(number);
    }
}

// Reads {"view.frame": "Ctrl+F", "view.end": ["End", "Shift+E"]}. Any other value is kept as
// written, so that it can be reported.
std::map<std::string, std::vector<std::string>> read_keys(const json& document) {
    std::map<std::string, std::vector<std::string>> keys;
    const auto found = document.find("keys");
    if (found == document.end() || !found->is_object()) return keys;
    const auto text_of = [](const json& value) {
        return value.is_string() ? value.get<std::string>()
                                 : value.dump(-1, ' ', false, json::error_handler_t::replace);
    };
    for (const auto& [id, value] : found->items()) {
        std::vector<std::string>& texts = keys[id];
        if (value.is_array()) {
            for (const json& entry : value) texts.push_back(text_of(entry));
        } else if (std::string text = text_of(value); !value.is_null() && !text.empty()) {
            texts.push_back(std::move(text));
        }
    }
    return keys;
}

// Reads {"tiny-kernels.max_duration": "5us", "tiny-kernels.min_share": 0.2}, unchecked.
std::map<std::string, std::string> read_thresholds(const json& document) {
    std::map<std::string, std::string> thresholds;
    const auto found = document.find("thresholds");
    if (found == document.end() || !found->is_object()) return thresholds;
    for (const auto& [key, value] : found->items())
        thresholds[key] = value.is_string()
                              ? value.get<std::string>()
                              : value.dump(-1, ' ', false, json::error_handler_t::replace);
    return thresholds;
}

// Reads {"long gaps": "select …"}; values that are no texts are left out.
std::map<std::string, std::string> read_queries(const json& document) {
    std::map<std::string, std::string> queries;
    const auto found = document.find("sql_queries");
    if (found == document.end() || !found->is_object()) return queries;
    for (const auto& [name, query] : found->items())
        if (query.is_string()) queries[name] = query.get<std::string>();
    return queries;
}

std::vector<std::string> read_texts(const json& document, const char* key, std::size_t limit) {
    std::vector<std::string> texts;
    const auto found = document.find(key);
    if (found == document.end() || !found->is_array()) return texts;
    for (const json& entry : *found)
        if (entry.is_string() && texts.size() < limit) texts.push_back(entry.get<std::string>());
    return texts;
}

Settings settings_of(const json& document) {
    Settings settings;
    settings.theme = theme_of(document);
    read(document, "scale", settings.scale);
    read(document, "lane_head_width", settings.lane_head_width);
    read(document, "motion", settings.motion);
    read(document, "wheel_zoom_reversed", settings.wheel_zoom_reversed);
    read(document, "wheel_pan_reversed", settings.wheel_pan_reversed);
    read(document, "tables_shown", settings.tables_shown);
    read(document, "window_width", settings.window_width);
    read(document, "window_height", settings.window_height);
    read(document, "window_maximized", settings.window_maximized);
    settings.scale = std::clamp(settings.scale, 1.0, 3.0);
    settings.lane_head_width = std::clamp(settings.lane_head_width, 80.0, 800.0);
    settings.window_width = std::clamp(settings.window_width, 480, 16384);
    settings.window_height = std::clamp(settings.window_height, 320, 16384);
    settings.recent_files = read_texts(document, "recent_files", kRecentFiles);
    settings.searches = read_texts(document, "searches", kSearches);
    settings.sql_history = read_texts(document, "sql_history", kQueries);
    settings.recent_commands = read_texts(document, "recent_commands", kRecentFiles);
    settings.keys = read_keys(document);
    settings.thresholds = read_thresholds(document);
    settings.sql_queries = read_queries(document);
    return settings;
}

// Empty if there is no such file.
Result<std::optional<json>> read_settings(const std::string& path) {
    const Result<std::optional<std::string>> text = read_small_file(path);
    if (!text) return text.error();
    if (!*text) return std::optional<json>();
    json document = json::parse(**text, nullptr, false);
    if (!document.is_object())
        return Error{ErrorCode::damaged, Error::no_offset, "it is not a JSON object"};
    return std::optional<json>(std::move(document));
}

LoadedSettings broken_settings(const std::string& path, const std::string& why) {
    const Result<std::string> kept_as = rename_broken(path);
    return {{},
            path + " is broken (" + why + "). " +
                (kept_as ? "It is kept as " + *kept_as + "; the default settings are used."
                         : "It cannot be renamed, so settings are not saved."),
            static_cast<bool>(kept_as)};
}

}  // namespace

std::string config_folder() {
    if (const char* config = std::getenv("XDG_CONFIG_HOME"); config && *config) {
        return std::string(config) + "/lanescope";
    }
    if (const char* home = std::getenv("HOME"); home && *home)
        return std::string(home) + "/.config/lanescope";
    return {};
}

std::string data_folder() {
    if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data)
        return std::string(data) + "/lanescope";
    if (const char* home = std::getenv("HOME"); home && *home)
        return std::string(home) + "/.local/share/lanescope";
    return {};
}

LoadedSettings load_settings(const std::string& path) {
    const Result<std::optional<json>> document = read_settings(path);
    if (!document) return broken_settings(path, document.error().text);
    if (!*document) return {};
    return {settings_of(**document), {}, true};
}

std::string settings_problem(const std::string& path) {
    const Result<std::optional<json>> document = read_settings(path);
    return document ? "" : document.error().text;
}

Result<void> save_settings(const Settings& settings, const std::string& path) {
    const json document = {
        {"theme", kThemes[static_cast<std::size_t>(settings.theme)]},
        {"scale", settings.scale},
        {"lane_head_width", settings.lane_head_width},
        {"motion", settings.motion},
        {"wheel_zoom_reversed", settings.wheel_zoom_reversed},
        {"wheel_pan_reversed", settings.wheel_pan_reversed},
        {"tables_shown", settings.tables_shown},
        {"window_width", settings.window_width},
        {"window_height", settings.window_height},
        {"window_maximized", settings.window_maximized},
        {"recent_files", settings.recent_files},
        {"searches", settings.searches},
        {"sql_history", settings.sql_history},
        {"recent_commands", settings.recent_commands},
        {"keys", settings.keys},
        {"thresholds", settings.thresholds},
        {"sql_queries", settings.sql_queries},
    };
    // A file name may contain bytes that are not UTF-8: these are replaced.
    return write_small_file(path,
                            document.dump(2, ' ', false, json::error_handler_t::replace) + "\n");
}

void remember_query(Settings& settings, const std::string& query) {
    if (query.size() > kMostQueryBytes) return;
    auto& history = settings.sql_history;
    std::erase(history, query);
    history.insert(history.begin(), query);
    if (history.size() > kQueries) history.resize(kQueries);
}

void remember_file(Settings& settings, const std::string& path) {
    if (is_url(path)) return;
    std::error_code code;
    const fs::path absolute = fs::absolute(path, code);
    const std::string name = code ? path : absolute.lexically_normal().string();
    auto& recent = settings.recent_files;
    recent.erase(std::remove(recent.begin(), recent.end(), name), recent.end());
    recent.insert(recent.begin(), name);
    if (recent.size() > kRecentFiles) recent.resize(kRecentFiles);
}

}  // namespace lanescope
