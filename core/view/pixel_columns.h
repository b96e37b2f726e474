// Accumulates, for each pixel column, the slices of one row that are too short to be drawn singly.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/view/palette.h"

namespace lanescope {

struct PixelColumn {
    // Rank of the longest slice: its length as bits of a float, then its inverted index, so that
    // the first of equally long slices ranks highest.
    uint64_t rank = 0;
    float cover = 0;  // px
    int32_t x = -1;   // px
    uint32_t count = 0;
    uint32_t slot = 0;  // of the longest

    uint32_t longest() const { return ~static_cast<uint32_t>(rank); }
};

// The non-empty columns of one row, from the left.
class PixelColumns {
  public:
    class Writer;

    // Reserves space for a view of `width` pixels and clears the columns.
    void start(uint32_t width) {
        if (columns_.size() < width + kBeyond + 1) columns_.resize(width + kBeyond + 1);
        end_ = 1;
    }
    // May extend a few pixels beyond the view.
    std::span<const PixelColumn> columns() const { return {&columns_[1], end_ - 1}; }

    // Maximum distance of a column to the right of the view.
    static constexpr int kBeyond = 8;

  private:
    std::vector<PixelColumn> columns_;  // the first is an empty sentinel to the left of all others
    std::size_t end_ = 1;
};

// Adds to the columns during its lifetime. Slices are added in order of time, so their column is
// either new or the last one written, which is kept in registers. Only where cells and single
// slices meet, it can be the column before the last one.
class PixelColumns::Writer {
  public:
    explicit Writer(PixelColumns& columns)
        : columns_(columns), last_(&columns.columns_[columns.end_ - 1]), now_(*last_) {}
    ~Writer() { columns_.end_ = static_cast<std::size_t>(last_ - columns_.columns_.data()) + 1; }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    // Adds to column `x` >= 0.
    [[gnu::always_inline]] void add(int x, float cover, uint64_t rank, uint32_t slot,
                                    uint32_t count) {
        if (x >= now_.x) [[likely]] {
            add_last(x, cover, rank, slot, count);
        } else {
            last_ = add_before(last_, {rank, cover, x, count, slot});
            now_ = *last_;
        }
    }

    // Adds to column `x`, which is the last one or after it. Branch-free: neither a new column nor
    // a new longest slice is predictable.
    [[gnu::always_inline]] void add_last(int x, float cover, uint64_t rank, uint32_t slot,
                                         uint32_t count) {
        const uint32_t begins = unguessed(x > now_.x);
        const uint32_t keep = begins - 1;
        last_ += begins;
        const uint64_t before = now_.rank & (uint64_t{begins} - 1);
        const uint32_t longer = unguessed(rank > before);
        now_.rank = std::max(rank, before);
        now_.slot ^= (now_.slot ^ slot) & (0 - longer);
        now_.cover = std::bit_cast<float>(std::bit_cast<uint32_t>(now_.cover) & keep) + cover;
        now_.count = (now_.count & keep) + count;
        now_.x = x;
        *last_ = now_;
    }

    // Continues the last addition in the next column, if `cover` is above 0.
    [[gnu::always_inline]] void go_on(float cover, uint64_t rank, uint32_t slot) {
        const uint32_t goes_on = unguessed(cover > 0);
        const uint32_t keep = goes_on - 1;
        last_[1] = {rank, cover, now_.x + 1, 0, slot};
        last_ += goes_on;
        now_.rank ^= (now_.rank ^ rank) & (0 - uint64_t{goes_on});
        now_.slot ^= (now_.slot ^ slot) & ~keep;
        now_.cover = std::bit_cast<float>((std::bit_cast<uint32_t>(now_.cover) & keep) |
                                          (std::bit_cast<uint32_t>(cover) & ~keep));
        now_.count &= keep;
        now_.x += static_cast<int>(goes_on);
    }

    // Appends 1 or 2 (`n`) new columns from `x` on; all existing columns must be left of them.
    [[gnu::always_inline]] void append(int x, uint32_t n, float cover, uint64_t rank, uint32_t slot,
                                       uint32_t count) {
        last_[1] = {rank, cover, x, count, slot};
        last_[2] = {rank, cover, x + 1, 0, slot};
        last_ += n;
        now_ = {rank, cover, x + static_cast<int>(n) - 1, count & -(n & 1), slot};
    }
    int last_x() const { return now_.x; }

    // A length as bits of a float, which sort like integers. Starts at 1, so that 0 is less than
    // any. A length code is the top of these bits.
    static uint64_t rank_of(double length, uint32_t index) {
        return uint64_t{std::bit_cast<uint32_t>(static_cast<float>(length + 1))} << 32 |
               static_cast<uint32_t>(~index);
    }
    static uint64_t rank_of(uint8_t length_code, uint32_t index) {
        constexpr uint32_t kOne = std::bit_cast<uint32_t>(1.0F) >> 21;
        return uint64_t{length_code + kOne} << 53 | static_cast<uint32_t>(~index);
    }

  private:
    // 1 or 0, opaque to the compiler, so that it generates no branch.
    [[gnu::always_inline]] static uint32_t unguessed(bool is_so) {
        uint32_t value = is_so;
        asm("" : "+r"(value));
        return value;
    }

    // Adds to a column before `last`, and returns the last one. Its few arguments keep the writer's
    // fields in registers.
    [[gnu::noinline]] static PixelColumn* add_before(PixelColumn* last, const PixelColumn& more) {
        PixelColumn* at = last;
        while (at->x > more.x) --at;
        if (at->x < more.x) {
            std::copy_backward(at + 1, last + 1, last + 2);
            at[1] = more;
            return last + 1;
        }
        if (more.rank > at->rank) at->slot = more.slot;
        at->rank = std::max(at->rank, more.rank);
        at->cover += more.cover;
        at->count += more.count;
        return last;
    }

    PixelColumns& columns_;
    PixelColumn* last_;
    PixelColumn now_;
};

}  // namespace lanescope
