// Rows and columns of aligned text, fitted to a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/export/words/terminal_text.h"

namespace lanescope {

struct TextStyle {
    int width = 0;       // width of the terminal in columns; 0: no limit
    bool color = false;  // ANSI escapes
    // Names of kernels are whole instead of short_name's; for tables.
    bool full_names = false;
    // The advice that follows the names of columns for which there is no room.
    std::string_view remedy = "widen the terminal, or use --format csv";
    // Tables have all their columns under their keys, and whole names.
    bool plain = false;
};

struct GridColumn {
    std::string head;
    bool right = false;   // aligned right, for numbers
    bool shrinks = true;  // may be cut to fit
    int min_width = 10;   // the minimum width if it shrinks
    bool cut_middle = false;
    bool wraps = false;  // what does not fit continues below, instead of being cut
};

// Cells must be printable(). If the terminal is too narrow, the widest columns that may shrink are
// cut, then columns are omitted from the right, and a line below the grid names them. There is no
// title line if all titles are empty.
std::string write_grid(std::vector<GridColumn> columns,
                       const std::vector<std::vector<std::string>>& rows, const TextStyle& style,
                       std::size_t indent = 0);

// "label  text" for each row of two cells. The text is wrapped beside its label, so that a narrow
// terminal shows all of it.
std::string labelled_lines(const std::vector<std::vector<std::string>>& rows,
                           const TextStyle& style);

std::string bold(std::string_view text, const TextStyle& style);
std::string dim(std::string_view text, const TextStyle& style);

}  // namespace lanescope
