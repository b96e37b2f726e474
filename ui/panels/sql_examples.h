// Queries that show what SQL can do here.
#pragma once

#include <span>
#include <string_view>

namespace lanescope {

struct SqlExample {
    std::string_view title;
    std::string_view query;
};
std::span<const SqlExample> sql_examples();

}  // namespace lanescope
