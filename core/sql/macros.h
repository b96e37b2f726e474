// SqlMacros: what CREATE PERFETTO MACRO defines, and the statements that use it.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/sql/tokens.h"

namespace lanescope {

struct SqlMacro {
    std::vector<std::string> arguments;
    std::string body;  // with "$argument" where the tokens of an argument belong
};

using SqlMacros = std::map<std::string, SqlMacro>;  // by name in lower case

std::string macro_key(std::string_view name);

// A statement without macros, and where its parts are in the script.
struct ExpandedSql {
    std::string text;
    // Ascending: the part of `text` from `first` on belongs to the place `second` of the script. A
    // macro's own tokens belong to the place where it is used.
    std::vector<std::pair<std::size_t, std::size_t>> places;

    std::size_t place_of(std::size_t offset) const;
};

// Returns whether the tokens contain a use of a macro: "name!(".
bool uses_macros(std::string_view script, std::span<const SqlToken> tokens);

// Replaces every "name!(arguments)" of a statement, also in arguments and in what macros contain.
// Errors: an unknown macro, the wrong number of arguments, no end of the arguments, or macros that
// use each other without end. The byte offset is a place in the script.
Result<ExpandedSql> expand_macros(std::string_view script, std::span<const SqlToken> tokens,
                                  const SqlMacros& macros);

}  // namespace lanescope
