// Names in which a program wrote quotes without escaping them, as PyTorch before mid-2026 did for
// Python functions: {"name": "{"device": "cpu"}(12): run", "pid": 10, …}.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/ingest/json/json_cursor.h"

namespace lanescope {

// Whether events usually have a member of this name.
bool is_member_name(std::string_view name);

enum class UnescapedText : uint8_t {
    whole,
    cut,   // the text ends before it is clear where the name ends
    none,  // no quote ends the name so that the rest is a sound event
};

// Finds the name of the event at `event`, an object that is no JSON because of its name. The name
// ends at the first quote behind which the event goes on and ends as a sound one does: it has a
// phase, a complete event has its times, and behind it another event or the list's end follows.
UnescapedText find_unescaped_name(const JsonCursor& event, std::string_view& name);

}  // namespace lanescope
