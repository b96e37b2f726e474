// Parses the JSON in compilers' records, whose nesting is not bounded.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace lanescope {

// Parses a text. Leaves out values nested more than 64 levels deep, because values are copied and
// freed recursively. Returns a discarded value if the text is not JSON.
template <typename Json>
Json record_json(std::string_view text) {
    constexpr int deepest = 64;
    return Json::parse(
        text, [](int depth, typename Json::parse_event_t, Json&) { return depth <= deepest; },
        false);
}

}  // namespace lanescope
