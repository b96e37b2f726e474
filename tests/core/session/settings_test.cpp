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

TEST_CASE("Settings come back as they were saved, in a folder that was not there") {
    const Folder folder;
    Settings settings;
    settings.light = true;
    settings.scale = 1.5;
    settings.lane_head_width = 240;
    settings.tables_shown = false;
    settings.recent_files = {"/a/b.json", "/c \"d\".json.gz"};
    const std::string path = folder.file("deep/er/settings.json");
    REQUIRE(save_settings(settings, path));
    CHECK(load_settings(path) == settings);
}

TEST_CASE("Whatever is in the file, the settings are usable") {
    const Folder folder;
    const std::string path = folder.file("settings.json");
    CHECK(load_settings(path) == Settings());
    write(path, "not json");
    CHECK(load_settings(path) == Settings());
    write(path, "[1, 2]");
    CHECK(load_settings(path) == Settings());
    write(path,
          R"({"scale": 99, "light": "yes", "window_width": -5, "recent_files": [1, "x", null]})");
    const Settings settings = load_settings(path);
    CHECK(settings.scale == 3);
    CHECK(settings.light == false);
    CHECK(settings.window_width >= 320);
    CHECK(settings.recent_files == std::vector<std::string>{"x"});
}

TEST_CASE("Settings that cannot be written are an error, not a crash") {
    const Folder folder;
    write(folder.file("file"), "");
    CHECK(!save_settings(Settings(), folder.file("file/settings.json")));
}

TEST_CASE("Recent files: newest first, each once, ten at most") {
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
