#include "core/ingest/json/json_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ingest/json/text_repair.h"
#include "core/source/text_source.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxEvent = std::size_t{1} << 30;
constexpr std::size_t kMaxCarried = std::size_t{3} << 30;  // offsets in it have 32 bits

}  // namespace

JsonDocument::JsonDocument(TraceBuilder& builder, std::string path, unsigned worker,
                           int64_t time_base)
    : builder_(builder), path_(std::move(path)), scanner_(true, time_base) {
    batch_.worker = worker;
}

Result<void> JsonDocument::feed_scanned(std::string_view text, uint64_t offset,
                                        const ScanOutcome& outcome, bool last) {
    offset_ = offset + outcome.position;
    place_ = outcome.place;
    if (outcome.stop == ScanStop::text_end) return {};
    if (outcome.stop == ScanStop::array_end) mode_ = bare_list_ ? Mode::done : Mode::members;
    return feed(text.substr(outcome.position), offset_, last);
}

Result<void> JsonDocument::feed(std::string_view text, uint64_t offset, bool last) {
    if (carry_.empty() && !text.empty()) offset_ = offset;
    carry_.append(text);
    // An element longer than a block is retried only when its text has doubled, which keeps the
    // work linear.
    if (carry_.size() < retry_at_ && !last) return {};
    if (carry_.size() > kMaxCarried)
        return Error{
            ErrorCode::damaged, offset_,
            fmt::format("{}: one element is longer than 3 GiB (from byte {})", path_, offset_)};
    // No event is that long: a bracket or a quote is missing.
    const bool runaway = carry_.size() > kMaxEvent;
    std::string whole = std::move(carry_);
    const std::size_t size = whole.size();
    whole.append(kTextPadding, '\0');
    carry_.clear();
    retry_at_ = 0;
    return read(std::string_view(whole).substr(0, size), last || runaway);
}

Result<void> JsonDocument::read(std::string_view text, bool last) {
    std::size_t at = 0;
    Result<void> result;
    bool going = true;
    while (going) {
        while (at < text.size() && is_blank(text[at])) ++at;
        if (at >= text.size()) break;
        switch (mode_) {
            case Mode::start:
                going = read_start(text, at, result);
                break;
            case Mode::members:
                going = read_member(text, at);
                break;
            case Mode::events:
                going = read_events(text, at, last);
                break;
            case Mode::done:
                if (!in_garbage_)
                    builder_.warn("text_after_end", offset_ + at,
                                  "text after the end of the trace; not read");
                in_garbage_ = true;
                going = false;
                at = text.size();
                break;
        }
    }
    if (!result) return result;
    keep(text, std::min(at, text.size()));
    return {};
}

void JsonDocument::keep(std::string_view text, std::size_t from) {
    offset_ += from;
    carry_.assign(text.substr(from));
    retry_at_ = carry_.size() * 2;
}

// All read_…() return false if the text at `at` must wait for more text, or on an error.
bool JsonDocument::read_start(std::string_view text, std::size_t& at, Result<void>& result) {
    if (text.substr(at).starts_with("\xef\xbb\xbf")) {
        at += 3;
        return true;
    }
    if (text[at] != '[' && text[at] != '{') {
        result = not_a_trace(offset_ + at, "it does not begin with { or [");
        return false;
    }
    bare_list_ = text[at] == '[';
    seen_events_ = bare_list_;
    mode_ = bare_list_ ? Mode::events : Mode::members;
    ++at;
    return true;
}

bool JsonDocument::read_member(std::string_view text, std::size_t& at) {
    if (text[at] == '}') {
        mode_ = Mode::done;
        in_garbage_ = false;
        ++at;
        return true;
    }
    if (text[at] != '"') {
        if (text[at] != ',') warn_garbage(offset_ + at);
        in_garbage_ = text[at] != ',';
        ++at;
        return true;
    }
    JsonCursor cursor{text.data() + at + 1, text.data() + text.size()};
    std::string_view name;
    if (!cursor.read_string(name)) return false;
    cursor.skip_space();
    if (cursor.at_end()) return false;
    if (*cursor.p != ':') {
        warn_garbage(offset_ + at);
        at = static_cast<std::size_t>(cursor.p - text.data());
        return true;
    }
    ++cursor.p;
    cursor.skip_space();
    if (cursor.at_end()) return false;
    if (first_member_.empty()) first_member_ = name;
    in_garbage_ = false;
    if (name == "traceEvents" && *cursor.p == '[') {
        mode_ = Mode::events;
        place_ = {};
        seen_events_ = true;
        at = static_cast<std::size_t>(cursor.p - text.data()) + 1;
        return true;
    }
    std::string_view value;
    if (!cursor.read_value(value)) return false;
    builder_.add_metadata(repair_text(name), std::string(value));
    at = static_cast<std::size_t>(cursor.p - text.data());
    return true;
}

void JsonDocument::warn_garbage(uint64_t offset) {
    if (!in_garbage_)
        builder_.warn("bad_member", offset, "invalid text between the file's members; skipped");
    in_garbage_ = true;
}

bool JsonDocument::read_events(std::string_view text, std::size_t& at, bool last) {
    batch_.clear();
    batch_.source_base = offset_ + at;
    const ScanOutcome outcome = scanner_.scan(text.substr(at), batch_, last, place_);
    place_ = outcome.place;
    scanner_.hand_over(batch_);
    builder_.append(batch_);
    at += outcome.position;
    if (outcome.stop == ScanStop::array_end) mode_ = bare_list_ ? Mode::done : Mode::members;
    return outcome.stop != ScanStop::cut;
}

Result<void> JsonDocument::finish() {
    if (!seen_events_) {
        const std::string why =
            first_member_.empty()
                ? "it has no list of events"
                : fmt::format("it is JSON without \"traceEvents\" (its first member is \"{}\")",
                              first_member_);
        return not_a_trace(0, why);
    }
    if (mode_ == Mode::done) return {};
    const bool cut = !carry_.empty();
    std::string_view why = "the file ends before its list of events is closed; all of it was read";
    if (mode_ == Mode::members) why = "the file ends before it is closed; all of it was read";
    if (cut)
        why = mode_ == Mode::members
                  ? "the file ends in the middle of a member; everything before it was read"
                  : "the file ends in the middle of an event; everything before it was read";
    builder_.warn("truncated", offset_, why);
    return {};
}

Error JsonDocument::not_a_trace(uint64_t offset, std::string_view why) const {
    return {ErrorCode::unsupported, offset,
            fmt::format("{}: is not a Chrome or Kineto trace: {}", path_, why)};
}

}  // namespace lanescope
