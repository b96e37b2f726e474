// fields(): the members of an aggregate, in the order of their declaration. Code that treats all
// members of a struct alike then needs no list of them, which could miss one.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace lanescope {

namespace detail {

// Converts to anything, to find out how many initialisers an aggregate takes.
struct AnyInitialiser {
    std::size_t index;
    template <typename T>
    constexpr operator T() const noexcept;
};

template <typename T, typename Indices>
inline constexpr bool kTakes = false;
template <typename T, std::size_t... I>
requires requires {
    T{AnyInitialiser{I}...};
}
inline constexpr bool kTakes<T, std::index_sequence<I...>> = true;

template <typename T, std::size_t n>
constexpr std::size_t count_fields() {
    if constexpr (n == 0 || kTakes<T, std::make_index_sequence<n>>)
        return n;
    else
        return count_fields<T, n - 1>();
}

}  // namespace detail

inline constexpr std::size_t kMostFields = 12;

// The number of members of an aggregate without base classes. Its members must be default
// constructible and must not be arrays.
template <typename T>
inline constexpr std::size_t kFieldCount = detail::count_fields<std::remove_cv_t<T>, 24>();

// References to all members. `n` is kFieldCount of the type, or of another type that has the same
// members.
template <std::size_t n, typename T>
constexpr auto fields(T& value) {
    static_assert(n > 0 && n <= kMostFields, "fields() has no case for so many members: add one");
    if constexpr (n == 1) {
        auto& [a] = value;
        return std::tie(a);
    } else if constexpr (n == 2) {
        auto& [a, b] = value;
        return std::tie(a, b);
    } else if constexpr (n == 3) {
        auto& [a, b, c] = value;
        return std::tie(a, b, c);
    } else if constexpr (n == 4) {
        auto& [a, b, c, d] = value;
        return std::tie(a, b, c, d);
    } else if constexpr (n == 5) {
        auto& [a, b, c, d, e] = value;
        return std::tie(a, b, c, d, e);
    } else if constexpr (n == 6) {
        auto& [a, b, c, d, e, f] = value;
        return std::tie(a, b, c, d, e, f);
    } else if constexpr (n == 7) {
        auto& [a, b, c, d, e, f, g] = value;
        return std::tie(a, b, c, d, e, f, g);
    } else if constexpr (n == 8) {
        auto& [a, b, c, d, e, f, g, h] = value;
        return std::tie(a, b, c, d, e, f, g, h);
    } else if constexpr (n == 9) {
        auto& [a, b, c, d, e, f, g, h, i] = value;
        return std::tie(a, b, c, d, e, f, g, h, i);
    } else if constexpr (n == 10) {
        auto& [a, b, c, d, e, f, g, h, i, j] = value;
        return std::tie(a, b, c, d, e, f, g, h, i, j);
    } else if constexpr (n == 11) {
        auto& [a, b, c, d, e, f, g, h, i, j, k] = value;
        return std::tie(a, b, c, d, e, f, g, h, i, j, k);
    } else {
        auto& [a, b, c, d, e, f, g, h, i, j, k, l] = value;
        return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
    }
}

}  // namespace lanescope
