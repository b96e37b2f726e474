#include "core/export/tables/column_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "core/base/format.h"

namespace lanescope {

namespace {

struct UnitStep {
    double scale;
    std::string_view name;
};

constexpr std::array<UnitStep, 4> kTimes = {{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}};
constexpr std::array<UnitStep, 6> kSizes = {{{1, "B"},
                                             {0x1p10, "KiB"},
                                             {0x1p20, "MiB"},
                                             {0x1p30, "GiB"},
                                             {0x1p40, "TiB"},
                                             {0x1p50, "PiB"}}};
constexpr std::array<UnitStep, 6> kWork = {{{1, "FLOP"},
                                            {1e3, "kFLOP"},
                                            {1e6, "MFLOP"},
                                            {1e9, "GFLOP"},
                                            {1e12, "TFLOP"},
                                            {1e15, "PFLOP"}}};

std::span<const UnitStep> steps_of(Unit unit) {
    switch (unit) {
        case Unit::nanoseconds:
            return kTimes;
        case Unit::bytes:
            return kSizes;
        case Unit::flop:
            return kWork;
        default:
            return {};
    }
}

std::optional<double> number_in(const Cell& cell) {
    if (const auto* const n = std::get_if<int64_t>(&cell)) return static_cast<double>(*n);
    if (const auto* const x = std::get_if<double>(&cell)) return *x;
    return std::nullopt;
}

// Four significant digits of the largest value, but at least one decimal of a scaled one.
int decimals_of(double largest) {
    return largest >= 100 ? 1 : largest >= 10 ? 2 : 3;
}

}  // namespace

std::optional<ColumnUnit> common_unit(const Table& table, std::size_t column) {
    const std::span<const UnitStep> steps = steps_of(table.spec().columns[column].unit);
    if (steps.empty()) return std::nullopt;
    std::vector<double> sizes;
    bool whole = true;
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        const std::optional<double> value = number_in(table.cell(row, column));
        if (!value || *value == 0) continue;
        sizes.push_back(std::abs(*value));
        whole = whole && *value == std::floor(*value);
    }
    if (sizes.empty()) return std::nullopt;
    const double largest = std::ranges::max(sizes);
    const auto middle = sizes.begin() + std::ssize(sizes) / 2;
    std::ranges::nth_element(sizes, middle);
    std::size_t i = 0;
    while (i + 1 < steps.size() && largest >= steps[i + 1].scale) ++i;
    // Beyond this, groups of digits are harder to read than a decimal.
    constexpr double kMaxShown = 1e6;
    constexpr double kMinMiddle = 0.1;
    while (i > 0 && *middle < kMinMiddle * steps[i].scale &&
           largest < kMaxShown * steps[i - 1].scale)
        --i;
    const int decimals = i == 0 && whole ? 0 : decimals_of(largest / steps[i].scale);
    return ColumnUnit{steps[i].scale, steps[i].name, decimals};
}

std::string format_in(const ColumnUnit& unit, const Cell& cell) {
    const std::optional<double> number = number_in(cell);
    if (!number) return std::string(kUnknown);
    if (*number == 0) return fmt::format("0 {}", unit.name);
    const double value = *number / unit.scale;
    const double least = std::pow(10, -unit.decimals);
    if (std::abs(value) < least / 2)
        return fmt::format("{} {:.{}f} {}", value > 0 ? "<" : "> -", least, unit.decimals,
                           unit.name);
    return fmt::format("{} {}", format_decimals(value, unit.decimals), unit.name);
}

}  // namespace lanescope
