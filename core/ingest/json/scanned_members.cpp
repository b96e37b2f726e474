// Reads an event member by member, and learns its shape.
#include <algorithm>

#include "core/ingest/json/json_number.h"
#include "core/ingest/json/json_scanner.h"
#include "core/ingest/json/json_warnings.h"
#include "core/ingest/json/unescaped_text.h"

namespace lanescope {

namespace {

// A file with more lanes than this would have too many shapes if each lane had its own.
constexpr std::size_t kMaxLanesSearched = 32;

}  // namespace

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
    event.lane = names_.row(pid_, tid_);
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

JsonScanner::Parse JsonScanner::parse_event_with_quotes() {
    const char* const begin = at_.p;
    std::string_view name;
    const UnescapedText found = find_unescaped_name(at_, name);
    if (found != UnescapedText::whole) return found == UnescapedText::cut ? Parse::cut : Parse::bad;
    unescaped_name_ = name;
    const Parse parse = parse_event();
    unescaped_name_ = {};
    if (parse == Parse::ok)
        warn(kUnescapedQuotes, static_cast<std::size_t>(begin - base_));
    else
        at_.p = begin;
    return parse;
}

void JsonScanner::learn_shape(const char* begin, RawEvent event) {
    event.flags &= kBindEnclosing | kPairsByName;
    const auto is_row_part = [](const ValueSpan& value) {
        return value.kind == ValueKind::process || value.kind == ValueKind::thread;
    };
    const bool has_lane = std::ranges::count_if(values_, is_row_part) == 2 &&
                          std::ranges::count(values_, ValueKind::thread, &ValueSpan::kind) == 1;
    if (!has_lane || names_.lane_count() <= kMaxLanesSearched) std::erase_if(values_, is_row_part);
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
    const auto take_unescaped = [&](std::string_view& out) {
        out = unescaped_name_;
        at_.p = out.data() + out.size() + 1;
        return Parse::ok;
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
                has_shape_ &= *at_.p == '"' && !unescaped_name_.data();
                const Parse parse =
                    unescaped_name_.data() ? take_unescaped(text) : text_value(text);
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
    const int64_t base = has == kHasTime ? time_base_ : 0;
    if (base == 0 && at_.end - p >= 32 && read_microseconds(p, common) && common <= limit) {
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
    if (const auto value = parse_microseconds_since(base, without_quotes(raw), limit)) {
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

JsonScanner::Parse JsonScanner::parse_phase() {
    std::string_view raw;
    if (!at_.read_value(raw)) return Parse::cut;
    if (raw.empty()) return Parse::bad;
    phase_text_ = without_quotes(raw);
    phase_ = phase_text_.size() == 1 ? phase_text_[0] : phase_text_.empty() ? '\0' : kLongPhase;
    return Parse::ok;
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
