// Checks every include of app, core and ui against the table of rooms in docs/architecture.md.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Room {
    int floor = 0;
    std::vector<std::string> only;   // everything that it may include; empty: all lower floors
    std::vector<std::string> never;  // of lower floors
};
using Rooms = std::map<std::string, Room>;

const fs::path kRoot = LANESCOPE_ROOT;

// Whether a name of the table means a room: "core/capture/*" means core/capture and all below it.
bool means(std::string_view name, std::string_view room) {
    if (!name.ends_with("/*")) return name == room;
    const std::string_view above = name.substr(0, name.size() - 2);
    return room == above || room.starts_with(name.substr(0, name.size() - 1));
}

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

// Fills a room's exceptions; false if they are not understood.
bool read_exceptions(Room& room, const std::string& cell) {
    std::vector<std::string>* list = nullptr;
    for (const std::string& word : words_of(cell)) {
        if (word == "only") {
            list = &room.only;
        } else if (word == "not") {
            list = &room.never;
        } else if (list) {
            list->push_back(word);
        } else {
            return false;
        }
    }
    return true;
}

// The rows of the table with the title line "| floor | room | holds | exceptions |".
Rooms read_rooms(std::istream& document) {
    Rooms rooms;
    bool in_table = false;
    for (std::string line; std::getline(document, line);) {
        if (line.starts_with("| floor |")) {
            in_table = true;
        } else if (in_table && !line.starts_with("|")) {
            break;
        } else if (in_table && !line.starts_with("|--")) {
            std::vector<std::string> cells;
            std::istringstream stream(line.substr(1));
            for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(cell);
            if (cells.size() != 4 || words_of(cells[0]).size() != 1 ||
                words_of(cells[1]).size() != 1)
                return {};
            Room& room = rooms[words_of(cells[1])[0]];
            room.floor = std::stoi(cells[0]);
            if (!read_exceptions(room, cells[3])) return {};
        }
    }
    return rooms;
}

bool may_include(const Rooms& rooms, const std::string& from, const std::string& to) {
    const auto is_in = [&](const std::vector<std::string>& names) {
        return std::ranges::any_of(names, [&](const auto& name) { return means(name, to); });
    };
    const Room& room = rooms.at(from);
    if (from == to) return true;
    if (!room.only.empty()) return is_in(room.only);
    return rooms.at(to).floor < room.floor && !is_in(room.never);
}

// The room of a path from the kRoot: the table's longest matching name.
std::string room_of(const Rooms& rooms, std::string_view path) {
    std::string found;
    for (const auto& [room, facts] : rooms) {
        if (path.starts_with(room + "/") && room.size() > found.size()) found = room;
    }
    return found;
}

// The target of an include line with its delimiters, <...> or "...", or empty.
std::optional<std::string> included(const std::string& line) {
    const auto hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') return {};
    const auto word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || line.compare(word, 7, "include") != 0) return {};
    const auto open = line.find_first_of("<\"", word);
    if (open == std::string::npos) return {};
    const auto close = line.find_first_of(">\"", open + 1);
    if (close == std::string::npos) return {};
    return line.substr(open, close - open + 1);
}

bool of_the_window(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::array<std::string_view, 10> starts = {"imgui",   "implot",       "glfw", "gl/",
                                                         "gles",    "egl/",         "khr/", "x11/",
                                                         "wayland", "portable-file"};
    return std::any_of(starts.begin(), starts.end(),
                       [&](std::string_view start) { return name.starts_with(start); });
}

// What is wrong with an include in a file, both as paths from the kRoot; empty: nothing.
std::string wrong_with(const Rooms& rooms, const std::string& file, const std::string& include) {
    const std::string name = include.substr(1, include.size() - 2);
    const std::string from = room_of(rooms, file);
    if (from.empty()) return "its folder is no room of docs/architecture.md";
    if (from.starts_with("core/") && of_the_window(name)) return "core knows no window";
    const std::string to = room_of(rooms, name);
    if (include[0] == '<')
        return to.empty() ? "" : "our own headers are included with quotation marks";
    if (to.empty()) return "not a path from the kRoot into a room";
    if (!may_include(rooms, from, to)) return from + " may not include " + to;
    return "";
}

Rooms architecture() {
    std::ifstream document(kRoot / "docs/architecture.md");
    return read_rooms(document);
}

}  // namespace

