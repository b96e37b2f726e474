// The verdict of a comparison in a table: a word with a sign, so that colour is not needed.
#pragma once

#include <string_view>

#include "ui/look/theme.h"

namespace lanescope {

inline constexpr float kVerdictSignRoom = 14;  // pixels of the design before the word

// Slower has a triangle upwards, faster one downwards, new a plus, gone a minus, and what stands in
// the place of others a diamond; differences that may be chance have no sign and are faint.
void verdict_cell(const Look& look, std::string_view verdict);

}  // namespace lanescope
