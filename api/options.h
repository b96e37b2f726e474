// Options of the C interface: a JSON object with the names of the command line's long options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

// An integer from 1 to `most`; 0: not given.
struct PositiveCount {
    uint64_t value = 0;
    uint64_t most = UINT64_MAX;
};

// Texts also take numbers, as written; flags take true and false, or 0 and 1; counts are whole
// numbers from 0.
struct OptionField {
    std::string_view key;
    std::variant<std::string*, bool*, std::size_t*, double*, PositiveCount*,
                 std::vector<std::string>*>
        target;
};

// Sets the targets of all options in the object; others keep their value. `json`: null or "" for
// none. `what` takes the options, for messages.
Result<void> read_options(const char* json, std::string_view what,
                          std::initializer_list<OptionField> fields);

}  // namespace lanescope
