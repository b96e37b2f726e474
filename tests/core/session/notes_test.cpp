#include "core/session/notes.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "tests/core/temporary_file.h"

using namespace lanescope;
using lanescope::testing::TemporaryFile;
namespace fs = std::filesystem;

namespace {

constexpr Nanos kOrigin = 1'700'000'000'000'000'000;

// A trace's file with the two possible places of its notes.
struct Bench {
    TemporaryFile trace{"{}", "run.json"};
    NotesPlaces places{trace.path() + ".notes.json", trace.folder() + "/data/run.notes.json"};
    NotedTrace noted{trace.path(), {2, 7}, kOrigin};
    std::string older;
    std::vector<Note> notes = {{{kOrigin - 5, kOrigin - 5}, ""},
                               {{kOrigin + 10, kOrigin + 10}, "a \"mark\", µs"},
                               {{kOrigin + 10, kOrigin + 400}, "two\nlines"}};
};

std::string text_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void put(const std::string& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("Notes are read back as kept, in the user's data folder") {
    Bench b;
    const Result<std::string> kept = keep_notes(b.notes, b.noted, b.places, b.older);
    REQUIRE(kept);
    CHECK(*kept == b.places.own);
    CHECK(!fs::exists(b.places.beside));
    const LoadedNotes loaded = load_notes(b.noted, b.places, BrokenNotes::set_aside);
    CHECK(loaded.notes == b.notes);
    CHECK(loaded.path == b.places.own);
    CHECK(loaded.message.empty());
    CHECK(loaded.older.empty());
    // Times in the file are relative to the trace's origin.
    CHECK(text_of_file(*kept).find("\"begin_ns\": -5") != std::string::npos);
    CHECK(text_of_file(*kept).find("\"end_ns\": 400") != std::string::npos);
}

TEST_CASE("Notes are saved beside the trace on request, or kept there without a data folder") {
    Bench b;
    CHECK(*save_notes(b.notes, b.noted, b.places, b.older) == b.places.beside);
    CHECK(load_notes(b.noted, b.places, BrokenNotes::set_aside).notes == b.notes);
    b.places.own.clear();
    CHECK(*keep_notes({b.notes[0]}, b.noted, b.places, b.older) == b.places.beside);
    CHECK(load_notes(b.noted, b.places, BrokenNotes::set_aside).notes.size() == 1);
    const std::string other = b.trace.folder() + "/other.json";
    REQUIRE(save_notes_as(b.notes, b.noted, other));
    CHECK(parse_notes(text_of_file(other), kOrigin)->notes == b.notes);
}

TEST_CASE("The newer of two files counts, and the other is kept when it would be replaced") {
    Bench b;
    REQUIRE(save_notes({b.notes[0]}, b.noted, b.places, b.older));
    REQUIRE(keep_notes(b.notes, b.noted, b.places, b.older));
    const std::string beside = text_of_file(b.places.beside);
    fs::last_write_time(b.places.own,
                        fs::last_write_time(b.places.beside) + std::chrono::seconds(5));
    LoadedNotes loaded = load_notes(b.noted, b.places, BrokenNotes::set_aside);
    CHECK(loaded.notes == b.notes);
    CHECK(loaded.older == b.places.beside);
    // A change goes to the user's folder, and leaves the other file as it is.
    REQUIRE(keep_notes({b.notes[1]}, b.noted, b.places, loaded.older));
    CHECK(text_of_file(b.places.beside) == beside);
    REQUIRE(save_notes({b.notes[1]}, b.noted, b.places, loaded.older));
    CHECK(loaded.older.empty());
    CHECK(text_of_file(b.places.beside + ".older") == beside);
    // From now on, the file beside the trace is this window's own.
    REQUIRE(save_notes({b.notes[2]}, b.noted, b.places, loaded.older));
    CHECK(!fs::exists(b.places.beside + ".older-2"));

    fs::last_write_time(b.places.own,
                        fs::last_write_time(b.places.beside) - std::chrono::seconds(5));
    loaded = load_notes(b.noted, b.places, BrokenNotes::set_aside);
    CHECK(loaded.notes == std::vector{b.notes[2]});
    CHECK(loaded.older == b.places.own);
    const std::string own = text_of_file(b.places.own);
    REQUIRE(keep_notes(b.notes, b.noted, b.places, loaded.older));
    CHECK(text_of_file(b.places.own + ".older") == own);
}

TEST_CASE("Without notes, no file remains, unless another file would bring notes back") {
    Bench b;
    REQUIRE(keep_notes(b.notes, b.noted, b.places, b.older));
    REQUIRE(keep_notes({}, b.noted, b.places, b.older));
    CHECK(!fs::exists(b.places.own));
    REQUIRE(save_notes(b.notes, b.noted, b.places, b.older));
    REQUIRE(keep_notes({}, b.noted, b.places, b.older));
    fs::last_write_time(b.places.own,
                        fs::last_write_time(b.places.beside) + std::chrono::seconds(5));
    CHECK(load_notes(b.noted, b.places, BrokenNotes::set_aside).notes.empty());
    CHECK(parse_notes(text_of_file(b.places.beside), kOrigin)->notes == b.notes);
}

TEST_CASE("If a trace changed after its notes were made, they are kept, with a notice") {
    Bench b;
    REQUIRE(save_notes(b.notes, b.noted, b.places, b.older));
    NotedTrace other = b.noted;
    other.identity = {2, 8};
    const LoadedNotes loaded = load_notes(other, b.places, BrokenNotes::set_aside);
    CHECK(loaded.notes == b.notes);
    CHECK(loaded.message ==
          "run.json has changed since its notes were made (7 events then, 8 now): they may not "
          "fit.");
    other.identity = {3, 7};
    CHECK(load_notes(other, b.places, BrokenNotes::set_aside).message.find("2 bytes then, 3 now") !=
          std::string::npos);
}

TEST_CASE("A broken notes file is renamed, reported, and never overwritten") {
    const Bench b;
    for (
        const char* const text :
        {"", "no json", "[]", "{}", R"({"lanescope_notes": 2, "trace": {}, "notes": []})",
         R"({"lanescope_notes": 1, "trace": {}, "notes": 3})",
         R"({"lanescope_notes": 1, "trace": {}, "notes": [1]})",
         R"({"lanescope_notes": 1, "trace": {}, "notes": [{"begin_ns": 5, "end_ns": 4, "text": ""}]})",
         R"({"lanescope_notes": 1, "trace": {}, "notes": [{"begin_ns": 5, "end_ns": 6}]})",
         R"({"lanescope_notes": 1, "trace": {}, "notes": [{"begin_ns": 0, "end_ns": 9e18, "text": ""}]})",
         R"({"lanescope_notes": 1, "trace": {}, "notes": [{"begin_ns": 0, "end_ns": 9223372036854775807, "text": ""}]})",
         ("{\"lanescope_notes\": 1, \"trace\": {}, \"notes\": [{\"begin_ns\": 0, \"end_ns\": 1, "
          "\"text\": \"\xff\"}]}")}) {
        CAPTURE(text);
        put(b.places.beside, text);
        const LoadedNotes loaded = load_notes(b.noted, b.places, BrokenNotes::set_aside);
        CHECK(loaded.notes.empty());
        CHECK(loaded.may_save);
        CHECK(loaded.message.find("is broken") != std::string::npos);
        const std::size_t at = loaded.message.find("run.json.notes.broken-");
        REQUIRE(at != std::string::npos);
        const std::string aside = loaded.message.substr(at, loaded.message.find(';', at) - at);
        CHECK(text_of_file(b.trace.folder() + "/" + aside) == text);
        CHECK(!fs::exists(b.places.beside));
    }
}

TEST_CASE("Traces with one name in two folders have separate notes") {
    setenv("XDG_DATA_HOME", "/made-up", 1);
    const NotesPlaces a = notes_places("/a/run.json");
    const NotesPlaces b = notes_places("/b/run.json");
    CHECK(a.beside == "/a/run.json.notes.json");
    CHECK(a.own.starts_with("/made-up/lanescope/notes/run.json-"));
    CHECK(a.own != b.own);
    CHECK(notes_places("/a/x/../run.json").own == a.own);
    unsetenv("XDG_DATA_HOME");
}

TEST_CASE("Who only reads notes leaves a broken file where it is, and a long name has no notes") {
    Bench b;
    put(b.places.beside, "nonsense");
    const LoadedNotes loaded = load_notes(b.noted, b.places, BrokenNotes::leave);
    CHECK(text_of_file(b.places.beside) == "nonsense");
    CHECK(!loaded.may_save);
    CHECK(loaded.message.find("is broken") != std::string::npos);
    const NotesPlaces far = {b.trace.folder() + "/" + std::string(250, 'x') + ".notes.json", {}};
    const LoadedNotes none = load_notes(b.noted, far, BrokenNotes::set_aside);
    CHECK(none.message.empty());
    CHECK(none.may_save);
}
