// Columns and cells that several tables share.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/analysis/steps.h"
#include "core/analysis/table.h"

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

// Index of the process's step that contains `t`.
inline Cell step_cell(const Steps& steps, uint32_t process, Nanos t) {
    const uint32_t step = steps.at(process, t);
    return step == kNoRow ? Cell() : Cell(steps.all[step].index);
}

inline Cell name_cell(const Trace& trace, SliceRef slice) {
    return slice ? Cell(trace.name(slice)) : Cell();
}

}  // namespace lanescope
