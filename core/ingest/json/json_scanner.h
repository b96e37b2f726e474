// JsonScanner: scans the event objects of a block into a Batch; one scanner for each worker.
//
// It reads in one pass, without an index of the text. Keys are distinguished by their length and
// letters, arguments are skipped except those in argument_keys.h, and texts are interned as
// written.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/ingest/build/batch.h"
#include "core/ingest/build/local_names.h"
#include "core/ingest/json/event_shapes.h"
#include "core/ingest/json/json_cursor.h"
#include "core/ingest/kineto/kineto_rows.h"

namespace lanescope {

enum class ScanStop : uint8_t {
    text_end,   // at the end of the text, between two elements
    array_end,  // behind the `]` that closes the list
    cut,        // the text ends within an element; `position` is where that begins
};

// The place in the event list where a scan begins or stops. It distinguishes a missing comma from a
// stray one.
struct ListPlace {
    bool after_comma = true;  // or behind the list's opening bracket
    bool is_first = true;     // no element yet
};

struct ScanOutcome {
    ScanStop stop = ScanStop::text_end;
    std::size_t position = 0;  // in the text
    ListPlace place;
};

// Guesses where an event ends and another follows: behind the first `}` of `}, {"known key":` at or
// after `from`; `size` if there is none. (A FindCut.)
std::size_t find_event(const char* text, std::size_t from, std::size_t size);

class JsonScanner {
  public:
    // Without `learns_shapes` every event is read key by key: slower, with the same result.
    // `time_base`: microseconds to subtract from all times; 0: none.
    explicit JsonScanner(bool learns_shapes = true, int64_t time_base = 0)
        : learns_shapes_(learns_shapes), time_base_(time_base) {}

    // Scans elements of an event list from text[0]; text[size, size + kTextPadding) must be
    // readable. Adds to `batch`, whose offsets are relative to `text`. With `last`, an element that
    // the end of the text cuts and that contains an error counts as bad, not as cut.
    ScanOutcome scan(std::string_view text, Batch& batch, bool last, ListPlace place);

    // Adds to the batch the texts, categories and lanes met since the last call. Resolves escapes:
    // of lists and objects among the arguments, the JSON text is kept.
    void hand_over(Batch& batch);

  private:
    enum class Parse : uint8_t { ok, cut, bad };

    static constexpr char kLongPhase = '\1';  // in place of a phase that is not one letter

    // Where to continue after text that is not an event: before the next object that has a phase,
    // at the end of the text, or "undecided" if more text is needed.
    static constexpr std::size_t kUndecided = ~std::size_t{0};
    static std::size_t next_event(std::string_view text, std::size_t from, bool last);
    // Reads events of known shapes separated by commas, which make up most of the text. Starts at
    // an event that follows a comma; stops at the first other text. False if there was no such
    // event.
    bool read_shaped_events(ListPlace& place);
    bool parse_shaped();
    inline bool read_shaped_value(const EventShapes::Step& step, RawEvent& event);
    inline bool read_shaped_number(ArgumentKey key);
    // Whether a value that begins with this character ends where read_bare() ends.
    static bool is_bare(char c) { return c != '"' && c != '{' && c != '['; }
    bool read_row_part(std::string_view& part);
    bool store_number(ArgumentKey key, std::string_view token);
    Parse parse_event();
    // Parses an event whose name may contain unescaped quotes. Moves only if it is read.
    Parse parse_event_with_quotes();
    // Reads the members of the object that begins here, and moves behind its end.
    // `parse_value(key)` reads a member's value.
    template <typename ParseValue>
    Parse parse_members(const ParseValue& parse_value);
    void warn_stray_comma();
    Parse parse_member(std::string_view key, RawEvent& event);
    Parse parse_time(Nanos& nanos, uint16_t& flags, uint16_t has, Nanos limit);
    Parse parse_row_part(std::string_view& part, ValueKind kind);
    void learn_shape(const char* begin, RawEvent event);
    Parse parse_id(RawEvent& event);
    Parse parse_id2(RawEvent& event);
    Parse parse_phase();
    Parse parse_arguments();
    Parse parse_argument(ArgumentKey key);
    void set_id(RawEvent& event, std::string_view text, bool local);
    void add_value(ValueKind kind, std::string_view text, ArgumentKey key = ArgumentKey::none) {
        values_.push_back({text.data(), text.data() + text.size(), kind, key});
    }
    void add_skipped(std::string_view raw);
    ScanOutcome scan_elements(std::string_view text, bool last, ListPlace place);
    void warn(const WarningText& what, std::size_t offset) {
        batch_->warnings.push_back({&what, static_cast<uint32_t>(offset)});
    }
    void classify(RawEvent& event, char phase);
    void hand_over_words();
    void add_rows(char phase);  // of the batch's last event
    void add_named_rows(const RawEvent& event, uint32_t index);
    std::string_view category_of_task(const RawEvent& event) const;
    void add_counters(uint32_t index);
    void add_metadata(const RawEvent& event, uint32_t index);
    LocalId category(std::string_view text);

    JsonCursor at_;
    const char* base_ = nullptr;
    Batch* batch_ = nullptr;
    LocalNames names_;
    EventShapes shapes_;
    uint32_t event_before_ = 0;      // its `end` step; 0: it was read key by key
    std::vector<ValueSpan> values_;  // of the event being read
    bool learns_shapes_;
    int64_t time_base_;
    std::string_view unescaped_name_;  // name of the current event, if its quotes are not escaped
    bool has_shape_ = false;           // whether the current event may be learned
    int64_t last_call_ = kNoValue;  // correlation of the previous event, if that is a runtime call
    KinetoArguments arguments_;
    std::string_view pid_;
    std::string_view tid_;
    std::string_view phase_text_;
    char phase_ = 0;  // 0: missing
    std::string_view arguments_text_;
    // For Batch::words, of the text being scanned.
    std::array<uint32_t, 256> phase_counts_ = {};
    std::map<std::string, uint64_t> odd_words_;
    std::deque<std::string> repaired_;  // texts that the batches refer to
    std::string_view last_category_text_;
    LocalId last_category_ = 0;
    std::vector<KinetoRows> kind_of_category_;  // by LocalId of the category
};

template <typename ParseValue>
JsonScanner::Parse JsonScanner::parse_members(const ParseValue& parse_value) {
    ++at_.p;
    at_.skip_space();
    while (!at_.at_end() && *at_.p != '}') {
        if (*at_.p != '"') return Parse::bad;
        ++at_.p;
        std::string_view key;
        if (!at_.read_string(key)) return Parse::cut;
        at_.skip_space();
        if (at_.at_end()) return Parse::cut;
        if (*at_.p != ':') return Parse::bad;
        ++at_.p;
        at_.skip_space();
        if (at_.at_end()) return Parse::cut;
        const Parse parse = parse_value(key);
        if (parse != Parse::ok) return parse;
        at_.skip_space();
        if (at_.at_end()) return Parse::cut;
        if (*at_.p == '}') break;
        if (*at_.p != ',') return Parse::bad;
        ++at_.p;
        at_.skip_space();
        if (!at_.at_end() && *at_.p == '}') warn_stray_comma();
    }
    if (at_.at_end()) return Parse::cut;
    ++at_.p;
    return Parse::ok;
}

}  // namespace lanescope
