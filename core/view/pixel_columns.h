// What the slices of one row that are too short to be drawn one by one leave in each pixel column.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/string_pool.h"
#include "core/trace/slice.h"
#include "core/view/row_walk.h"

namespace lanescope {

// Two numbers that are compared by the first and move together.
using RankedPair = int64_t __attribute__((vector_size(16)));

struct alignas(32) PixelColumn {
    // Of the longest slice: its length, as bits of a float, then its index inverted, so that of two
    // as long the first is more; and its category, then its name. 0: nothing is in the column.
    RankedPair longest{};
    float cover = 0;  // px
    uint32_t count = 0;

    int64_t rank() const { return longest[0]; }
    StringId name() const { return static_cast<StringId>(longest[1]); }
    CategoryId category() const { return static_cast<CategoryId>(longest[1] >> 32); }
};

// Columns of the view, and some to its left and right, so that what reaches out of it by a few
// pixels needs no special case.
class PixelColumns {
  public:
    class Adder;

    void resize(uint32_t width);
    // Adds to the columns for as long as they are not resized; to what is in [0, width) only.
    Adder adder(double width);

    // Calls visit(int32_t column, const PixelColumn&) for each with something in it, from the left,
    // and leaves all empty.
    template <typename Visit>
    void drain(Visit&& visit) {
        for (std::size_t word = 0; word < touched_.size(); word += 8) {
            uint64_t marks = 0;
            std::memcpy(&marks, &touched_[word], 8);
            if (marks == 0) continue;
            std::memset(&touched_[word], 0, 8);
            for (; marks != 0; marks &= marks - 1) {
                const auto padded = static_cast<uint32_t>(word) +
                                    static_cast<uint32_t>(std::countr_zero(marks)) / 8;
                const PixelColumn column = std::exchange(columns_[padded], {});
                if (padded >= kPad && padded < kPad + width_)
                    visit(static_cast<int32_t>(padded) - kPad, column);
            }
        }
    }

  private:
    static constexpr int kPad = 8;
    // A byte, but a type of its own: what is stored through plain bytes may be anything to a
    // compiler, which then keeps nothing in registers.
    enum class Mark : uint8_t { none = 0, touched = 1 };

    uint32_t width_ = 0;
    std::vector<PixelColumn> columns_;
    std::vector<Mark> touched_;
};

// Whether a slice reaches into a second column, or is the longest of its column, is anyone's guess,
// also a processor's: such things are worked out without a branch.
class PixelColumns::Adder {
  public:
    // A slice from x0 to x1 px, at most some px long. It touches the columns that it truly covers,
    // and is counted in the first of them in view.
    [[gnu::always_inline]] void add_slice(double x0, double x1, double length, uint32_t index,
                                          StringId name, CategoryId category) {
        if (x0 <= -kPad || x0 >= width_ || (x0 < 0 && x1 <= 0)) return;
        const RankedPair slice = ranked(length_bits(length), index, name, category);
        const int column = static_cast<int>(x0 + kPad);
        const double border = column + 1 - kPad;
        ++columns_[std::max(column, kPad)].count;
        add(column, static_cast<float>(std::min(x1, border) - x0), slice);
        const double beyond = x1 - border;
        const bool reaches = beyond > 0;
        add(column + 1, static_cast<float>(std::max(std::min(beyond, 1.0), 0.0)),
            slice & -int64_t{reaches}, reaches);
        for (int next = 2; beyond > next - 1; ++next)
            add(column + next, static_cast<float>(std::min(beyond - next + 1, 1.0)), slice);
    }

    // Slices that share a cell. It is drawn evenly over its columns.
    [[gnu::always_inline]] void add_cell(const CellColumns& columns, const ShortSlices& group) {
        if (columns.end <= 0 || columns.begin < -kPad || columns.begin >= width_) return;
        const int column = columns.begin + kPad;
        const RankedPair slice =
            ranked(length_bits(group.length), group.longest, group.name, group.category);
        const float cover = std::min(group.cover, 1.0F) * columns.part;
        columns_[std::max(column, kPad)].count += group.count;
        add(column, cover, slice);
        if (columns.part < 1) return;  // all cells of a level, or none
        const bool second = columns.end > columns.begin + 1;
        add(column + 1, second ? cover : 0.0F, slice & -int64_t{second}, second);
        for (int next = 2; next < columns.end - columns.begin; ++next)
            add(column + next, cover, slice);
    }

  private:
    friend class PixelColumns;
    Adder(PixelColumn* columns, Mark* touched, double width)
        : columns_(columns), touched_(touched), width_(width) {}

    // A length as the bits of a float, which are in order as integers. From 1 up, so that 0 is less
    // than any. A length code is the top of just those bits.
    static uint32_t length_bits(double length) {
        return std::bit_cast<uint32_t>(static_cast<float>(length + 1));
    }
    static uint32_t length_bits(uint8_t code) {
        return std::bit_cast<uint32_t>(1.0F) + (uint32_t{code} << 21);
    }
    static RankedPair ranked(uint32_t length, uint32_t index, StringId name, CategoryId category) {
        return RankedPair{int64_t{length} << 32 | static_cast<uint32_t>(~index),
                          int64_t{category} << 32 | name};
    }

    // Nothing, with cover 0, changes nothing.
    [[gnu::always_inline]] void add(int column, float cover, RankedPair slice,
                                    bool touches = true) {
        touched_[column] = static_cast<Mark>(static_cast<uint8_t>(touched_[column]) |
                                             static_cast<uint8_t>(touches));
        PixelColumn& at = columns_[column];
        at.cover += cover;
        const RankedPair rank{slice[0], slice[0]};
        const RankedPair longest{at.longest[0], at.longest[0]};
        at.longest = rank > longest ? slice : at.longest;
    }

    PixelColumn* columns_;
    Mark* touched_;
    double width_;
};

inline void PixelColumns::resize(uint32_t width) {
    if (width_ == width) return;
    width_ = width;
    const std::size_t size = (width + 2 * kPad + 7) / 8 * 8;
    columns_.assign(size, {});
    touched_.assign(size, Mark::none);
}

inline PixelColumns::Adder PixelColumns::adder(double width) {
    return {columns_.data(), touched_.data(), width};
}

}  // namespace lanescope
