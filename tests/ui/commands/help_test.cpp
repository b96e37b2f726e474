#include "ui/commands/help.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace lanescope;

TEST_CASE("The groups of keys are in columns of similar length, each once") {
    const auto lines = [](const std::vector<std::string_view>& column) {
        return std::ranges::count_if(commands(), [&](const Command& command) {
            return std::ranges::count(column, command.group) > 0;
        });
    };
    for (const std::size_t count : {1, 2, 3}) {
        const auto columns = help_columns(count);
        REQUIRE(columns.size() == count);
        std::vector<std::string_view> groups;
        std::ptrdiff_t longest = 0;
        for (const auto& column : columns) {
            groups.insert(groups.end(), column.begin(), column.end());
            longest = std::max(longest, lines(column));
        }
        CHECK(groups.front() == command_groups().front());
        std::ranges::sort(groups);
        std::vector<std::string_view> all = command_groups();
        std::ranges::sort(all);
        CHECK(groups == all);
        // At most a fifth more than its share.
        CHECK(static_cast<double>(longest) <
              1.2 * static_cast<double>(commands().size()) / static_cast<double>(count));
    }
}
