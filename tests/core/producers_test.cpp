// The rooms that all formats share know no program that writes files: its words and habits belong
// to the reader of its format.
#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::array<std::string_view, 3> kRooms = {"core/ingest/build", "core/trace",
                                                    "core/analysis"};
// Names, a pid and the end of a tid that programs invent.
constexpr std::array<std::string_view, 4> kWords = {"CUPTI", "Kineto", "\"-1\"", "\" samples\""};

std::vector<std::string> words_in(const std::string& text) {
    std::vector<std::string> found;
    for (const std::string_view word : kWords)
        if (text.find(word) != std::string::npos) found.emplace_back(word);
    return found;
}

}  // namespace

TEST_CASE("rooms that all formats share do not know who wrote a file") {
    int files = 0;
    for (const std::string_view room : kRooms)
        for (const auto& entry : std::filesystem::recursive_directory_iterator(
                 std::filesystem::path(LANESCOPE_ROOT) / room)) {
            if (!entry.is_regular_file()) continue;
            std::ifstream file(entry.path());
            const std::string text{std::istreambuf_iterator<char>(file), {}};
            CAPTURE(entry.path().string());
            CHECK(words_in(text) == std::vector<std::string>());
            ++files;
        }
    CHECK(files > 100);
    CHECK(words_in("of CUPTI and Kineto").size() == 2);
}
