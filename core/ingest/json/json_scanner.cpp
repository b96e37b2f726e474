#include "core/ingest/json/json_scanner.h"

#include <algorithm>

#include "core/ingest/json/json_number.h"
#include "core/ingest/json/json_warnings.h"

namespace lanescope {

namespace {

// A file with more lanes than this would have too many shapes if each lane had its own.
constexpr std::size_t kFewLanes = 32;
constexpr int kMaxRunaways = 16;  // each may require a search of all text that follows

// Whether a value that begins with this character ends where read_bare() ends.
bool is_bare(char c) {
    return c != '"' && c != '{' && c != '[';
}

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
    set_number(key, value);
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
            arguments_.text[static_cast<std::size_t>(step.key)] = names_.text(text);
            arguments_.present |= uint64_t{1} << static_cast<int>(step.key);
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
            event.lane = step->reads_lane ? names_.lane(pid_, tid_) : step->prototype.lane;
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

JsonScanner::Parse JsonScanner::parse_event() {
    RawEvent event;
    const char* const begin = at_.p;
    event.source = static_cast<uint32_t>(begin - base_);
    arguments_.present = 0;
    values_.clear();
    has_shape_ = learns_shapes_;
    pid_ = tid_ = phase_text_ = arguments_text_ = {};
    phase_ = 0;
    const Parse parse =
        parse_members([&](std::string_view key) { return parse_member(key, event); });
    if (parse != Parse::ok) return parse;
    event.lane = names_.lane(pid_, tid_);
    classify(event, phase_);
    batch_->events.push_back(event);
    add_rows(phase_);
    // Counters and metadata are read from the text of their arguments; unusual events are not worth
    // a shape.
    const bool plain = phase_ != 0 && phase_ != kLongPhase && event.kind != EventKind::counter &&
                       event.kind != EventKind::metadata && !(event.flags & kUnreadable);
    if (has_shape_ && plain) learn_shape(begin, event);
    return Parse::ok;
}

void JsonScanner::learn_shape(const char* begin, RawEvent event) {
    event.flags &= kBindEnclosing | kPairsByName;
    const auto is_row_part = [](const ValueSpan& value) {
        return value.kind == ValueKind::process || value.kind == ValueKind::thread;
    };
    const bool has_lane = std::ranges::count_if(values_, is_row_part) == 2 &&
                          std::ranges::count(values_, ValueKind::thread, &ValueSpan::kind) == 1;
    if (!has_lane || names_.lane_count() <= kFewLanes) std::erase_if(values_, is_row_part);
    shapes_.learn(begin, at_.p, values_, event, phase_);
}

void JsonScanner::warn_stray_comma() {
    has_shape_ = false;
    warn(kStrayComma, static_cast<std::size_t>(at_.p - base_));
}

JsonScanner::Parse JsonScanner::parse_member(std::string_view key, RawEvent& event) {
    const auto text_value = [&](std::string_view& out) {
        if (*at_.p == '"') {
            ++at_.p;
            return at_.read_string(out) ? Parse::ok : Parse::cut;
        }
        return at_.read_value(out) ? Parse::ok : Parse::cut;
    };
    const auto is = [&](const char* name) {
        return std::memcmp(key.data(), name, key.size()) == 0;
    };
    std::string_view text;
    switch (key.size()) {
        case 2:
            if (is("ts")) return parse_time(event.time, event.flags, kHasTime, kMaxTime);
            if (is("ph")) return parse_phase();
            if (is("id")) return parse_id(event);
            if (is("bp")) {
                const Parse parse = text_value(text);
                if (parse == Parse::ok && text == "e") event.flags |= kBindEnclosing;
                return parse;
            }
            break;
        case 3:
            if (is("pid")) return parse_row_part(pid_, ValueKind::process);
            if (is("tid")) return parse_row_part(tid_, ValueKind::thread);
            if (is("cat")) {
                const Parse parse = text_value(text);
                if (parse == Parse::ok) event.category = category(text);
                return parse;
            }
            if (is("dur"))
                return parse_time(event.duration, event.flags, kHasDuration, kMaxDuration);
            if (is("id2")) return parse_id2(event);
            break;
        case 4:
            if (is("name")) {
                has_shape_ &= *at_.p == '"';
                const Parse parse = text_value(text);
                if (parse == Parse::ok) event.name = names_.text(text);
                add_value(ValueKind::name, text);
                return parse;
            }
            if (is("args")) {
                const char* const begin = at_.p;
                // A shape would skip the arguments of an event that has something else in their
                // place.
                has_shape_ &= *at_.p == '{' && arguments_text_.empty();
                if (*at_.p != '{') break;
                arguments_.present = 0;
                const Parse parse = parse_arguments();
                arguments_text_ = {begin, static_cast<std::size_t>(at_.p - begin)};
                return parse;
            }
            break;
        default:
            break;
    }
    if (!at_.read_value(text)) return Parse::cut;
    if (text.empty()) return Parse::bad;
    add_skipped(text);
    return Parse::ok;
}

void JsonScanner::add_skipped(std::string_view raw) {
    if (raw.front() == '"') {
        add_value(ValueKind::skipped_text, without_quotes(raw));
    } else if (raw.front() == '[' || raw.front() == '{') {
        add_value(ValueKind::skipped_list, raw);
    } else {
        add_value(ValueKind::skipped_token, raw);
    }
}

JsonScanner::Parse JsonScanner::parse_time(Nanos& nanos, uint16_t& flags, uint16_t has,
                                           Nanos limit) {
    const char* p = at_.p;
    Nanos common = 0;
    nanos = 0;
    if (at_.end - p >= 32 && read_microseconds(p, common) && common <= limit) {
        if (*p == ',' || *p == '}' || is_blank(*p)) {
            add_value(has == kHasTime ? ValueKind::time : ValueKind::duration,
                      {at_.p, static_cast<std::size_t>(p - at_.p)});
            at_.p = p;
            nanos = common;
            flags |= has;
            return Parse::ok;
        }
    }
    std::string_view raw;
    has_shape_ = false;
    if (!at_.read_value(raw)) return Parse::cut;
    if (raw.empty()) return Parse::bad;
    flags &= static_cast<uint16_t>(~has);
    if (raw == "null") return Parse::ok;
    if (const auto value = parse_microseconds(without_quotes(raw), limit)) {
        nanos = *value;
        flags |= has;
    } else {
        flags |= kUnreadable;
    }
    return Parse::ok;
}

JsonScanner::Parse JsonScanner::parse_row_part(std::string_view& part, ValueKind kind) {
    std::string_view raw;
    if (!at_.read_value(raw)) return Parse::cut;
    if (raw.empty()) return Parse::bad;
    part = without_quotes(raw);
    has_shape_ &= raw.front() == '"' || is_bare(raw.front());
    add_value(kind, raw);
    return Parse::ok;
}

bool JsonScanner::read_row_part(std::string_view& part) {
    if (*at_.p == '"') {
        ++at_.p;
        return at_.read_string(part);
    }
    part = is_bare(*at_.p) ? at_.read_bare() : std::string_view();
    return !part.empty();
}

JsonScanner::Parse JsonScanner::parse_phase() {
    std::string_view raw;
    if (!at_.read_value(raw)) return Parse::cut;
    if (raw.empty()) return Parse::bad;
    phase_text_ = without_quotes(raw);
    phase_ = phase_text_.size() == 1 ? phase_text_[0] : phase_text_.empty() ? '\0' : kLongPhase;
    return Parse::ok;
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

JsonScanner::Parse JsonScanner::parse_id(RawEvent& event) {
    std::string_view raw;
    if (!at_.read_value(raw)) return Parse::cut;
    if (raw.empty()) return Parse::bad;
    const std::string_view text = without_quotes(raw);
    set_id(event, text, false);
    has_shape_ &= raw.front() == '"' || !(event.flags & kIdForm);
    add_value(raw.front() == '"' ? ValueKind::id_text : ValueKind::id, text);
    return Parse::ok;
}

// Parses {"local": …} or {"global": …}.
JsonScanner::Parse JsonScanner::parse_id2(RawEvent& event) {
    std::string_view raw;
    if (!at_.read_value(raw)) return Parse::cut;
    if (raw.empty()) return Parse::bad;
    has_shape_ = false;
    const bool local = raw.find("\"local\"") != std::string_view::npos;
    const std::size_t colon = raw.find(':');
    if (colon == std::string_view::npos) return Parse::ok;
    std::string_view value = raw.substr(colon + 1);
    while (!value.empty() && is_blank(value.front())) value.remove_prefix(1);
    while (!value.empty() && (is_blank(value.back()) || value.back() == '}'))
        value.remove_suffix(1);
    set_id(event, without_quotes(value), local);
    return Parse::ok;
}

}  // namespace lanescope
