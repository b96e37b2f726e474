#include "core/session/settings.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace lanescope;
namespace fs = std::filesystem;

namespace {

struct Folder {
    fs::path path = fs::temp_directory_path() / ("lanescope_settings_" + std::to_string(getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    std::string file(const char* name) const { return (path / name).string(); }
};

void write(const std::string& path, const char* text) {
    std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("Settings are read back as saved, in a folder that did not exist") {
    const Folder folder;
    Settings settings;
    settings.theme = ThemeChoice::light;
    settings.scale = 1.5;
    settings.lane_head_width = 240;
    settings.tables_shown = false;
    settings.wheel_zoom_reversed = true;
    settings.wheel_pan_reversed = true;
    settings.recent_files = {"/a/b.json", "/c \"d\".json.gz"};
    settings.sql_history = {"select 1;\n-- two", "select 2"};
    settings.sql_queries = {{"long gaps", "select *\nfrom gap"}, {"ü", "select 'ü'"}};
    settings.thresholds = {{"no-rule.min_share", "0.2"}, {"tiny-kernels.max_duration", "5us"}};
    const std::string path = folder.file("deep/er/settings.json");
    REQUIRE(save_settings(settings, path));
    CHECK(load_settings(path).settings == settings);
}

TEST_CASE("Without a file, settings have their defaults") {
    const Folder folder;
    const LoadedSettings loaded = load_settings(folder.file("settings.json"));
    CHECK(loaded.settings == Settings());
    CHECK(loaded.message.empty());
    CHECK(loaded.may_save);
}

TEST_CASE("An invalid settings file is renamed, reported, and never overwritten") {
    const Folder folder;
    const std::string path = folder.file("settings.json");
    int kept = 0;
    for (const char* const text : {"not json", "[1, 2]", "", "{\"scale\": "}) {
        CAPTURE(text);
        write(path, text);
        const LoadedSettings loaded = load_settings(path);
        CHECK(loaded.settings == Settings());
        CHECK(loaded.may_save);
        CHECK(loaded.message.find("settings.json is broken") != std::string::npos);
        const std::string aside = "settings.broken-" + std::to_string(++kept) + ".json";
        CHECK(loaded.message.find(aside) != std::string::npos);
        CHECK(!fs::exists(path));
        std::ifstream file(folder.file(aside.c_str()));
        CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == text);
    }
    fs::create_directory(path);
    CHECK(load_settings(path).message.find("it is not a file") != std::string::npos);
}

TEST_CASE("Values of the wrong kind or out of bounds get their defaults") {
    const Folder folder;
    const std::string path = folder.file("settings.json");
    write(path,
          R"({"scale": 99, "theme": "pink", "window_width": -5, "recent_files": [1, "x", null]})");
    const LoadedSettings loaded = load_settings(path);
    CHECK(loaded.message.empty());
    CHECK(loaded.settings.scale == 3);
    CHECK(loaded.settings.theme == ThemeChoice::desktop);
    CHECK(loaded.settings.window_width >= 320);
    CHECK(loaded.settings.recent_files == std::vector<std::string>{"x"});
}

TEST_CASE("Settings that cannot be written are an error, not a crash") {
    const Folder folder;
    write(folder.file("file"), "");
    CHECK(!save_settings(Settings(), folder.file("file/settings.json")));
}

TEST_CASE("Recent files: newest first, without duplicates, at most ten") {
    Settings settings;
    for (int i = 0; i < 12; ++i) remember_file(settings, "/t/" + std::to_string(i));
    CHECK(settings.recent_files.size() == 10);
    CHECK(settings.recent_files.front() == "/t/11");
    remember_file(settings, "/t/../t/5");
    CHECK(settings.recent_files.front() == "/t/5");
    CHECK(settings.recent_files.size() == 10);
    remember_file(settings, "here.json");
    CHECK(fs::path(settings.recent_files.front()).is_absolute());
}

TEST_CASE("Custom keys are read as a text or a list, and kept as written") {
    const Folder folder;
    const std::string path = folder.file("settings.json");
    write(path, R"({"keys": {"a": "Ctrl+F", "b": ["X", 5], "c": [], "d": null, "e": {}}})");
    const Settings loaded = load_settings(path).settings;
    using KeyTexts = std::vector<std::string>;
    CHECK(loaded.keys ==
          std::map<std::string, KeyTexts>{
              {"a", {"Ctrl+F"}}, {"b", {"X", "5"}}, {"c", {}}, {"d", {}}, {"e", {"{}"}}});
    REQUIRE(save_settings(loaded, path));
    CHECK(load_settings(path).settings == loaded);
    write(path, R"({"keys": ["F"]})");
    CHECK(load_settings(path).settings.keys.empty());
}

TEST_CASE("Thresholds are kept as written, numbers as their text") {
    const Folder folder;
    const std::string path = folder.file("settings.json");
    write(path, R"({"thresholds": {"a.b": "5us", "a.c": 0.2, "d": null}})");
    const auto thresholds = load_settings(path).settings.thresholds;
    CHECK(thresholds ==
          std::map<std::string, std::string>{{"a.b", "5us"}, {"a.c", "0.2"}, {"d", "null"}});
    write(path, R"({"thresholds": [1]})");
    CHECK(load_settings(path).settings.thresholds.empty());
}

TEST_CASE("The history of queries has each query once, the last one first") {
    Settings settings;
    for (int i = 0; i < 150; ++i) remember_query(settings, "select " + std::to_string(i));
    CHECK(settings.sql_history.size() == 100);
    CHECK(settings.sql_history.front() == "select 149");
    CHECK(settings.sql_history.back() == "select 50");
    remember_query(settings, "select 60");
    CHECK(settings.sql_history.size() == 100);
    CHECK(settings.sql_history.front() == "select 60");
    CHECK(settings.sql_history[1] == "select 149");
    remember_query(settings, std::string(65'537, 'x'));
    CHECK(settings.sql_history.front() == "select 60");
}

TEST_CASE("Saved queries that are no texts are left out") {
    const Folder folder;
    const std::string path = folder.file("settings.json");
    write(path, R"({"sql_queries": {"a": "select 1", "b": 2}, "sql_history": [null, "select 3"]})");
    const LoadedSettings loaded = load_settings(path);
    CHECK(loaded.settings.sql_queries == std::map<std::string, std::string>{{"a", "select 1"}});
    CHECK(loaded.settings.sql_history == std::vector<std::string>{"select 3"});
}
