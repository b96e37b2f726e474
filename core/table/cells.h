// Columns and values that several tables share.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/table/table.h"
#include "core/trace/trace.h"

namespace lanescope {

// Marks floors and values computed from them. A row's `uncertain()` is an optional integer.
inline constexpr SharedColumn kUncertainColumn{
    ColumnText{"uncertain", Unit::none, kMax, "there is no floor",
               "1: the floor uses a figure of the data sheet that no source confirmed."},
    [](const auto& row) { return row.uncertain(); }};
inline constexpr Doubts kByUncertain = {"uncertain"};

// Follows the column "name" of slices and kernels. A row's `short_name()` is what the name column
// of texts and panels shows; they have no column of their own for it.
inline constexpr std::string_view kShortNameKey = "short_name";
inline constexpr SharedColumn kShortNameColumn{
    ColumnText{kShortNameKey, Unit::none, kDistinct, "",
               "What tables in the window and in text show as the name: at most 60 characters of a "
               "kernel's, different for all kernels of a trace; of others, the name without "
               "return type, namespaces and parameters."},
    [](const auto& row) { return row.short_name(); }};

inline std::optional<int64_t> known(int64_t value, int64_t unknown) {
    return value == unknown ? std::nullopt : std::optional(value);
}

// Unknown if the text is empty.
inline std::optional<std::string_view> known_text(std::string_view text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

inline std::optional<std::string_view> known_name(const Trace& trace, SliceRef slice) {
    return slice ? std::optional(trace.name(slice)) : std::nullopt;
}

// Unknown if the divisor is 0 or negative.
inline std::optional<double> known_ratio(double value, double divisor) {
    return divisor > 0 ? std::optional(value / divisor) : std::nullopt;
}

}  // namespace lanescope
