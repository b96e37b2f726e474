// Count: a 64-bit number of things. A product or sum that does not fit stays at the maximum, and
// every result computed from it is marked as saturated.
#pragma once

#include <cstdint>
#include <span>

namespace lanescope {

struct Count {
    int64_t n = 0;
    bool saturated = false;

    Count() = default;
    Count(int64_t value) : n(value) {}

    friend Count operator*(Count a, Count b) {
        if (a.n == 0 || b.n == 0) return {};  // 0 even if the other factor is saturated
        Count c;
        c.saturated = a.saturated || b.saturated;
        if (__builtin_mul_overflow(a.n, b.n, &c.n)) return saturated_count();
        return c;
    }
    friend Count operator+(Count a, Count b) {
        Count c;
        c.saturated = a.saturated || b.saturated;
        if (__builtin_add_overflow(a.n, b.n, &c.n)) return saturated_count();
        return c;
    }
    friend Count operator-(Count a, Count b) {
        Count c;
        c.saturated = a.saturated || b.saturated;
        if (c.saturated || __builtin_sub_overflow(a.n, b.n, &c.n)) return saturated_count();
        return c;
    }
    // Rounds down; `divisor` is above 0.
    friend Count operator/(Count a, int64_t divisor) {
        return a.saturated ? a : Count(a.n / divisor);
    }

  private:
    static Count saturated_count() {
        Count c(INT64_MAX);
        c.saturated = true;
        return c;
    }
};

inline Count product_of(std::span<const int64_t> factors) {
    Count all = 1;
    for (const int64_t factor : factors) all = all * Count(factor);
    return all;
}

// How a window moves over a dimension. All sizes are from 0 to 2^31, except the dimension's own.
struct Window {
    int64_t kernel = 1;
    int64_t stride = 1;
    int64_t padding = 0;
    int64_t dilation = 1;
};

// The number of window positions; negative if the window does not fit. `ceil`: counts a position
// that ends outside the dimension.
inline Count places_of(const Window& w, int64_t size, bool ceil = false) {
    if (w.stride <= 0) return -1;
    const Count reach = Count(w.dilation) * Count(w.kernel) - Count(w.dilation);
    const Count room = Count(size) + Count(2) * Count(w.padding) - Count(1) - reach;
    if (room.n < 0) return room.n == -1 && w.kernel == 0 ? Count(0) : Count(-1);
    const Count whole = ceil ? room + Count(w.stride - 1) : room;
    return whole / w.stride + Count(1);
}

}  // namespace lanescope
