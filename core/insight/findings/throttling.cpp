// The GPU's clock falls while it works, by a counter of the clock in the file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <string>

#include "core/base/format.h"
#include "core/insight/findings/rule_class.h"
#include "core/insight/findings/window_work.h"

namespace lanescope {

struct ThrottlingRule : RuleBase {
    static constexpr RuleText kText = {
        "throttling", "The GPU's clock falls while it works",
        "GPU work, and a counter of the GPU's clock (named clock, freq or MHz)"};
    double min_drop =
        ratio("min_drop", 0.10,
              "how far the clock must be below its highest value, as a share of that value");
    double min_share =
        ratio("min_share", 0.02, "time that the lower clock costs, as a share of the steps");

    using RuleBase::RuleBase;
    std::optional<Finding> on_device(const RuleInput& input, const DeviceWindow& device) const;
};
template FindingRule rule_of<ThrottlingRule>();

namespace {

// A clock this close to the highest value counts as it.
constexpr double kNearlyHighest = 0.97;
// A lower clock counts if the GPU works for at least this share of its time: an idle GPU lowers
// its clock by itself.
constexpr double kBusyShare = 0.5;

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

bool contains_any(std::string_view text, std::span<const std::string_view> parts) {
    return std::ranges::any_of(
        parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

// "GPU 0 SM clock (MHz)", "gpu freq actual_mhz". Not clocks of memory, buses and processors, and
// not what was only asked for.
bool is_clock_of_gpu(std::string_view name) {
    constexpr std::array<std::string_view, 4> clocks = {"clock", "freq", "mhz", "sclk"};
    constexpr std::array<std::string_view, 6> gpus = {"gpu",  "graphics", "gfx",
                                                      "sclk", "sm ",      "sm_"};
    constexpr std::array<std::string_view, 7> others = {"mem", "mclk",    "cpu",  "pcie",
                                                        "hbm", "request", "limit"};
    const std::string lower = lower_case(name);
    return contains_any(lower, clocks) && contains_any(lower, gpus) && !contains_any(lower, others);
}

// Returns the first number in a counter's name, which is the number of its GPU: 1 for "GPU 1
// clock". Returns nothing if the name has no number, or one that is too large for a GPU.
std::optional<int32_t> number_in(std::string_view name) {
    const std::size_t at = name.find_first_of("0123456789");
    if (at == std::string_view::npos) return {};
    int32_t number = 0;
    const auto [end, failed] = std::from_chars(name.data() + at, name.data() + name.size(), number);
    return failed == std::errc() ? number : std::numeric_limits<int32_t>::max();
}

// The clock of a device; null: none is recorded, or several may be it.
const Lane* clock_of(const RuleInput& input, const DeviceWindow& device) {
    const Trace& trace = input.trace();
    const Lane* found = nullptr;
    for (const Lane& lane : trace.lanes) {
        if (lane.kind != LaneKind::counter || !lane.counter || lane.counter->time.size() < 2 ||
            !is_clock_of_gpu(trace.strings[lane.name]))
            continue;
        if (trace.processes[lane.process].part != input.part_of(device)) continue;
        const int32_t of_process = trace.processes[lane.process].device;
        const std::optional<int32_t> number =
            of_process >= 0 ? std::optional(of_process) : number_in(trace.strings[lane.name]);
        const bool fits = number ? *number == device.summary->device : input.devices.size() == 1;
        if (!fits) continue;
        if (found) return nullptr;
        found = &lane;
    }
    return found;
}

struct LowClock {
    Intervals lost;  // of the busy time at a lower clock, the share by which the clock is lower
    Nanos busy = 0;  // at a lower clock
    double lowest = std::numeric_limits<double>::max();
    std::vector<FindingPlace> places;
};

LowClock low_clock(const RuleInput& input, const DeviceWindow& device, const Lane& lane,
                   double min_drop) {
    const CounterSeries& clock = *lane.counter;
    const double low = clock.max * (1 - min_drop);
    const Intervals busy = intersect(device.busy, device.times);
    LowClock found;
    std::vector<TimeRange> lost;
    bool was_highest = false;  // before that the GPU wakes up
    for (std::size_t i = 0; i < clock.time.size(); ++i) {
        was_highest = was_highest || clock.value[i] >= kNearlyHighest * clock.max;
        const Nanos end = i + 1 < clock.time.size() ? clock.time[i + 1] : input.trace().end;
        const TimeRange range{clock.time[i], end};
        if (!was_highest || clock.value[i] >= low || clock.value[i] <= 0) continue;
        const Intervals inside = intersect(busy, {range});
        const Nanos time = total_length(inside);
        if (static_cast<double>(time) < kBusyShare * static_cast<double>(range.length())) continue;
        const Intervals lost_inside = first_share(inside, 1 - clock.value[i] / clock.max);
        lost.insert(lost.end(), lost_inside.begin(), lost_inside.end());
        found.busy += time;
        found.lowest = std::min(found.lowest, clock.value[i]);
        found.places.push_back(
            {{},
             range,
             static_cast<LaneId>(&lane - input.trace().lanes.data()),
             fmt::format("clock at {:.0f} of {:.0f}", clock.value[i], clock.max)});
    }
    found.lost = merged(std::move(lost));
    keep_largest(found.places);
    return found;
}

}  // namespace

std::optional<Finding> ThrottlingRule::on_device(const RuleInput& input,
                                                 const DeviceWindow& device) const {
    const Lane* const lane = clock_of(input, device);
    if (!lane) return {};
    LowClock low = low_clock(input, device, *lane, min_drop);
    auto finding = finding_for(device, min_share, std::move(low.lost));
    if (!finding) return {};
    finding->confidence = Confidence::likely;
    finding->title =
        fmt::format("The GPU works for {} at lower clocks, down to {} of the highest",
                    format_duration(low.busy), format_percent(low.lowest / lane->counter->max));
    finding->evidence = {
        {fmt::format("highest value of {}", input.trace().strings[lane->name]), lane->counter->max,
         "count", ""},
        {"lowest value while the GPU works", low.lowest, "count", ""},
        remark("the cost assumes that kernels slow down as the clock does; kernels that memory "
               "limits slow down less, which the counter does not show")};
    finding->advice =
        "Look at temperature and power: nvidia-smi -q -d PERFORMANCE names the reason "
        "(SW Power Cap, HW Thermal Slowdown). Improve cooling, raise the power limit "
        "(nvidia-smi -pl), or lock the clocks (nvidia-smi -lgc) while you compare runs.";
    finding->places = std::move(low.places);
    return finding;
}

}  // namespace lanescope
