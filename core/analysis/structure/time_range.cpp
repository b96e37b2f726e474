#include "core/analysis/structure/time_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/analysis/structure/steps.h"
#include "core/base/format.h"

namespace lanescope {

namespace {

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

std::optional<Nanos> nanos_of_unit(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, Nanos>, 6> units = {
        std::pair{"ns", Nanos{1}}, {"us", Nanos{1'000}},     {"µs", Nanos{1'000}},
        {"μs", Nanos{1'000}},      {"ms", Nanos{1'000'000}}, {"s", Nanos{1'000'000'000}},
    };
    for (const auto& [name, nanos] : units)
        if (name == unit) return nanos;
    return std::nullopt;
}

Error usage(std::string text) {
    return {ErrorCode::usage, Error::no_offset, std::move(text)};
}

// "3, 4, 5": the first few.
std::string indices_of(const Steps& steps) {
    constexpr std::size_t listed = 8;
    std::string list;
    for (std::size_t i = 0; i < steps.all.size() && i < listed; ++i)
        list += fmt::format("{}{}", i > 0 ? ", " : "", steps.all[i].index);
    return steps.all.size() > listed ? list + ", …" : list;
}

// If several processes have a step of that number, the longest.
Result<TimeRange> range_of_step(const Trace& trace, std::string_view number) {
    const Steps steps = find_steps(trace);
    std::optional<TimeRange> found;
    for (const Step& step : steps.all)
        if (fmt::format("{}", step.index) == number &&
            (!found || step.range.length() > found->length()))
            found = step.range;
    if (found) return *found;
    if (steps.all.empty())
        return usage(fmt::format("There is no step {}: this trace has no steps.", number));
    return usage(
        fmt::format("There is no step {} in this trace; it has {}.", number, indices_of(steps)));
}

// "3", or "3..5": from the begin of the first one to the end of the last one.
Result<TimeRange> range_of_steps(const Trace& trace, std::string_view numbers) {
    const std::size_t dots = numbers.find("..");
    Result<TimeRange> first = range_of_step(trace, numbers.substr(0, dots));
    if (!first || dots == std::string_view::npos) return first;
    const Result<TimeRange> last = range_of_step(trace, numbers.substr(dots + 2));
    if (!last) return last.error();
    if (last->end <= first->begin)
        return usage(
            fmt::format("The range step:{} is empty: its last step ends before the first "
                        "one begins.",
                        numbers));
    return TimeRange{first->begin, last->end};
}

}  // namespace

std::optional<Nanos> parse_duration(std::string_view text) {
    text = trimmed(text);
    const std::size_t number_end = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string_view number = text.substr(0, number_end);
    const std::size_t point = std::min(number.find('.'), number.size());
    const std::string_view whole = number.substr(0, point);
    const std::string_view fraction = number.substr(std::min(point + 1, number.size()));
    if (whole.empty() && fraction.empty()) return std::nullopt;
    const std::optional<Nanos> unit =
        text == "0" ? Nanos{1} : nanos_of_unit(trimmed(text.substr(number_end)));
    if (!unit) return std::nullopt;

    Nanos nanos = 0;
    const auto add = [&](Nanos digit, Nanos worth) {
        Nanos part = 0;
        return !__builtin_mul_overflow(digit, worth, &part) &&
               !__builtin_add_overflow(nanos, part, &nanos);
    };
    for (const char digit : whole)
        if (__builtin_mul_overflow(nanos, Nanos{10}, &nanos) || !add(digit - '0', *unit))
            return std::nullopt;
    Nanos place = *unit;  // one unit of the next digit
    for (const char digit : fraction) {
        place /= 10;
        if (digit == '.' || (place == 0 && digit != '0'))
            return std::nullopt;  // digits below a nanosecond
        if (!add(digit - '0', place)) return std::nullopt;
    }
    return nanos;
}

Result<TimeRange> parse_time_range(const Trace& trace, std::string_view text) {
    constexpr std::string_view step = "step:";
    if (text.starts_with(step)) return range_of_steps(trace, text.substr(step.size()));
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos)
        return usage(fmt::format(
            "\"{}\" is not a range of time: write A..B, such as 1.2ms..3ms, step:N or step:N..M.",
            text));
    const std::string_view first = trimmed(text.substr(0, dots));
    const std::string_view last = trimmed(text.substr(dots + 2));
    const std::optional<Nanos> begin = first.empty() ? Nanos{0} : parse_duration(first);
    const std::optional<Nanos> end = last.empty() ? trace.end - trace.origin : parse_duration(last);
    if (!begin || !end)
        return usage(fmt::format("\"{}\" is not a time: write a number and ns, us, ms or s.",
                                 begin ? last : first));
    if (*begin >= *end)
        return usage(fmt::format("The range {} is empty: its end is not after its begin.", text));
    return TimeRange{trace.origin + *begin, trace.origin + *end};
}

Result<TimeRange> parse_shown_range(const Trace& trace, std::string_view text) {
    Result<TimeRange> range = parse_time_range(trace, text);
    if (range && range->begin > trace.end)
        return usage(fmt::format("The trace is over before {} begins: it ends at {}.", text,
                                 format_duration(trace.end - trace.origin)));
    return range;
}

}  // namespace lanescope
