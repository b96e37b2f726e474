// Finds names with unescaped quotes, as PyTorch wrote them for Python functions before mid-2026:
// {"name": "{"device": "cpu"}(12): run", "pid": 10, …}.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/ingest/json/json_cursor.h"

namespace lanescope {

// Whether events usually have a member of this name.
bool is_member_name(std::string_view name);

enum class UnescapedText : uint8_t {
    whole,
    cut,   // the text ends before the end of the name is certain
    none,  // with no quote as the end of the name, the rest is a valid event
};

// Finds the name of the event at `event`, which is not valid JSON because of its name. The name
// ends at the first quote after which the rest of the event is valid: it has a phase, a complete
// event has its times, and another event or the end of the list follows.
UnescapedText find_unescaped_name(const JsonCursor& event, std::string_view& name);

}  // namespace lanescope
