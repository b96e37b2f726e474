#include "core/ingest/build/appender.h"

#include <algorithm>

#include "core/base/result.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxCategories = 65535;
constexpr uint16_t kTimes = kHasTime | kHasDuration;

}  // namespace

CategoryId add_category(BuilderState& state, StringId name, EventClass event_class) {
    const auto next = static_cast<CategoryId>(state.categories.size());
    const auto [found, is_new] = state.category_of.try_emplace({name, event_class}, next);
    if (is_new) state.categories.push_back({name, event_class, 0, 0, 0});
    return found->second;
}

void Appender::run() {
    slice_of_.resize(batch_.events.size());
    for (std::size_t i = 0; i < batch_.events.size(); ++i)
        slice_of_[i] = add_event(batch_.events[i]);
    for (const BatchWarning& warning : batch_.warnings)
        state_.warn(std::string(warning.what->code), batch_.source_base + warning.source,
                    warning.what->text);
    for (const auto& [word, count] : batch_.words) state_.words[word] += count;
    add_side_rows();
}

[[gnu::noinline]] StringId Appender::find_text(LocalId id) {
    return names_.text[id] = state_.strings.intern(names_.texts[id]);
}

[[gnu::noinline]] void Appender::find_traits() {
    const std::size_t before = state_.name_traits.size();
    state_.name_traits.resize(state_.strings.size());
    for (std::size_t s = before; s < state_.name_traits.size(); ++s)
        state_.name_traits[s] = traits_of_name(state_.strings[static_cast<StringId>(s)]);
}

[[gnu::noinline]] CategoryId Appender::find_category(LocalId id) {
    const CategoryMeaning& meaning = names_.meanings[id];
    const StringId known = text(id);
    if (state_.categories.size() == kMaxCategories &&
        !state_.category_of.contains({known, meaning.event_class})) {
        state_.warn("too_many_categories", Error::no_offset,
                    "more than 65,534 categories; the rest are shown as the last one");
        return static_cast<CategoryId>(kMaxCategories - 1);
    }
    const CategoryId category = add_category(state_, known, meaning.event_class);
    state_.categories[category].traits |= meaning.traits;
    return category;
}

uint32_t Appender::find_process(LocalId id) {
    if (names_.process[id] != WorkerNames::unknown) return names_.process[id];
    const ProcessKey& key = names_.process_keys[id];
    const uint32_t owner = key.owner == kNoLocalId ? kNoRow : find_process(key.owner);
    const StringId pid = text(key.pid);
    const auto [found, is_new] = state_.process_of.try_emplace(
        {owner, key.device, key.program, pid}, static_cast<uint32_t>(state_.processes.size()));
    if (is_new) {
        ProcessBuild& made = state_.processes.emplace_back();
        made.pid = pid;
        made.owner = owner;
        made.device = key.device;
        made.program = key.program;
    }
    return names_.process[id] = found->second;
}

[[gnu::noinline]] uint32_t Appender::find_lane(LocalId id) {
    const LaneKey& key = names_.lane_keys[id];
    const uint32_t process = find_process(key.process);
    const StringId tid = text(key.tid);
    const auto [found, is_new] = state_.lane_of.try_emplace(
        key_of_lane(process, key.role, tid), static_cast<uint32_t>(state_.lanes.size()));
    if (is_new) {
        LaneBuild& made = state_.lanes.emplace_back();
        made.role = key.role;
        made.process = process;
        made.tid = tid;
    }
    return names_.lane[id] = found->second;
}

SliceRef Appender::add_event(const RawEvent& event) {
    ++state_.events;
    if (event.kind == EventKind::metadata || event.kind == EventKind::unreadable) return {};
    const bool has_time = event.flags & kHasTime;
    if (has_time) {
        state_.first_time = std::min(state_.first_time, event.time);
        state_.last_time =
            std::max(state_.last_time, event.time + std::max<Nanos>(event.duration, 0));
    }
    if (event.kind == EventKind::slice) return add_slice(event);
    if (has_time)
        add_timed(event);
    else
        state_.warn("no_time", source(event), "an event without a readable time");
    return {};
}

SliceRef Appender::add_slice(const RawEvent& event) {
    const uint32_t row = lane(event.lane);
    const CategoryId kind = category(event.category);
    if ((event.flags & (kTimes | kUnreadable)) != kTimes) [[unlikely]] {
        add_incomplete(event, row, kind);
        return {};
    }
    CategoryBuild& build = state_.categories[kind];
    ++build.complete_events;
    if (__builtin_add_overflow(build.duration, event.duration, &build.duration))
        build.duration = INT64_MAX;
    state_.zero_duration += event.duration == 0;
    LaneBuild& l = state_.lanes[row];
    ++l.complete_events;
    l.has_gpu_activity |= build.is(kGpuActivity);
    l.has_samples |= build.is(kSampledCall);
    l.has_calls |= !build.is(kSampledCall);
    l.classes |= bit_of(build.event_class);
    Nanos duration = event.duration;
    if (duration < 0) [[unlikely]] {
        state_.warn("negative_duration", source(event), "a negative duration; shown as 0");
        duration = 0;
    }
    const auto index = static_cast<uint32_t>(l.slices.start.size());
    l.slices.start.push_back(event.time);
    l.slices.duration.push_back(duration);
    l.slices.name.push_back(name(event.name));
    l.slices.category.push_back(kind);
    l.slices.source.push_back(source(event));
    return {row, index};
}

void Appender::add_incomplete(const RawEvent& event, uint32_t row, CategoryId kind) {
    if (event.flags & kUnreadable)
        state_.warn("unreadable_time", source(event),
                    "a complete event whose time or duration is not a number in range");
    else
        state_.warn("no_duration", source(event), "a complete event without a time or duration");
    if (event.flags & kHasTime)
        state_.lanes[row].add_instant(event.time, name(event.name), kind, source(event));
}

void Appender::add_timed(const RawEvent& event) {
    const uint32_t row = lane(event.lane);
    const CategoryId kind = category(event.category);
    const int64_t id =
        event.flags & kIdIsText ? int64_t{text(static_cast<LocalId>(event.id))} : event.id;
    switch (event.kind) {
        case EventKind::flow_begin:
        case EventKind::flow_step:
        case EventKind::flow_end:
            if ((event.flags & kRepeatsCorrelation) && state_.categories[kind].is(kRepeatsLaunch))
                return;
            state_.flows.push_back(
                {event.time, id, source(event), row, kind, event.kind, event.flags});
            return;
        case EventKind::begin:
        case EventKind::end:
            state_.pairs.push_back(
                {event.time, source(event), row, name(event.name), kind, event.kind});
            return;
        case EventKind::async_begin:
        case EventKind::async_step:
        case EventKind::async_end:
            state_.asyncs.push_back({event.time, source(event), id, row, name(event.name), kind,
                                     event.kind, event.flags});
            return;
        case EventKind::instant:
            state_.lanes[row].add_instant(event.time, name(event.name), kind, source(event));
            return;
        case EventKind::counter:  // its rows are added instead
        case EventKind::slice:
        case EventKind::metadata:
        case EventKind::unreadable:
            return;
    }
}

}  // namespace lanescope
