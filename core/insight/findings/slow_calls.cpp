#include "core/insight/findings/slow_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/analysis/structure/attribution.h"
#include "core/base/format.h"
#include "core/insight/findings/window_work.h"

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

// When the first launch of each kernel began, by the kernel's name.
std::vector<Nanos> first_launches(const RuleInput& input) {
    const Trace& trace = input.trace();
    const Attribution& attribution = input.attribution;
    std::vector<Nanos> first(trace.strings.size(), std::numeric_limits<Nanos>::max());
    for (uint32_t row = 0; row < attribution.launch.size(); ++row) {
        const SliceRef call = attribution.launch[row];
        if (!call) continue;
        Nanos& begin = first[trace.name_id(trace.gpu_activities.slice[row])];
        begin = std::min(begin, trace.start(call));
    }
    return first;
}

// Whether the call took long and launched the first kernel of its name.
bool loads_kernel(const RuleInput& input, const std::vector<Nanos>& first, SliceRef call) {
    const Trace& trace = input.trace();
    if (trace.duration(call) < kLongLaunch) return false;
    return std::ranges::any_of(input.attribution.launched_by(call), [&](uint32_t row) {
        return first[trace.name_id(trace.gpu_activities.slice[row])] == trace.start(call);
    });
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
    const auto first = where == SlowCallsIn::window ? std::vector<Nanos>() : first_launches(input);
    const NameTest gets_memory(trace.strings, is_memory_call);
    const NameTest is_loading(trace.strings, is_loading_call);
    LargestPlaces places;
    std::map<std::string, std::pair<uint64_t, Nanos>> by_name;
    std::vector<TimeRange> ranges;
    SlowCalls slow;
    for (const SliceRef call : trace.runtime_calls.slice) {
        if (!device.summary->users[trace.lanes[call.lane].process]) continue;
        const StringId id = trace.name_id(call);
        const bool loads =
            where != SlowCallsIn::window && (is_loading(id) || loads_kernel(input, first, call));
        if (!loads && !gets_memory(id)) continue;
        const TimeRange range{trace.start(call), trace.slice_end(call)};
        const Nanos inside = covered_length(idle, range);
        if (inside <= 0) continue;
        ranges.push_back(range);
        ++slow.count;
        const std::string_view name = trace.strings[id];
        auto& [count, time] =
            by_name[loads && !is_loading(id) ? fmt::format("{} that loads its kernel", name)
                                             : std::string(name)];
        ++count;
        time += inside;
        places.add(call, range);
    }
    slow.idle = intersect(idle, merged(std::move(ranges)));
    slow.places = std::move(places).take(trace);
    for (const auto& [name, sum] : by_name)
        slow.evidence.push_back(
            {fmt::format("idle in {} of {}", format_count(sum.first, "call", "calls"), name),
             static_cast<double>(sum.second), "ns", ""});
    std::ranges::stable_sort(slow.evidence, std::greater(), &FindingEvidence::value);
    if (slow.evidence.size() > kNamesListed) slow.evidence.resize(kNamesListed);
    return slow;
}

}  // namespace lanescope
