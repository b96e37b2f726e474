#include "core/insight/findings/slow_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/analysis/structure/attribution.h"
#include "core/base/format.h"

namespace lanescope {

namespace {

constexpr std::size_t kNamesListed = 5;
// A launch that takes this long and is the first one of its kernel loads the kernel's code.
constexpr Nanos kLongLaunch = 10'000'000;

// "cudaMalloc_v3020" is a cudaMalloc.
std::string_view without_version(std::string_view name) {
    const std::size_t version = name.rfind("_v");
    if (version == std::string_view::npos) return name;
    const std::string_view digits = name.substr(version + 2);
    const bool is_version =
        !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
    return is_version ? name.substr(0, version) : name;
}

// Calls that get memory from the driver or give it back; not those that use a pool (…Async).
bool is_memory_call(std::string_view name) {
    constexpr std::array<std::string_view, 22> names = {
        "cudaMalloc",      "cudaMallocPitch",  "cudaMallocManaged", "cudaMallocHost",
        "cudaFree",        "cudaFreeHost",     "cudaHostAlloc",     "cuMemAlloc",
        "cuMemAllocPitch", "cuMemFree",        "cuMemCreate",       "cuMemMap",
        "cuMemUnmap",      "cuMemRelease",     "cuMemSetAccess",    "cuMemHostAlloc",
        "hipMalloc",       "hipMallocManaged", "hipFree",           "hipHostMalloc",
        "hipHostFree",     "hipHostAlloc"};
    return std::ranges::find(names, without_version(name)) != names.end();
}

bool is_loading_call(std::string_view name) {
    constexpr std::array<std::string_view, 4> begins = {"cuModuleLoad", "cuLibraryLoad",
                                                        "hipModuleLoad", "cudaFuncGetAttributes"};
    return std::ranges::any_of(begins,
                               [&](std::string_view text) { return name.starts_with(text); });
}

// Whether the call launched the first kernel of its name.
class FirstLaunches {
  public:
    explicit FirstLaunches(const RuleInput& input)
        : trace_(input.trace()), attribution_(input.context.get<Attribution>()) {}

    bool is_first(SliceRef call) {
        bool first = false;
        for (const uint32_t row : attribution_.launched_by(call))
            first |= seen_.insert(trace_.name_id(trace_.gpu_activities.slice[row])).second;
        return first;
    }

  private:
    const Trace& trace_;
    const Attribution& attribution_;
    std::unordered_set<StringId> seen_;
};

// Rows of the runtime calls of the device's processes, by time.
std::vector<uint32_t> calls_by_time(const RuleInput& input, const DeviceWindow& device) {
    const Trace& trace = input.trace();
    const auto& calls = trace.runtime_calls.slice;
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row < calls.size(); ++row)
        if (device.summary->users[trace.lanes[calls[row].lane].process]) rows.push_back(row);
    std::ranges::stable_sort(rows, {}, [&](uint32_t row) { return trace.start(calls[row]); });
    return rows;
}

}  // namespace

SlowCalls slow_calls(const RuleInput& input, const DeviceWindow& device, SlowCallsIn where,
                     const Intervals& warm_up) {
    const Trace& trace = input.trace();
    Intervals times =
        where == SlowCallsIn::window ? device.times : Intervals{span_of(device.work->work)};
    if (where == SlowCallsIn::warm_up) times = warm_up;
    if (input.query.range) times = intersect(times, {*input.query.range});
    const Intervals idle = subtract(times, device.busy);
    FirstLaunches first(input);
    std::map<std::string, std::pair<uint64_t, Nanos>> by_name;
    std::vector<TimeRange> ranges;
    SlowCalls slow;
    for (const uint32_t row : calls_by_time(input, device)) {
        const SliceRef call = trace.runtime_calls.slice[row];
        const std::string_view name = trace.name(call);
        const bool loads = where != SlowCallsIn::window &&
                           (is_loading_call(name) ||
                            (first.is_first(call) && trace.duration(call) >= kLongLaunch));
        if (!loads && !is_memory_call(name)) continue;
        const TimeRange range{trace.start(call), trace.slice_end(call)};
        const Nanos inside = covered_length(idle, range);
        if (inside <= 0) continue;
        ranges.push_back(range);
        ++slow.count;
        auto& [count, time] =
            by_name[loads && !is_loading_call(name) ? fmt::format("{} that loads its kernel", name)
                                                    : std::string(name)];
        ++count;
        time += inside;
        slow.places.push_back(place_of(trace, call));
    }
    slow.idle = intersect(idle, merged(std::move(ranges)));

    keep_largest(slow.places);
    for (const auto& [name, sum] : by_name)
        slow.evidence.push_back(
            {fmt::format("idle in {} of {}", format_count(sum.first, "call", "calls"), name),
             static_cast<double>(sum.second), "ns", ""});
    std::ranges::stable_sort(slow.evidence, std::greater(), &Evidence::value);
    if (slow.evidence.size() > kNamesListed) slow.evidence.resize(kNamesListed);
    return slow;
}

}  // namespace lanescope
