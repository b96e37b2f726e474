#include "core/analysis/gpu/step_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/base/format.h"

namespace lanescope {

namespace {

constexpr double kMinInput = 30;  // percent
constexpr double kMinCommunication = 30;
constexpr double kMinOverhead = 15;
constexpr double kMinDevice = 70;

bool is_at_least(double percent, Nanos part, Nanos whole) {
    return 100 * static_cast<double>(part) >= percent * static_cast<double>(whole);
}

}  // namespace

std::string_view step_bound_name(StepBound bound) {
    constexpr std::array<std::string_view, 6> names = {"",         "input",  "communication",
                                                       "overhead", "device", "mixed"};
    return names[static_cast<std::size_t>(bound)];
}

BoundTimes& BoundTimes::operator+=(const BoundTimes& more) {
    whole += more.whole;
    busy += more.busy;
    exposed_communication += more.exposed_communication;
    data_loading += more.data_loading;
    overhead += more.overhead;
    return *this;
}

StepBound step_bound(const BoundTimes& times) {
    if (times.whole <= 0) return StepBound::unknown;
    if (is_at_least(kMinInput, times.data_loading, times.whole)) return StepBound::input;
    if (is_at_least(kMinCommunication, times.exposed_communication, times.whole))
        return StepBound::communication;
    if (is_at_least(kMinOverhead, times.overhead, times.whole)) return StepBound::overhead;
    if (is_at_least(kMinDevice, times.busy, times.whole)) return StepBound::device;
    return StepBound::mixed;
}

std::array<BoundPart, 2> largest_parts(const BoundTimes& times) {
    std::array parts = {
        BoundPart{"GPU work", times.busy - times.exposed_communication},
        BoundPart{"communication", times.exposed_communication},
        BoundPart{"data loading", times.data_loading},
        BoundPart{"overhead", times.overhead},
        BoundPart{"other idle", times.whole - times.busy - times.data_loading - times.overhead},
    };
    std::ranges::stable_sort(parts, std::greater(), &BoundPart::time);
    return {parts[0], parts[1]};
}

std::string largest_parts_text(const BoundTimes& times) {
    const auto share = [&](const BoundPart& part) {
        return format_percent(static_cast<double>(part.time) / static_cast<double>(times.whole));
    };
    const auto [first, second] = largest_parts(times);
    return fmt::format("{} {}, {} {}", first.name, share(first), second.name, share(second));
}

}  // namespace lanescope
