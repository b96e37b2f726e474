#include "core/replays/sequence_match.h"

#include <algorithm>

namespace lanescope {

namespace {

// By length of a prefix of `part`: the length of its longest proper prefix that also ends it.
std::vector<std::size_t> borders_of(std::span<const uint32_t> part) {
    std::vector<std::size_t> border(part.size() + 1, 0);
    std::size_t length = 0;
    for (std::size_t i = 1; i < part.size(); ++i) {
        while (length > 0 && part[i] != part[length]) length = border[length];
        if (part[i] == part[length]) ++length;
        border[i + 1] = length;
    }
    return border;
}

// The furthest index of `a` on each diagonal k = x - y, for one number of differences.
class Diagonals {
  public:
    explicit Diagonals(std::size_t most) : x_(2 * most + 3, 0), middle_(most + 1) {}
    std::size_t& operator[](std::ptrdiff_t k) { return x_[place(k)]; }
    std::size_t operator[](std::ptrdiff_t k) const { return x_[place(k)]; }

  private:
    std::size_t place(std::ptrdiff_t k) const {
        return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(middle_) + k);
    }
    std::vector<std::size_t> x_;
    std::size_t middle_;
};

// The diagonal before k on the path with d differences: k + 1 if it skips an element of `b`, k - 1
// if it skips one of `a`.
std::ptrdiff_t previous(const Diagonals& furthest, std::ptrdiff_t k, std::ptrdiff_t d) {
    return k == -d || (k != d && furthest[k - 1] < furthest[k + 1]) ? k + 1 : k - 1;
}

// Where the equal elements on diagonal k begin, as an index of `a`.
std::size_t begin_of_run(const Diagonals& furthest, std::ptrdiff_t k, std::ptrdiff_t d) {
    if (d == 0) return 0;
    const std::ptrdiff_t from = previous(furthest, k, d);
    return from > k ? furthest[from] : furthest[from] + 1;
}

std::size_t y_of(std::size_t x, std::ptrdiff_t k) {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(x) - k);
}

struct PathEnd {
    std::size_t x = 0;
    std::ptrdiff_t k = 0;
};

// Follows a path back to its begin.
std::vector<uint32_t> partners(const std::vector<Diagonals>& history, std::size_t size_of_b,
                               PathEnd at) {
    std::vector<uint32_t> found(size_of_b, kNone);
    for (auto d = static_cast<std::ptrdiff_t>(history.size()) - 1; d >= 0; --d) {
        const Diagonals& before = history[static_cast<std::size_t>(d)];
        for (const std::size_t begin = begin_of_run(before, at.k, d); at.x > begin; --at.x)
            found[y_of(at.x - 1, at.k)] = static_cast<uint32_t>(at.x - 1);
        if (d == 0) break;
        at.k = previous(before, at.k, d);
        at.x = before[at.k];
    }
    return found;
}

}  // namespace

std::optional<std::size_t> find_sequence(std::span<const uint32_t> all,
                                         std::span<const uint32_t> part, std::size_t from) {
    if (part.empty() || part.size() > all.size()) return std::nullopt;
    const std::vector<std::size_t> border = borders_of(part);
    const auto first_in = [&](std::size_t begin, std::size_t end) -> std::optional<std::size_t> {
        std::size_t length = 0;  // of the prefix of `part` that ends at i
        for (std::size_t i = begin; i < end; ++i) {
            while (length > 0 && all[i] != part[length]) length = border[length];
            if (all[i] == part[length]) ++length;
            if (length == part.size()) return i + 1 - part.size();
        }
        return std::nullopt;
    };
    from = std::min(from, all.size());
    if (const auto found = first_in(from, all.size())) return found;
    return first_in(0, std::min(all.size(), from + part.size() - 1));
}

std::vector<uint32_t> align(std::span<const uint32_t> a, std::span<const uint32_t> b,
                            std::size_t most) {
    const auto differences = static_cast<std::ptrdiff_t>(std::min(most, a.size() + b.size()));
    Diagonals furthest(static_cast<std::size_t>(differences));
    std::vector<Diagonals> history;  // before each number of differences
    for (std::ptrdiff_t d = 0; d <= differences; ++d) {
        history.push_back(furthest);
        for (std::ptrdiff_t k = -d; k <= d; k += 2) {
            std::size_t x = begin_of_run(furthest, k, d);
            std::size_t y = y_of(x, k);
            while (x < a.size() && y < b.size() && a[x] == b[y]) ++x, ++y;
            furthest[k] = x;
            if (x >= a.size() && y >= b.size()) return partners(history, b.size(), {x, k});
        }
    }
    return {};
}

}  // namespace lanescope
