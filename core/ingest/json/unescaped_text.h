// Texts in which a program wrote quotes without escaping them, as PyTorch before mid-2026 did in
// names of Python functions: {"name": "{"device": "cpu"}(12): run", "pid": 10, …}.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/ingest/json/json_cursor.h"

namespace lanescope {

// Whether events usually have a member of this name.
bool is_member_name(std::string_view name);

enum class UnescapedText : uint8_t {
    whole,
    cut,   // the text ends before it is clear where the text in quotes ends
    none,  // no closing quote within 16 KiB
};

// Moves from behind an opening quote to behind the closing quote: the first one that is followed by
// a comma and the name of a member, or by the event's end. Moves only if the text is whole.
UnescapedText read_unescaped_text(JsonCursor& at, std::string_view& text);

}  // namespace lanescope
