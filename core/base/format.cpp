#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace lanescope {

namespace {

constexpr std::array<std::string_view, 4> kUnitNames = {"ns", "µs", "ms", "s"};
constexpr std::array<Nanos, 4> kUnitNanos = {1, 1'000, 1'000'000, 1'000'000'000};

uint64_t magnitude(Nanos t) {
    return t < 0 ? ~static_cast<uint64_t>(t) + 1 : static_cast<uint64_t>(t);
}

// Puts a thin space before each group of three digits left of the point.
std::string grouped(std::string digits) {
    const std::size_t sign = digits.starts_with('-') ? 1 : 0;
    std::size_t end = digits.find('.');
    if (end == std::string::npos) end = digits.size();
    for (std::size_t i = end; i > sign + 3;) {
        i -= 3;
        digits.insert(i, kThinSpace);
    }
    return digits;
}

void strip_trailing_zeros(std::string& digits) {
    if (digits.find('.') == std::string::npos) return;
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
}

// The number of decimals that leaves `significant` digits in all, including those before the point.
int decimals_for(double value, int significant) {
    const double size = std::abs(value);
    if (size == 0) return 0;
    const int leading = static_cast<int>(std::floor(std::log10(size)));
    return std::max(0, significant - 1 - leading);
}

std::string rounded(double value, int significant) {
    std::string digits = fmt::format("{:.{}f}", value, decimals_for(value, significant));
    strip_trailing_zeros(digits);
    if (digits == "-0") digits = "0";
    return digits;
}

}  // namespace

std::string_view time_unit_name(TimeUnit unit) {
    return kUnitNames[static_cast<std::size_t>(unit)];
}

Nanos time_unit_nanos(TimeUnit unit) {
    return kUnitNanos[static_cast<std::size_t>(unit)];
}

TimeUnit time_unit_for(Nanos t) {
    const uint64_t size = magnitude(t);
    if (size < 1'000) return TimeUnit::ns;
    if (size < 1'000'000) return TimeUnit::us;
    return size < 1'000'000'000 ? TimeUnit::ms : TimeUnit::s;
}

std::string format_duration(Nanos t) {
    return format_duration(static_cast<double>(t));
}

std::string format_duration(double nanos) {
    if (!std::isfinite(nanos)) return std::string(kUnknown);
    std::size_t unit = 0;
    // 999.95 µs can only be written with four digits as 1 ms: use the next unit where rounding
    // would give 1000.
    while (unit + 1 < kUnitNanos.size() &&
           std::abs(nanos) >= 0.99995 * static_cast<double>(kUnitNanos[unit + 1]))
        ++unit;
    const double value = nanos / static_cast<double>(kUnitNanos[unit]);
    return fmt::format("{} {}", grouped(rounded(value, 4)), kUnitNames[unit]);
}

std::string format_duration(std::optional<Nanos> t) {
    return t ? format_duration(*t) : std::string(kUnknown);
}

std::string format_duration_exact(Nanos t) {
    const TimeUnit unit = time_unit_for(t);
    const auto scale = static_cast<uint64_t>(time_unit_nanos(unit));
    const uint64_t size = magnitude(t);
    std::string digits = fmt::format("{}{}", t < 0 ? "-" : "", size / scale);
    if (const uint64_t rest = size % scale; rest != 0) {
        digits += fmt::format(".{:0{}}", rest, 3 * static_cast<int>(unit));
        strip_trailing_zeros(digits);
    }
    return fmt::format("{} {}", grouped(std::move(digits)), time_unit_name(unit));
}

std::string format_duration_in(Nanos t, TimeUnit unit, int decimals) {
    // Place value of the last digit shown.
    uint64_t step = static_cast<uint64_t>(time_unit_nanos(unit));
    int shown = 0;
    for (; shown < decimals && step % 10 == 0; ++shown) step /= 10;
    const uint64_t scale = static_cast<uint64_t>(time_unit_nanos(unit)) / step;
    const uint64_t steps = (magnitude(t) + step / 2) / step;
    std::string digits = fmt::format("{}{}", t < 0 && steps != 0 ? "-" : "", steps / scale);
    if (shown > 0) digits += fmt::format(".{:0{}}", steps % scale, shown);
    return fmt::format("{} {}", grouped(std::move(digits)), time_unit_name(unit));
}

std::string format_count(int64_t count) {
    return grouped(fmt::format("{}", count));
}

std::string format_count(uint64_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", format_count(static_cast<int64_t>(count)), count == 1 ? one : many);
}

std::string format_bytes(int64_t bytes) {
    constexpr std::array<std::string_view, 7> units = {"B",   "KiB", "MiB", "GiB",
                                                       "TiB", "PiB", "EiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (std::abs(value) >= 1023.95 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{} {}", grouped(rounded(value, 4)), units[unit]);
}

std::string format_number(double value, int significant) {
    if (!std::isfinite(value)) return std::string(kUnknown);
    return grouped(rounded(value, significant));
}

std::string format_decimals(double value, int decimals) {
    if (!std::isfinite(value)) return std::string(kUnknown);
    return grouped(fmt::format("{:.{}f}", value, decimals));
}

std::string format_percent(double ratio) {
    if (!std::isfinite(ratio)) return std::string(kUnknown);
    const double percent = ratio * 100;
    return fmt::format("{:.{}f} %", percent, std::abs(percent) < 99.95 ? 1 : 0);
}

std::string format_share(Nanos part, Nanos whole) {
    return whole > 0 ? format_percent(static_cast<double>(part) / static_cast<double>(whole))
                     : std::string(kUnknown);
}

std::string format_si(double value, std::string_view unit) {
    if (!std::isfinite(value)) return std::string(kUnknown);
    constexpr std::array<std::string_view, 7> prefixes = {"", "k", "M", "G", "T", "P", "E"};
    std::size_t prefix = 0;
    while (std::abs(value) >= 999.95 && prefix + 1 < prefixes.size()) {
        value /= 1000;
        ++prefix;
    }
    return fmt::format("{} {}{}", grouped(rounded(value, 4)), prefixes[prefix], unit);
}

std::size_t character_at(std::string_view text, std::size_t at) {
    while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80)
        --at;
    return at;
}

}  // namespace lanescope