TEST_CASE("the table of rooms is parsed completely") {
    const Rooms rooms = architecture();
    CHECK(rooms.size() >= 40);
    REQUIRE(rooms.contains("core/base"));
    CHECK(rooms.at("core/base").floor == 0);
    REQUIRE(rooms.contains("core/ingest"));
    CHECK(rooms.at("core/ingest").floor > rooms.at("core/ingest/build").floor);
    REQUIRE(rooms.contains("core/view"));
    CHECK(rooms.at("core/view").only == std::vector<std::string>{"core/base", "core/trace"});
    for (const auto& row : rooms) {
        const std::string& name = row.first;
        const Room& room = row.second;
        CHECK_MESSAGE((room.only.empty() || room.never.empty()), name, " has both kinds");
        for (const auto* list : {&room.only, &room.never}) {
            for (const std::string& other : *list) {
                const bool known = std::ranges::any_of(
                    rooms, [&](const auto& each) { return means(other, each.first); });
                CHECK_MESSAGE(known, name, " names ", other, ", which is no room");
            }
        }
    }
}

TEST_CASE("forbidden includes are found, allowed ones are not reported") {
    const Rooms rooms = architecture();
    REQUIRE(!rooms.empty());
    CHECK(wrong_with(rooms, "core/ingest/load.cpp", "\"core/trace/trace.h\"").empty());
    CHECK(wrong_with(rooms, "core/ingest/load.cpp", "\"core/ingest/load.h\"").empty());
    CHECK(wrong_with(rooms, "core/ingest/load.cpp", "<vector>").empty());
    CHECK(wrong_with(rooms, "ui/panels/selection.cpp", "<imgui.h>").empty());
    CHECK(wrong_with(rooms, "ui/panels/selection.cpp", "\"ui/timeline/paint.h\"").empty());

    CHECK(wrong_with(rooms, "core/insight/summary/summary.cpp", "\"core/analysis/gpu/gaps.h\"")
              .empty());
    CHECK(wrong_with(rooms, "core/insight/summary/summary.cpp", "\"core/analysis/context.h\"")
              .empty());

    CHECK(!wrong_with(rooms, "core/analysis/gpu/gaps.cpp", "\"core/analysis/kernels/kernels.h\"")
               .empty());
    CHECK(!wrong_with(rooms, "core/trace/trace.h", "\"core/ingest/load.h\"").empty());
    CHECK(!wrong_with(rooms, "core/base/column.h", "\"core/trace/trace.h\"").empty());
    CHECK(!wrong_with(rooms, "core/view/cull.cpp", "\"ui/timeline/paint.h\"").empty());
    CHECK(!wrong_with(rooms, "ui/app/app.cpp", "\"core/ingest/load.h\"").empty());
    CHECK(!wrong_with(rooms, "core/view/cull.cpp", "<imgui.h>").empty());
    CHECK(!wrong_with(rooms, "core/view/cull.cpp", "\"imgui_internal.h\"").empty());
    CHECK(!wrong_with(rooms, "core/view/cull.cpp", "<GLFW/glfw3.h>").empty());
    CHECK(!wrong_with(rooms, "core/view/cull.cpp", "<GL/gl.h>").empty());
    CHECK(!wrong_with(rooms, "core/trace/trace.cpp", "\"trace.h\"").empty());
    CHECK(!wrong_with(rooms, "core/trace/trace.cpp", "<core/trace/trace.h>").empty());
    CHECK(!wrong_with(rooms, "core/nowhere/new.cpp", "<vector>").empty());
}

TEST_CASE("an include line is recognised with any spacing") {
    CHECK(included("#include <vector>") == "<vector>");
    CHECK(included("  #  include \"core/base/nanos.h\"  // time") == "\"core/base/nanos.h\"");
    CHECK(!included("// #include <imgui.h>"));
    CHECK(!included("#pragma once"));
    CHECK(!included(""));
}

TEST_CASE("every include of app, core and ui is allowed") {
    const Rooms rooms = architecture();
    int files = 0;
    int includes = 0;
    for (const char* top : {"api", "app", "core", "ui"}) {
        for (const auto& entry : fs::recursive_directory_iterator(kRoot / top)) {
            const auto extension = entry.path().extension();
            if (extension != ".h" && extension != ".cpp") continue;
            ++files;
            const std::string file = entry.path().lexically_relative(kRoot).string();
            std::ifstream stream(entry.path());
            for (std::string line; std::getline(stream, line);) {
                const auto include = included(line);
                if (!include) continue;
                ++includes;
                const std::string wrong = wrong_with(rooms, file, *include);
                CHECK_MESSAGE(wrong.empty(), file, ": #include ", *include, ": ", wrong);
            }
        }
    }
    CHECK(files > 10);
    CHECK(includes > files);
}
