// Scans the elements of an event list, and reads events of known shapes.
#include "core/ingest/json/json_scanner.h"

#include <algorithm>

#include "core/ingest/json/json_number.h"
#include "core/ingest/json/json_warnings.h"

namespace lanescope {

namespace {

constexpr int kMaxRunaways = 16;  // each may require a search of all text that follows

}  // namespace

ScanOutcome JsonScanner::scan(std::string_view text, Batch& batch, bool last, ListPlace place) {
    batch_ = &batch;
    const ScanOutcome outcome = scan_elements(text, last, place);
    hand_over_words();
    return outcome;
}

ScanOutcome JsonScanner::scan_elements(std::string_view text, bool last, ListPlace place) {
    base_ = text.data();
    last_call_ = kNoValue;
    at_.p = text.data();
    at_.end = text.data() + text.size();
    const auto here = [&] { return static_cast<std::size_t>(at_.p - base_); };
    int runaways = 0;
    for (;;) {
        at_.skip_space();
        if (at_.at_end()) return {ScanStop::text_end, text.size(), place};
        const std::size_t begin = here();
        const char c = *at_.p;
        if (c == ',') {
            if (place.after_comma) warn(kStrayComma, begin);
            place.after_comma = true;
            ++at_.p;
            continue;
        }
        if (c == ']') {
            if (place.after_comma && !place.is_first) warn(kStrayComma, begin);
            ++at_.p;
            return {ScanStop::array_end, here(), place};
        }
        if (c == '{' && place.after_comma && read_shaped_events(place)) continue;
        const ListPlace before = place;
        const std::size_t warnings_before = batch_->warnings.size();
        if (!place.after_comma) warn(kMissingComma, begin);
        place = {false, false};
        Parse parse = Parse::bad;
        if (c == '{') {
            parse = !before.after_comma && parse_shaped() ? Parse::ok : parse_event();
        } else if (c != '}' && c != ':') {
            std::string_view ignored;
            parse = at_.read_value(ignored) ? Parse::ok : Parse::cut;
            if (parse == Parse::ok) {
                warn(kNotAnObject, begin);
                batch_->events.emplace_back().source = static_cast<uint32_t>(begin);
                ++odd_words_["not an object"];
            }
        }
        if (parse == Parse::bad && c == '{') {
            at_.p = base_ + begin;
            const Parse again = parse_event_with_quotes();
            if (again == Parse::ok || (again == Parse::cut && !last)) parse = again;
        }
        if (parse == Parse::ok) continue;
        // Text that seems cut at the very end may have lost a bracket or quote, and so include
        // everything after it.
        std::size_t next = text.size();
        if (parse == Parse::bad || (last && runaways++ < kMaxRunaways))
            next = next_event(text, begin + 1, last);
        if (next == kUndecided || (next == text.size() && (parse == Parse::cut || !last))) {
            // The element is scanned again later; its warnings come then.
            batch_->warnings.resize(warnings_before);
            return {ScanStop::cut, begin, before};
        }
        warn(kBadEvent, begin);
        if (next == text.size()) return {ScanStop::text_end, text.size(), place};
        at_.p = base_ + next;
    }
}

bool JsonScanner::read_shaped_events(ListPlace& place) {
    const char* const begin = at_.p;
    while (parse_shaped()) {
        place = {false, false};
        at_.skip_space();
        if (at_.at_end() || *at_.p != ',') break;
        ++at_.p;
        place.after_comma = true;
        at_.skip_space();
        if (at_.at_end() || *at_.p != '{') break;
    }
    return at_.p != begin;
}

[[gnu::always_inline]] inline bool JsonScanner::read_shaped_number(ArgumentKey key) {
    const char* p = at_.p;
    int64_t value = 0;
    if (!read_short_number(p, value) || !at_.ends_token(p))
        return is_bare(*at_.p) && store_number(key, at_.read_bare());
    at_.p = p;
    arguments_.set_number(key, value);
    return true;
}

// Called for seven values an event: without inlining, calls took a sixth of the time for reading
// them.
[[gnu::always_inline]] inline bool JsonScanner::read_shaped_value(const EventShapes::Step& step,
                                                                  RawEvent& event) {
    const auto has_room = [&] { return at_.end - at_.p >= 32; };
    std::string_view text;
    switch (step.kind) {
        case ValueKind::name:
            if (!at_.read_string(text)) return false;
            --at_.p;  // the closing quote belongs to the text that follows
            event.name = names_.text(text);
            return true;
        case ValueKind::time:
            event.flags |= kHasTime;
            return has_room() && read_microseconds(at_.p, event.time) && event.time <= kMaxTime;
        case ValueKind::duration:
            event.flags |= kHasDuration;
            return has_room() && read_microseconds(at_.p, event.duration) &&
                   event.duration <= kMaxDuration;
        case ValueKind::id:
            set_id(event, at_.read_bare(), false);
            return !(event.flags & kIdForm);
        case ValueKind::id_text:
            if (!at_.read_string(text)) return false;
            --at_.p;
            set_id(event, text, false);
            return true;
        case ValueKind::process:
            return read_row_part(pid_);
        case ValueKind::thread:
            return read_row_part(tid_);
        case ValueKind::number:
            return read_shaped_number(step.key);
        case ValueKind::text:
            if (!at_.read_string(text)) return false;
            --at_.p;
            arguments_.set_text(step.key, names_.text(text));
            return true;
        case ValueKind::list:
            return (*at_.p == '[' || *at_.p == '{') && parse_argument(step.key) == Parse::ok;
        case ValueKind::skipped_token:
            return is_bare(*at_.p) && !at_.read_bare().empty();
        case ValueKind::skipped_text:
            if (!at_.read_string(text)) return false;
            --at_.p;
            return true;
        case ValueKind::skipped_list:
            return (*at_.p == '[' || *at_.p == '{') && at_.skip_container();
        case ValueKind::end:
            break;
    }
    return false;
}

bool JsonScanner::parse_shaped() {
    const char* const begin = at_.p;
    // Constructed in place: a copy of data written just before in pieces of another size would
    // stall on store forwarding.
    RawEvent& event = batch_->events.emplace_back();
    arguments_.present = 0;
    const EventShapes::Step* step = shapes_.match_first(event_before_, at_.p, at_.end);
    while (step) {
        at_.p += step->length;
        if (step->kind == ValueKind::end) {
            event.kind = step->prototype.kind;
            event.category = step->prototype.category;
            event.lane = step->reads_lane ? names_.row(pid_, tid_) : step->prototype.lane;
            event.flags |= step->prototype.flags;
            event.source = static_cast<uint32_t>(begin - base_);
            event_before_ = shapes_.index_of(*step);
            add_rows(step->phase);
            return true;
        }
        if (!read_shaped_value(*step, event)) break;
        step = shapes_.match(*step, at_.p, at_.end);
    }
    batch_->events.pop_back();
    at_.p = begin;
    event_before_ = 0;
    return false;
}

bool JsonScanner::read_row_part(std::string_view& part) {
    if (*at_.p == '"') {
        ++at_.p;
        return at_.read_string(part);
    }
    part = is_bare(*at_.p) ? at_.read_bare() : std::string_view();
    return !part.empty();
}

void JsonScanner::set_id(RawEvent& event, std::string_view text, bool local) {
    event.flags &= static_cast<uint16_t>(~(kIdForm | kIdIsLocal));
    event.flags |= kHasId;
    if (local) event.flags |= kIdIsLocal;
    // "07" and "7" are different ids: only a text that is printed the same way counts as a number.
    const bool plain = !text.empty() && (text[0] != '0' || text.size() == 1);
    if (plain && read_digits(text, event.id)) return;
    if (read_hex_id(text, event.id)) {
        event.flags |= kIdIsHex;
        return;
    }
    event.id = names_.text(text);
    event.flags |= kIdIsText;
}

}  // namespace lanescope
