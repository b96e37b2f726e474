// Cell: a plain value of a table, and the conversion of what C++ code computes into one.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "core/base/nanos.h"
#include "core/trace/slice.h"

namespace lanescope {

enum class ValueType : uint8_t { text, integer, real, integers };

// std::monostate is an unknown value: null in JSON, empty in CSV, a dash on screen. Texts and lists
// returned by a table are valid as long as the table.
using Cell =
    std::variant<std::monostate, int64_t, double, std::string_view, std::span<const int64_t>>;

template <std::integral Value>
Cell cell_of(Value value) {
    return static_cast<int64_t>(value);
}
// Unknown if it is not finite.
inline Cell cell_of(double value) {
    return std::isfinite(value) ? Cell(value) : Cell();
}
inline Cell cell_of(std::string_view value) {
    return value;
}
inline Cell cell_of(std::span<const int64_t> value) {
    return value;
}
// A cell does not own its text: it must belong to the row, or to what the row refers to.
Cell cell_of(const std::string& value) = delete;
template <typename Value>
Cell cell_of(const std::optional<Value>& value) {
    return value ? cell_of(*value) : Cell();
}

template <typename Value>
struct ValueTraits {
    static constexpr bool optional = false;
    static constexpr ValueType type = std::is_integral_v<Value>         ? ValueType::integer
                                      : std::is_floating_point_v<Value> ? ValueType::real
                                      : std::is_convertible_v<Value, std::string_view>
                                          ? ValueType::text
                                          : ValueType::integers;
};
template <typename Value>
struct ValueTraits<std::optional<Value>> : ValueTraits<Value> {
    static constexpr bool optional = true;
};

// Whether both cells are unknown, or have the same value.
bool same_value(const Cell& a, const Cell& b);

// A row's place on the timeline: a slice, a range of absolute time, or none.
struct RowTarget {
    SliceRef slice;
    TimeRange range;
    bool is_gap = false;  // the range is an idle gap of a GPU

    explicit operator bool() const { return slice || range.length() > 0; }
};

}  // namespace lanescope
