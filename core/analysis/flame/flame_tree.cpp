#include "core/analysis/flame/flame_tree.h"

#include <array>

#include "core/analysis/flame/flame_sources.h"
#include "core/analysis/structure/step_finders.h"

namespace lanescope {

namespace {

constexpr std::array<std::string_view, 6> kSourceWords = {"calls",   "python",  "samples",
                                                          "waiting", "modules", "gpu"};

constexpr std::array<std::string_view, 6> kSourceTitles = {
    "calls", "Python", "samples of CPU time", "waiting", "modules", "GPU time by launching stack"};

bool has_samples(const Trace& trace, SampleKind kind) {
    return std::ranges::any_of(trace.categories, [&](const Category& category) {
        return sample_kind(trace.strings[category.name]) == kind;
    });
}

bool has_class(const Trace& trace, EventClass wanted) {
    return std::ranges::any_of(trace.categories,
                               [&](const Category& c) { return c.event_class == wanted; });
}

bool has_calls(const Trace& trace) {
    return std::ranges::any_of(trace.lanes, [&](const Lane& lane) {
        return is_cpu_thread(trace, lane) && !lane.derived && lane.slice_count > 0;
    });
}

}  // namespace

std::string_view flame_source_word(FlameSource source) {
    return kSourceWords[static_cast<std::size_t>(source)];
}

std::string_view flame_source_title(FlameSource source) {
    return kSourceTitles[static_cast<std::size_t>(source)];
}

std::optional<FlameSource> find_flame_source(std::string_view word) {
    for (const FlameSource source : kFlameSources)
        if (flame_source_word(source) == word) return source;
    return std::nullopt;
}

std::string_view missing_for_flame(const Trace& trace, FlameSource source) {
    const bool is_of_calls = source == FlameSource::calls || source == FlameSource::python ||
                             source == FlameSource::modules;
    if (is_of_calls && !trace.facts.calls_have_times)
        return "The file has no times of calls. lanescope table memory --by operator says which "
               "functions allocate.";
    switch (source) {
        case FlameSource::calls:
            return has_calls(trace) ? "" : "The trace has no calls of CPU threads.";
        case FlameSource::python:
            return has_class(trace, EventClass::python) || has_samples(trace, SampleKind::python)
                       ? ""
                       : "The trace has no Python frames: with PyTorch's profiler, record it with "
                         "with_stack; lanescope record --sample samples Python functions.";
        case FlameSource::samples:
            return has_samples(trace, SampleKind::cpu)
                       ? ""
                       : "The trace has no samples: lanescope record --sample makes them.";
        case FlameSource::waiting:
            return has_samples(trace, SampleKind::waiting)
                       ? ""
                       : "The trace does not say where threads waited: lanescope record --sample "
                         "--off-cpu records it.";
        case FlameSource::modules: {
            const bool has_modules = std::ranges::any_of(
                trace.name_traits, [](uint8_t traits) { return (traits & kModuleFrame) != 0; });
            return has_modules ? ""
                               : "The trace has no calls of nn.Module: with PyTorch's profiler, "
                                 "record it with with_stack.";
        }
        case FlameSource::gpu:
            return trace.gpu_activities.slice.empty()
                       ? "The trace has no GPU activity: with PyTorch's profiler, record it with "
                         "ProfilerActivity.CUDA."
                       : "";
    }
    return "";
}

std::optional<SampleKind> sampled_source(const Trace& trace, FlameSource source) {
    switch (source) {
        case FlameSource::samples:
            return SampleKind::cpu;
        case FlameSource::waiting:
            return SampleKind::waiting;
        case FlameSource::python:
            return has_class(trace, EventClass::python) ? std::nullopt
                                                        : std::optional(SampleKind::python);
        default:
            return std::nullopt;
    }
}

FlameSource first_flame_source(const Trace& trace) {
    for (const FlameSource source : kFlameSources)
        if (missing_for_flame(trace, source).empty()) return source;
    return FlameSource::calls;
}

std::string_view frame_text(const Trace& trace, const FlameFrame& frame) {
    switch (frame.kind) {
        case FlameFrame::Kind::steps:
            return "ProfilerStep";
        case FlameFrame::Kind::no_launch:
            return "launch not recorded";
        case FlameFrame::Kind::call:
        case FlameFrame::Kind::lane:
            return trace.strings[frame.name];
    }
    return "";
}

std::vector<bool> profilers_categories(const Trace& trace) {
    std::vector<bool> own;
    for (const Category& category : trace.categories)
        own.push_back(trace.strings[category.name] == "Trace");
    return own;
}

bool has_only_python(const Trace& trace) {
    std::vector<bool> is_python = profilers_categories(trace);
    for (std::size_t i = 0; i < is_python.size(); ++i)
        is_python[i] = is_python[i] || trace.categories[i].event_class == EventClass::python;
    for (const Lane& lane : trace.lanes) {
        if (!is_cpu_thread(trace, lane) || lane.derived) continue;
        for (const auto& chunk : lane.chunks)
            for (const CategoryId category : chunk->category)
                if (!is_python[category]) return false;
    }
    return true;
}

bool shows_class(FlameSource source, EventClass event_class, bool only_python) {
    const bool module = event_class == EventClass::module;
    const bool python = event_class == EventClass::python || module;
    switch (source) {
        case FlameSource::calls:
            return !python || only_python;
        case FlameSource::python:
            return python;
        case FlameSource::modules:
            return module;
        case FlameSource::gpu:
            return event_class != EventClass::python;
        case FlameSource::samples:
        case FlameSource::waiting:
            return true;
    }
    return false;
}

std::optional<Nanos> part_in_range(const FlameQuery& query, Nanos begin, Nanos end) {
    const std::optional<TimeRange>& range = query.table.range;
    if (!range) return end - begin;
    if (begin == end) return range->contains(begin) ? std::optional<Nanos>(0) : std::nullopt;
    const Nanos part = std::min(end, range->end) - std::max(begin, range->begin);
    return part > 0 ? std::optional(part) : std::nullopt;
}

bool uses_lane(const Trace& trace, const FlameQuery& query, LaneId lane) {
    if (trace.lanes[lane].derived) return false;
    if (query.within && query.source != FlameSource::gpu && query.within.lane != lane) return false;
    return query.lanes.empty() || std::ranges::binary_search(query.lanes, lane);
}

uint32_t FrameFinder::frame_of(StringId name, CategoryId category) {
    const uint64_t key = uint64_t{category} << 32U | name;
    if (const uint32_t* const found = known_.find(key)) return *found;
    const bool is_step = profiler_step_index(trace_.strings[name]) >= 0;
    const uint32_t frame =
        builder_.frame({name, 0, trace_.event_class(name, category),
                        is_step ? FlameFrame::Kind::steps : FlameFrame::Kind::call});
    known_.try_emplace(key, frame);
    return frame;
}

FlameTree make_flame_tree(const TraceContext& context, const FlameQuery& query) {
    const std::optional<SampleKind> sampled = sampled_source(context.trace(), query.source);
    FlameBuilder builder(query.order, sampled ? query.weight : FlameWeight::time);
    Nanos left_out = 0;
    if (sampled)
        add_samples(context, query, *sampled, builder);
    else if (query.source == FlameSource::gpu)
        add_gpu_work(context, query, builder);
    else
        left_out = add_calls(context, query, builder);
    FlameTree tree = builder.take();
    tree.source = query.source;
    tree.sampled = sampled;
    tree.left_out = left_out;
    return tree;
}

}  // namespace lanescope
