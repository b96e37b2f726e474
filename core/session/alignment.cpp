#include "core/session/alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "core/analysis/structure/steps.h"
#include "core/trace/clock.h"

namespace lanescope {

namespace {

// If wall clocks spread the traces over more than this many times the longest trace, the traces
// belong to different runs.
constexpr Nanos kMaxSpread = 3;

std::optional<Nanos> begin_of_step(const Trace& trace, int64_t index) {
    for (const Step& step : find_steps(trace).all)
        if (step.index == index) return step.range.begin;
    return std::nullopt;
}

// The begin of the first slice named `name`, or else of the first whose name contains it.
std::optional<Nanos> begin_of_event(const Trace& trace, std::string_view name) {
    const StringId whole = trace.strings.find(name);
    std::vector<bool> has_it(trace.strings.size());
    for (StringId id = 0; id < trace.strings.size(); ++id)
        has_it[id] = trace.strings[id].find(name) != std::string_view::npos;
    std::optional<Nanos> first;
    std::optional<Nanos> first_like;
    const auto take = [](std::optional<Nanos>& earliest, Nanos time) {
        if (!earliest || time < *earliest) earliest = time;
    };
    for (const Lane& lane : trace.lanes)
        for (const auto& chunk : lane.chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i) {
                if (!has_it[chunk->name[i]]) continue;
                take(chunk->name[i] == whole ? first : first_like, chunk->start[i]);
            }
    return first ? first : first_like;
}

// The time on each trace's own clock that alignment makes equal.
std::optional<Nanos> anchor_of(const Trace& trace, AlignBy by, const Alignment& alignment) {
    switch (by) {
        case AlignBy::clock:
            if (const auto base = unix_base(trace)) return -*base;
            return std::nullopt;
        case AlignBy::step:
            return begin_of_step(trace, alignment.step);
        case AlignBy::event:
            return begin_of_event(trace, alignment.event);
        default:
            return trace.content.begin;
    }
}

std::string missing(const Trace& trace, const Alignment& alignment) {
    const std::string file = std::filesystem::path(trace.path).filename().string();
    switch (alignment.by) {
        case AlignBy::step:
            return fmt::format("{} has no step {} to be aligned by.", file, alignment.step);
        case AlignBy::event:
            return fmt::format("{} has no event named {} to be aligned by.", file, alignment.event);
        default:
            return file + " does not record the time of day, so it cannot be aligned by it.";
    }
}

Result<Aligned> aligned_by(const std::vector<TracePtr>& traces, AlignBy by,
                           const Alignment& alignment) {
    Aligned aligned{by, {}};
    std::vector<Nanos> anchors;
    for (const TracePtr& trace : traces) {
        const std::optional<Nanos> anchor = anchor_of(*trace, by, alignment);
        if (!anchor) return Error{ErrorCode::usage, Error::no_offset, missing(*trace, alignment)};
        anchors.push_back(*anchor - shift_of(*trace));
    }
    for (const Nanos anchor : anchors) aligned.offsets.push_back(anchors.front() - anchor);
    return aligned;
}

bool side_by_side(const std::vector<TracePtr>& traces, const Aligned& aligned) {
    TimeRange all{INT64_MAX, INT64_MIN};
    Nanos longest = 0;
    for (std::size_t i = 0; i < traces.size(); ++i) {
        const Nanos shift = aligned.offsets[i] - shift_of(*traces[i]);
        const TimeRange content = traces[i]->content;
        all.begin = std::min(all.begin, content.begin + shift);
        all.end = std::max(all.end, content.end + shift);
        longest = std::max(longest, content.length());
    }
    return all.length() / kMaxSpread <= longest;
}

}  // namespace

Result<Alignment> parse_alignment(std::string_view text) {
    if (text == "start") return Alignment{AlignBy::start, 0, {}};
    if (text == "clock") return Alignment{AlignBy::clock, 0, {}};
    if (text.starts_with("step:")) {
        const std::string_view number = text.substr(5);
        Alignment step{AlignBy::step, 0, {}};
        const auto [stop, code] =
            std::from_chars(number.data(), number.data() + number.size(), step.step);
        if (code == std::errc() && stop == number.data() + number.size() && step.step >= 0)
            return step;
    }
    if (text.starts_with("event:") && text.size() > 6)
        return Alignment{AlignBy::event, 0, std::string(text.substr(6))};
    return Error{
        ErrorCode::usage, Error::no_offset,
        "An alignment is start, clock, step:N or event:NAME, not " + std::string(text) + "."};
}

std::string alignment_text(const Alignment& alignment) {
    switch (alignment.by) {
        case AlignBy::best:
            return "best";
        case AlignBy::start:
            return "start";
        case AlignBy::clock:
            return "clock";
        case AlignBy::step:
            return fmt::format("step:{}", alignment.step);
        case AlignBy::event:
            return "event:" + alignment.event;
        case AlignBy::by_hand:
            return "hand";
    }
    return "";
}

Result<Aligned> align_traces(const std::vector<TracePtr>& traces, const Alignment& alignment) {
    if (alignment.by == AlignBy::by_hand) {
        Aligned aligned{AlignBy::by_hand, {}};
        for (const TracePtr& trace : traces) aligned.offsets.push_back(shift_of(*trace));
        return aligned;
    }
    if (alignment.by != AlignBy::best) return aligned_by(traces, alignment.by, alignment);
    if (auto clock = aligned_by(traces, AlignBy::clock, alignment);
        clock && side_by_side(traces, *clock))
        return clock;
    return aligned_by(traces, AlignBy::start, alignment);
}

}  // namespace lanescope
