// Expressions for tests of the search.
#pragma once
#include <doctest/doctest.h>

#include <string_view>

#include "core/search/expression.h"

namespace lanescope::testing {

// The expression of a text, which must be valid.
inline SearchExpression parsed(std::string_view text) {
    auto expression = parse_search(text);
    INFO(text);
    REQUIRE(expression);
    return *expression;
}

}  // namespace lanescope::testing
