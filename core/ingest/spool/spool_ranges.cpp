// Reads NVTX ranges and marks, and sampled values, of a spool file.
#include <fmt/format.h>

#include <algorithm>

#include "core/ingest/spool/spool_state.h"

namespace lanescope {

namespace {

Nanos between(Nanos begin, Nanos end) {
    return std::max<Nanos>(end - begin, 0);
}

}  // namespace

void SpoolDecoder::State::take_pop(const char* record, const SpoolRecord& head) {
    auto pop = read_record<SpoolPop>(record, head.bytes);
    if (spool_is_brief(head.kind, kSpoolBriefPop)) {
        pop.ticks = at.texts->last_ticks + head.text;
        pop.domain = head.kind % kSpoolBriefDomains;
    }
    at.texts->last_ticks = pop.ticks;
    const Nanos end = time.of_ticks(pop.ticks);
    auto& stack = at.process->pushed[{at.head->tid, text(pop.domain)}];
    note_time(end);
    if (stack.empty()) {
        ++unopened;
        return;
    }
    const OpenRange range = stack.back();
    stack.pop_back();
    if (end < ring_begin) return;
    add_slice(range.lane, range.time, between(range.time, end), range.name, kSpoolAnnotation,
              range.source);
}

void SpoolDecoder::State::take_push(uint64_t ticks, LocalId name, LocalId domain) {
    at.texts->last_ticks = ticks;
    const OpenRange open{time.of_ticks(ticks), at.offset, name, at.thread};
    note_time(open.time);
    at.process->pushed[{at.head->tid, domain}].push_back(open);
}

void SpoolDecoder::State::take_range(const char* record, const SpoolRecord& head) {
    if (head.kind == kSpoolPop || spool_is_brief(head.kind, kSpoolBriefPop))
        return take_pop(record, head);
    if (spool_is_brief(head.kind, kSpoolBriefPush))
        return take_push(at.texts->last_ticks + head.text % (1u << kSpoolBriefTickBits),
                         text(head.text >> kSpoolBriefTickBits),
                         text(head.kind % kSpoolBriefDomains));
    if (head.kind == kSpoolRangeEnd) {
        const auto last = read_record<SpoolRangeEnd>(record, head.bytes);
        const Nanos end = time.of_ticks(last.ticks);
        note_time(end);
        // A range may end on a thread whose block precedes the block in which the range began.
        at.process->ended[last.id] = end;
        return;
    }
    const auto range = read_record<SpoolRange>(record, head.bytes);
    if (head.kind == kSpoolPush) return take_push(range.ticks, text(head.text), text(range.domain));
    if (head.kind != kSpoolRangeStart && head.kind != kSpoolMark) return;
    const OpenRange open{time.of_ticks(range.ticks), at.offset, text(head.text), at.thread};
    note_time(open.time);
    if (head.kind == kSpoolRangeStart) {
        at.process->started[range.id] = open;
        return;
    }
    at.texts->last_ticks = range.ticks;
    if (open.time < ring_begin) return;
    out.instant(open.lane, open.time, open.name, out.category(kSpoolAnnotation), at.offset);
}

// Ranges by id, whose two ends may be on different threads, get lanes of their own.
void SpoolDecoder::State::join_started(uint32_t number, SpoolProcessState& process) {
    at.process = &process;
    for (auto end = process.ended.begin(); end != process.ended.end();) {
        const auto begin = process.started.find(end->first);
        if (begin == process.started.end()) {
            ++end;
            continue;
        }
        emit_started(number, end->first, begin->second, end->second);
        process.started.erase(begin);
        end = process.ended.erase(end);
    }
}

void SpoolDecoder::State::emit_started(uint32_t number, uint64_t id, const OpenRange& range,
                                       Nanos end) {
    if (end < ring_begin) return;
    // Makes the id unique in the file: ids of one process are below 2^48.
    const auto whole = static_cast<int64_t>((uint64_t{number} << 48) ^ id);
    RawEvent event{range.time,
                   0,
                   whole,
                   range.name,
                   out.category(kSpoolAnnotation),
                   range.lane,
                   0,
                   EventKind::async_begin,
                   kHasTime | kHasId};
    out.add(event, range.source);
    event.time = std::max(range.time, end);
    event.kind = EventKind::async_end;
    out.add(event, range.source);
    note_time(event.time);
}

void SpoolDecoder::State::take_counter(const char* record, const SpoolRecord& head) {
    const auto counter = read_record<SpoolCounter>(record, head.bytes);
    const Nanos when = time.of_ticks(counter.ticks);
    if (when < ring_begin) return;
    const LocalId of = counter.device != 0 ? device(counter.device - 1)
                       : counter.pid == 0  ? at.program
                                           : program(counter.pid);
    note_time(when);
    out.counter(out.curves(of), when, text(head.text), text(counter.unit), counter.value,
                out.category(kSpoolValue), at.offset);
}

// When a process ended, or was replaced by exec; empty if it is not known to have ended.
std::optional<Nanos> SpoolDecoder::State::end_of(uint32_t number,
                                                 const SpoolProcessState& process) const {
    std::optional<Nanos> end;
    const auto consider = [&](Nanos when) {
        // An earlier time belongs to another process that had the same pid.
        if (when >= process.last_time && (!end || when < *end)) end = when;
    };
    const auto ends = end_times.find(process.pid);
    if (ends != end_times.end())
        for (const NoticedEnd& noticed : ends->second)
            if (process.begin <= noticed.was_running) consider(noticed.when);
    for (auto other = processes.upper_bound(number); other != processes.end(); ++other)
        if (other->second.pid == process.pid)
            consider(std::max(other->second.begin, process.last_time));
    return end;
}

Nanos SpoolDecoder::State::last_time() const {
    Nanos last = INT64_MIN;
    for (const auto& [number, process] : processes) last = std::max(last, process.last_time);
    return last;
}

// A range that nobody ended lasts until its process ends, or until the recording ends.
void SpoolDecoder::State::close_ranges() {
    uint64_t unclosed = 0;
    uint64_t first = Error::no_offset;
    for (auto& [number, process] : processes) join_started(number, process);
    const Nanos end_of_recording = last_time();
    for (auto& [number, process] : processes) {
        at.process = &process;
        const Nanos last = end_of(number, process).value_or(end_of_recording);
        for (auto& [key, stack] : process.pushed) {
            for (const OpenRange& range : stack) {
                add_slice(range.lane, range.time, between(range.time, last), range.name,
                          kSpoolAnnotation, range.source);
                first = std::min(first, range.source);
                ++unclosed;
            }
            stack.clear();
        }
        for (const auto& [id, range] : process.started) {
            emit_started(number, id, range, last);
            first = std::min(first, range.source);
            ++unclosed;
        }
        process.started.clear();
        unopened += process.ended.size();
        process.ended.clear();
    }
    for (auto& [key, thread] : sampled) close_calls(thread, 0);
    for (auto& [key, thread] : python) close_python_calls(thread, 0);
    if (unclosed > 0)
        sink->warn("unclosed_begin", first,
                   fmt::format("{} ranges had not ended when their process or the recording ended; "
                               "drawn until then",
                               unclosed));
    if (unopened > 0)
        sink->warn("unopened_end", Error::no_offset,
                   fmt::format("{} ends of ranges whose beginning was not recorded", unopened));
}

}  // namespace lanescope
