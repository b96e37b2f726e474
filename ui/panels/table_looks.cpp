#include "ui/panels/table_looks.h"

#include <algorithm>
#include <array>

namespace lanescope {

namespace {

constexpr std::array kLooks = {
    TableLook{"kernels", {}, "mean_ns", "ci95_ns"},
    TableLook{"hotspots", "lost_ns", "mean_ns", "ci95_ns"},
    TableLook{"models", "lost_ns", {}, {}},
};
constexpr TableLook kPlain{};

}  // namespace

const TableLook& table_look(std::string_view table) {
    const auto found = std::ranges::find(kLooks, table, &TableLook::table);
    return found == kLooks.end() ? kPlain : *found;
}

}  // namespace lanescope
