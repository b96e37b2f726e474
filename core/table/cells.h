// Columns and cells that several tables share.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/table/table.h"
#include "core/trace/trace.h"

namespace lanescope {

// Marks floors and values computed from them.
inline constexpr ColumnSpec kUncertainColumn{
    "uncertain", ValueType::integer, Unit::none, "there is no floor",
    "1: the floor uses a figure of the data sheet that no source confirmed."};
inline constexpr std::array<std::string_view, 2> kByUncertain = {"uncertain"};

inline Cell known(int64_t value, int64_t unknown) {
    return value == unknown ? Cell() : Cell(value);
}

// Unknown if the text is empty.
inline Cell text_cell(std::string_view words) {
    return words.empty() ? Cell() : Cell(words);
}

inline Cell name_cell(const Trace& trace, SliceRef slice) {
    return slice ? Cell(trace.name(slice)) : Cell();
}

}  // namespace lanescope
