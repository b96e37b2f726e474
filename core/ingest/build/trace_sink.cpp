#include "core/ingest/build/trace_sink.h"

#include "core/base/utf8.h"

namespace lanescope {

namespace {

constexpr std::size_t kEventsOfBatch = std::size_t{1} << 15;
// Events may come in any order. The offsets of a batch span four gigabytes, and begin this far
// before its first event.
constexpr uint64_t kReach = uint64_t{1} << 31;

}  // namespace

void TraceSink::flush() {
    names_.hand_over(batch_);
    for (const auto& [word, count] : count_of_word_) batch_.words.emplace_back(word, count);
    count_of_word_.clear();
    const bool is_empty = batch_.events.empty() && batch_.texts.empty() &&
                          batch_.categories.empty() && batch_.processes.empty() &&
                          batch_.lanes.empty();
    if (!is_empty) take_(batch_);
    batch_.clear();
}

LocalId TraceSink::text(std::string_view text) {
    return is_utf8(text) ? names_.text(text) : names_.text(repair_bytes(text));
}

LocalId TraceSink::category(const CategoryWord& word) {
    return names_.category(word.word, [&](std::string_view) {
        return CategoryMeaning{0, word.event_class, word.traits};
    });
}

LocalId TraceSink::process(std::string_view pid) {
    return names_.process({names_.text(pid), kNoLocalId, -1, 0});
}

LocalId TraceSink::device(LocalId process, uint32_t ordinal, uint32_t program) {
    // A damaged file may have any number.
    const auto positive = static_cast<int32_t>(ordinal & INT32_MAX);
    return names_.process({names_.text(""), process, positive, program});
}

void TraceSink::add_fact(LocalId lane, LaneFact fact, LocalId text, int64_t number,
                         uint64_t source) {
    const uint32_t event = add({.lane = lane, .kind = EventKind::metadata}, source);
    batch_.metadata.push_back({event, fact, text, number});
}

void TraceSink::name_process(LocalId process, LocalId text, uint64_t source) {
    add_fact(curves(process), LaneFact::process_name, text, kNoValue, source);
}

void TraceSink::name_lane(LocalId lane, LocalId text, uint64_t source) {
    add_fact(lane, LaneFact::thread_name, text, kNoValue, source);
}

void TraceSink::label_process(LocalId process, LocalId text, uint64_t source) {
    add_fact(curves(process), LaneFact::process_labels, text, kNoValue, source);
}

void TraceSink::sort_process(LocalId process, int64_t index, uint64_t source) {
    add_fact(curves(process), LaneFact::process_sort_index, 0, index, source);
}

void TraceSink::sort_lane(LocalId lane, int64_t index, uint64_t source) {
    add_fact(lane, LaneFact::thread_sort_index, 0, index, source);
}

uint32_t TraceSink::add(RawEvent event, uint64_t source, std::string_view word) {
    const bool fits = source >= batch_.source_base && source - batch_.source_base < UINT32_MAX;
    if (batch_.events.empty() || !fits || batch_.events.size() >= kEventsOfBatch) {
        flush();
        batch_.source_base = source > kReach ? source - kReach : 0;
    }
    event.source = static_cast<uint32_t>(source - batch_.source_base);
    batch_.events.push_back(event);
    ++count_of_word_[word];
    return static_cast<uint32_t>(batch_.events.size() - 1);
}

uint32_t TraceSink::slice(LocalId lane, Nanos begin, Nanos duration, LocalId name, LocalId category,
                          uint64_t source) {
    return add(
        {begin, duration, 0, name, category, lane, 0, EventKind::slice, kHasTime | kHasDuration},
        source);
}

uint32_t TraceSink::instant(LocalId lane, Nanos time, LocalId name, LocalId category,
                            uint64_t source) {
    return add({time, 0, 0, name, category, lane, 0, EventKind::instant, kHasTime}, source);
}

void TraceSink::counter(LocalId lane, Nanos time, LocalId name, LocalId series, double value,
                        LocalId category, uint64_t source) {
    const uint32_t event =
        add({time, 0, 0, name, category, lane, 0, EventKind::counter, kHasTime}, source);
    batch_.counters.push_back({event, series, value});
}

}  // namespace lanescope
