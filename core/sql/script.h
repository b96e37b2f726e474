// SqlScript: splits a text into statements, and turns Perfetto's own statements into SQLite's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/sql/macros.h"

namespace lanescope {

enum class SqlAction : uint8_t {
    run,       // `text` is for SQLite
    include,   // INCLUDE PERFETTO MODULE `name`
    function,  // CREATE PERFETTO FUNCTION: `text` is the body
    macro,     // CREATE PERFETTO MACRO: `text` is the body
};

struct SqlStatement {
    SqlAction action = SqlAction::run;
    std::string text;
    std::string name;                    // of the module, function or macro
    std::string drops;                   // a statement to run before: of OR REPLACE; or empty
    std::vector<std::string> arguments;  // of a function or macro
    std::vector<std::string> columns;    // of a function that returns a table; else empty
    bool replaces = false;               // a function or macro of this name
    // Ascending: the part of `text` from `first` on was copied from `second` in the script.
    std::vector<std::pair<std::size_t, std::size_t>> places;

    // The place in the script of a place in `text`.
    std::size_t place_of(std::size_t offset) const;
};

// Statements of only comments are left out. `macros`: those defined before; the script's own are
// known to the statements after them. Errors: a text or a comment without its end; a statement of
// Perfetto's that is not understood; see also expand_macros(). Their byte offset is a place in the
// script.
Result<std::vector<SqlStatement>> parse_script(std::string_view script, SqlMacros macros = {});

}  // namespace lanescope
