// Builds slices and instants from all events of a `perf script` text after the last event was read.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/ingest/perf_script/perf_reader.h"

namespace lanescope {

namespace {

constexpr CategoryWord kPerfEvent = {"perf_event"};
constexpr Nanos kUnknownPeriod = 1'000'000;
constexpr Nanos kLongestPeriod = 1'000'000'000;

// The unit that an event's samples count.
enum class Counts : uint8_t {
    clock,     // nanoseconds of CPU time
    cycles,    // CPU cycles in which the thread runs
    unnamed,   // not stated
    hardware,  // other hardware events
    nothing,   // single occurrences
};

// Whether the text consists of event modifiers, such as "u" in "cycles:u".
bool is_modifier(std::string_view text) {
    return text.find_first_not_of("ukhvGHpPSDeIWb") == std::string_view::npos;
}

Counts counts_of(std::string_view event) {
    if (event.empty()) return Counts::unnamed;
    if (const std::size_t colon = event.rfind(':'); colon != std::string_view::npos) {
        if (!is_modifier(event.substr(colon + 1))) return Counts::nothing;  // a tracepoint
        event = event.substr(0, colon);
    }
    if (event.find("cpu-clock") != event.npos || event.find("task-clock") != event.npos)
        return Counts::clock;
    const bool waits = event.find("stalled") != event.npos || event.find("bus-") != event.npos;
    if (event.find("cycles") != event.npos && !waits) return Counts::cycles;
    constexpr std::array<std::string_view, 9> words = {"faults",     "switches", "migrations",
                                                       "dummy",      "output",   "PERF_RECORD_",
                                                       "breakpoint", "mem:",     "lost"};
    const bool is_single = std::ranges::any_of(
        words, [&](std::string_view word) { return event.find(word) != event.npos; });
    return is_single || event == "cs" ? Counts::nothing : Counts::hardware;
}

}  // namespace

// The events whose samples represent the threads' time. They are all of one kind, because two kinds
// would count the same time twice.
std::set<uint32_t> PerfScriptReader::events_of_time() {
    for (const Counts kind : {Counts::clock, Counts::cycles, Counts::unnamed, Counts::hardware}) {
        std::set<uint32_t> events;
        uint32_t most = 0;
        for (uint32_t i = 0; i < events_.size(); ++i) {
            if (stacks_of_event_[i] == 0 || counts_of(events_[i]) != kind) continue;
            if (events.empty() || stacks_of_event_[i] > stacks_of_event_[most]) most = i;
            events.insert(i);
        }
        if (events.empty()) continue;
        if (kind != Counts::hardware) return events;
        builder_.warn("samples_of_event", Error::no_offset,
                      fmt::format("the samples are of the event {}: their time is estimated from "
                                  "their distances",
                                  events_[most]));
        return {most};
    }
    return {};
}

// The CPU time that a sample represents: the period of a clock event, otherwise the usual interval
// between samples of a running thread. Intervals are longer while a thread waits, so the lower
// quartile is used.
Nanos PerfScriptReader::interval_of(const std::set<uint32_t>& events) {
    std::vector<Nanos> values;
    const bool is_clock = !events.empty() && counts_of(events_[*events.begin()]) == Counts::clock;
    const Sample* before = nullptr;
    for (const Sample& sample : samples_) {
        if (sample.stack == kNoStack || !events.contains(sample.event)) continue;
        if (is_clock && sample.period > 0) values.push_back(sample.period);
        if (!is_clock && before && before->thread == sample.thread && sample.time > before->time)
            values.push_back(sample.time - before->time);
        before = &sample;
    }
    if (values.empty() && is_clock) {
        before = nullptr;
        for (const Sample& sample : samples_) {
            if (before && before->thread == sample.thread && sample.time > before->time)
                values.push_back(sample.time - before->time);
            before = &sample;
        }
    }
    return std::min(sampling_interval(values, is_clock ? 0.5 : 0.25, kUnknownPeriod),
                    kLongestPeriod);
}

void PerfScriptReader::add_events() {
    std::vector<Nanos> last(threads_.size(), INT64_MIN);
    for (const Sample& sample : samples_) {
        if (sample.time < last[sample.thread])
            builder_.warn("time_backwards", sample.source,
                          "an event that is earlier than its thread's event before it; sorted by "
                          "time");
        last[sample.thread] = std::max(last[sample.thread], sample.time);
    }
    std::ranges::stable_sort(samples_, [](const Sample& a, const Sample& b) {
        return std::tie(a.thread, a.time) < std::tie(b.thread, b.time);
    });
    if (threads_.size() == 1 && threads_[0].tid.empty())
        builder_.warn(
            "threads_unknown", samples_.empty() ? 0 : samples_.front().source,
            "the text names no threads: the events of all threads share a lane, and stacks "
            "of several threads alternate; print it with perf script -F +pid,+tid");
    const std::set<uint32_t> events = events_of_time();
    const Nanos interval = interval_of(events);
    if (!events.empty()) builder_.add_metadata("sampling_interval_ns", std::to_string(interval));
    for (auto first = samples_.begin(); first != samples_.end() && stopped_;) {
        const auto end = std::find_if(first, samples_.end(),
                                      [&](const Sample& s) { return s.thread != first->thread; });
        add_events_of_thread({first, end}, events, interval);
        first = end;
    }
    for (const auto& [process, name] : process_names_)
        sink_.name_process(process, name.first, name.second);
}

void PerfScriptReader::add_events_of_thread(std::span<const Sample> samples,
                                            const std::set<uint32_t>& events, Nanos interval) {
    const Thread& thread = threads_[samples.front().thread];
    const std::string name = thread.tid.empty()
                                 ? std::string(sink_[thread.comm])
                                 : fmt::format("{} {}", sink_[thread.comm], thread.tid);
    const auto is_of_time = [&](const Sample& sample) {
        return sample.stack != kNoStack && events.contains(sample.event);
    };
    if (std::ranges::any_of(samples, is_of_time)) {
        const LocalId lane = sink_.samples(thread.process, thread.tid, SampleKind::cpu);
        sink_.name_lane(lane, sink_.text(name + " · samples"), samples.front().source);
        StackSlices slices(sink_, lane);
        for (const Sample& sample : samples) {
            if (!is_of_time(sample)) continue;
            const bool is_clock = counts_of(events_[sample.event]) == Counts::clock;
            const bool is_usable = is_clock && sample.period > 0 && sample.period <= kLongestPeriod;
            stack_of(sample);
            slices.add_until(sample.time, is_usable ? sample.period : interval,
                             is_usable ? sample.period : interval, stack_);
        }
        slices.finish();
    }
    if (std::ranges::all_of(samples, is_of_time)) return;
    const LocalId lane = sink_.thread(thread.process, thread.tid);
    sink_.name_lane(lane, sink_.text(name), samples.front().source);
    const LocalId category = sink_.category(kPerfEvent);
    for (const Sample& sample : samples)
        if (!is_of_time(sample)) {
            const std::string& event = events_[sample.event];
            sink_.instant(lane, sample.time, sink_.text(event.empty() ? "event" : event), category,
                          sample.source);
        }
}

// The functions of a sample, the outermost first.
void PerfScriptReader::stack_of(const Sample& sample) {
    stack_.clear();
    for (uint32_t node = sample.stack; node != kNoStack; node = stacks_[node].caller)
        stack_.push_back({uint64_t{stacks_[node].name} << 32U | stacks_[node].module,
                          stacks_[node].name, stacks_[node].module, 0});
    std::ranges::reverse(stack_);
    for (std::size_t i = 0; i < stack_.size(); ++i)
        stack_[i].source = perf_frame_source(sample.source, i + 1);
}

}  // namespace lanescope
