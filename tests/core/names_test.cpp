// Two types of the same name are one to the linker, which may then run the wrong code.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

TEST_CASE("no two headers define a type of the same name") {
    const std::regex definition(R"(^(struct|class|enum class) (\w+)( final)?( : [^;]*)? \{)");
    std::map<std::string, std::string> where;
    for (const char* room : {"api", "core", "examples", "ui", "app"}) {
        const std::filesystem::path folder = std::filesystem::path(LANESCOPE_ROOT) / room;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
            if (entry.path().extension() != ".h") continue;
            std::ifstream file(entry.path());
            for (std::string line; std::getline(file, line);) {
                std::smatch found;
                if (!std::regex_search(line, found, definition)) continue;
                const auto emplaced = where.emplace(found[2], entry.path().string());
                const auto& known = emplaced.first;
                const bool added = emplaced.second;
                CAPTURE(known->first);
                CAPTURE(entry.path().string());
                const bool same_file = known->second == entry.path().string();
                CHECK_MESSAGE((added || same_file), "also in ", known->second);
            }
        }
    }
    CHECK(where.size() > 100);
    CHECK(where.contains("LaunchConfig"));
}
