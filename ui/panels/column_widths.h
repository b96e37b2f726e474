// How the columns of a table share its width.
#pragma once

#include <span>
#include <vector>

namespace lanescope {

struct ColumnRoom {
    float wanted = 0;     // its width if there is enough space
    float min_width = 0;  // minimum width; at most `wanted`
    float whole = 0;      // width of the longest cell
};

// Distributes `room` over the columns, without the spaces between them. Extra space is spread over
// all columns, up to `max_spread` each. If space is short, the first column shrinks first, then
// the others together. If even all minimum widths are too wide, the table scrolls, and the others
// keep their wanted widths.
std::vector<float> shared_widths(std::span<const ColumnRoom> columns, float room, float max_spread);

// Widens columns whose longest cells are cut, from the first column on, by `rest` pixels together.
// Returns the pixels that remain. Changes nothing if `rest` is negative.
float give_rest(std::span<const ColumnRoom> columns, float rest, std::vector<float>& widths);

// If a table scrolls, widens the columns that are wholly in view until they fill `room`, so that
// the edge cuts no number: a number without its last digits would mislead. `padding`: pixels
// between two columns.
void fill_room(std::span<const ColumnRoom> columns, float padding, float room,
               std::vector<float>& widths);

}  // namespace lanescope
