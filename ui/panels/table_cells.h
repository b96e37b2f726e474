// The parts that the tables of all panels are drawn with.
#pragma once

#include <string_view>

#include "core/analysis/columns.h"
#include "ui/shell/theme.h"

namespace lanescope {

// Numbers stand at the right, and are sorted from the largest.
bool is_number_column(const ColumnSpec& column);

// A text at the right of its cell, as numbers stand.
void right_aligned(std::string_view text);

// A text, cut with an ellipsis where its cell is too narrow; whole when it is pointed at.
// `whole`: what is told under the pointer where the text is a part of it, or is cut.
enum class Cut : unsigned char { end, middle };
void text_cell(const Look& look, std::string_view text, ImU32 color, std::string_view whole,
               Cut cut);

inline constexpr float kSortArrow = 18;  // pixels of the design beside the head of a sorted column

// The header of the next column: its name over its values, at the right over numbers; what it means
// when pointed at.
void column_header(const Look& look, int column, bool number, std::string_view definition);

}  // namespace lanescope
