// Building blocks of the tables in all panels.
#pragma once

#include <string_view>

#include "core/table/columns.h"
#include "core/table/table.h"
#include "core/trace/trace.h"
#include "ui/look/theme.h"

namespace lanescope {

// Number columns are right-aligned, and sorted in descending order first.
bool is_number_column(const ColumnSpec& column);

// Right-aligned text, like numbers.
void right_aligned(std::string_view text);

// Text that is cut with an ellipsis in a narrow cell. `whole`: the tooltip if the text is only part
// of it, or is cut.
enum class Cut : unsigned char { end, middle };
void text_cell(const Look& look, std::string_view text, ImU32 color, std::string_view whole,
               Cut cut);

inline constexpr float kSortArrow = 18;  // design pixels beside the title of a sorted column

// The title of the next column, right-aligned above numbers; a tooltip explains it.
void column_header(const Look& look, int column, bool number, std::string_view definition);

// On the screen, of the widget drawn last.
ImVec2 middle_of_item();

// Whether a row belongs to the selected slice: it leads to the slice or, in tables of names, to a
// slice of the same name.
bool is_of_selection(const Trace& trace, RowTarget target, SliceRef selected);

}  // namespace lanescope
