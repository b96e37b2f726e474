#include "core/insight/findings/input_work.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/lane_view.h"

namespace lanescope {

namespace {

// Parts of paths of Python files.
constexpr std::array<std::string_view, 28> kInputPaths = {
    "/image_processing_",
    "/image_transforms.py",
    "/image_utils.py",
    "/video_processing_",
    "/video_utils.py",
    "/feature_extraction_",
    "/audio_utils.py",
    "/tokenization_",
    "/processing_",
    "PIL/",
    "cv2/",
    "imageio/",
    "skimage/",
    "librosa/",
    "soundfile.py",
    "albumentations/",
    "torchvision/transforms/",
    "torchvision/io/",
    "torchvision/datasets/",
    "torchaudio/transforms/",
    "torchaudio/functional/",
    "timm/data/",
    "tiktoken/",
    "sentencepiece/",
    "datasets/arrow_dataset.py",
    "datasets/formatting/",
    "diffusers/image_processor.py",
    "open_clip/transform.py",
};
constexpr std::array<std::string_view, 5> kResultFunctions = {
    "post_process", "decode", "batch_decode", "_decode", "convert_"};
// Paths of frames that run before launches without preparing input: compilers, profilers.
constexpr std::array<std::string_view, 5> kOtherPaths = {
    "_compile.compile_inner", "torch/_dynamo/", "torch/_inductor/", "triton/", "torch/profiler/"};
// Maximum of the remaining idle time caused by the host, as a share of the idle time at starts of
// steps.
constexpr double kRestOfIdle = 0.25;
// Thresholds for fast launching: the length of the launch queue, and the work as a share of the
// idle time at starts of steps.
constexpr int64_t kLongQueue = 8;
constexpr double kEnoughWork = 0.1;

// Splits "torchvision/transforms/functional.py(424): resize" into path and function. Empty: not a
// Python frame.
std::pair<std::string_view, std::string_view> path_and_function(std::string_view name) {
    const std::size_t colon = name.find("): ");
    const std::size_t bracket = name.rfind('(', colon);
    if (colon == std::string_view::npos || bracket == std::string_view::npos) return {};
    return {name.substr(0, bracket), name.substr(colon + 3)};
}

bool is_in_path(std::string_view path, std::string_view part) {
    const std::size_t at = path.find(part);
    return at != std::string_view::npos &&
           (at == 0 || part.front() == '/' || path[at - 1] == '/' || path[at - 1] == '\\');
}

bool is_of_input_library(std::string_view name) {
    const std::string_view path = path_and_function(name).first;
    return std::ranges::any_of(kInputPaths,
                               [&](std::string_view part) { return is_in_path(path, part); });
}

bool is_about_results(std::string_view name) {
    const std::string_view function = path_and_function(name).second;
    return is_of_input_library(name) &&
           std::ranges::any_of(kResultFunctions,
                               [&](std::string_view begin) { return function.starts_with(begin); });
}

bool does_other_things(std::string_view name) {
    return std::ranges::any_of(kOtherPaths, [&](std::string_view part) {
        return name.find(part) != std::string_view::npos;
    });
}

// Times of slices on these lanes whose names pass the test.
template <typename Test>
Intervals times_of_names(const Trace& trace, const std::vector<bool>& lanes,
                         const Test& is_wanted) {
    std::vector<bool> wanted(trace.strings.size());
    for (StringId id = 0; id < trace.strings.size(); ++id)
        wanted[id] = is_wanted(trace.strings[id]);
    std::vector<TimeRange> ranges;
    if (std::ranges::find(wanted, true) == wanted.end()) return {};
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        if (!lanes[id]) continue;
        const LaneView lane(trace.lanes[id]);
        for (uint32_t i = 0; i < lane.size(); ++i)
            if (wanted[lane.name(i)]) ranges.push_back({lane.start(i), lane.end(i)});
    }
    return merged(std::move(ranges));
}

// Times in which a thread is in a runtime call, an operator or a collective, or in the profiler.
Intervals recorded_times(const Trace& trace, const std::vector<bool>& lanes) {
    std::vector<TimeRange> ranges;
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        if (!lanes[id]) continue;
        const LaneView lane(trace.lanes[id]);
        for (uint32_t i = 0; i < lane.size(); ++i) switch (trace.event_class({id, i})) {
                case EventClass::runtime:
                case EventClass::op:
                case EventClass::communication:
                case EventClass::sync:
                case EventClass::overhead:
                    ranges.push_back({lane.start(i), lane.end(i)});
                    break;
                default:
                    break;
            }
    }
    return merged(std::move(ranges));
}

// By lane: whether its thread launches work of the device's counted steps.
std::vector<bool> launching_lanes(const TraceContext& context, const DeviceWindow& window) {
    std::vector<bool> lanes(context.trace().lanes.size());
    const std::vector<SliceRef>& launch = context.get<Attribution>().launch;
    for (const GpuWork& work : window.work->work)
        if (const SliceRef call = launch[work.row]; call && window.counts(work))
            lanes[call.lane] = true;
    return lanes;
}

// From the start of each counted step on the host to the first launch.
Intervals begins_of_steps(const TraceContext& context, const DeviceWindow& window) {
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
    const std::vector<SliceRef>& launch = context.get<Attribution>().launch;
    std::vector<Nanos> first(window.counted.size(), std::numeric_limits<Nanos>::max());
    for (const GpuWork& work : window.work->work) {
        const SliceRef call = launch[work.row];
        if (!call || !window.counts(work)) continue;
        Nanos& earliest = first[(*window.step_of_work)[work.row]];
        earliest = std::min(earliest, trace.start(call));
    }
    std::vector<TimeRange> ranges;
    for (std::size_t i = 0; i < first.size(); ++i)
        if (first[i] != std::numeric_limits<Nanos>::max())
            ranges.push_back({steps.all[i].range.begin, first[i]});
    return merged(std::move(ranges));
}

}  // namespace

bool is_input_function(std::string_view name) {
    return is_of_input_library(name) && !is_about_results(name);
}

InputWork input_work(const TraceContext& context, const DeviceWindow& window) {
    InputWork found;
    if (window.steps == 0) return found;
    const Trace& trace = context.trace();
    const std::vector<bool> lanes = launching_lanes(context, window);
    const Intervals idle = subtract(window.idle(), window.loading);
    found.named = subtract(intersect(idle, times_of_names(trace, lanes, is_input_function)),
                           times_of_names(trace, lanes, is_about_results));
    Intervals begins =
        subtract(intersect(idle, begins_of_steps(context, window)), recorded_times(trace, lanes));
    begins = subtract(begins, times_of_names(trace, lanes, does_other_things));
    const Nanos rest = total_length(subtract(subtract(idle, begins), found.named));
    const auto at_begin = static_cast<double>(total_length(begins));
    const Nanos busy = window.length - total_length(window.idle());
    const bool is_ahead = window.summary->deepest_queue >= kLongQueue &&
                          static_cast<double>(busy) >= kEnoughWork * at_begin;
    if (is_ahead && static_cast<double>(rest) <= kRestOfIdle * at_begin)
        found.before_launches = subtract(begins, found.named);
    return found;
}

}  // namespace lanescope
