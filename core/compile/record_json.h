// JSON in records of compilers, which nothing bounds.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace lanescope {

// Parses a text. What is nested more than 64 deep is left out: values are copied and freed by
// recursion. A text that is no JSON gives a discarded value.
template <typename Json>
Json record_json(std::string_view text) {
    constexpr int deepest = 64;
    return Json::parse(
        text, [](int depth, typename Json::parse_event_t, Json&) { return depth <= deepest; },
        false);
}

}  // namespace lanescope
