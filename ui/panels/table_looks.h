// How some tables differ from the rest on the screen: what they show at first, and how.
#pragma once

#include <span>
#include <string_view>

namespace lanescope {

struct TableLook {
    std::string_view table;
    std::span<const std::string_view> hidden;  // until they are chosen in the menu of the heads
    std::string_view bar;    // the column with a bar behind its numbers, as parts of the largest
    std::string_view mean;   // shown with …
    std::string_view error;  // … this behind it: "5.81 ± 0.06 µs"
    float least_name = 176;  // of the first column, where the others need the room
};

// That of all tables where it has none of its own.
const TableLook& table_look(std::string_view table);

// "TFLOP/s" for "tflop_per_s"; empty: as the column's name says.
std::string_view head_of_rate(std::string_view column);

}  // namespace lanescope
