// JsonText: the complete text of a JSON file, for formats whose parts refer to each other in any
// order. Damaged text is read up to the damage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ingest/format.h"
#include "core/ingest/json/json_cursor.h"

namespace lanescope {

class JsonText {
  public:
    // Reads a complete file, and warns if it is truncated. Errors: it cannot be read, needs more
    // memory than allowed, or cancelled.
    static Result<JsonText> read(const ReadJob& job, TraceBuilder& builder);
    // Reads the text of a file that was loaded earlier.
    static Result<JsonText> read_again(const TraceInput& input);

    // Points to the first character other than white space.
    JsonCursor cursor() const;
    uint64_t position(const char* at) const { return static_cast<uint64_t>(at - text_.data()); }
    // At the end if `position` is beyond it.
    JsonCursor cursor_at(uint64_t position) const {
        const std::size_t place = position < size_ ? static_cast<std::size_t>(position) : size_;
        return {text_.data() + place, text_.data() + size_};
    }

  private:
    Result<void> append(Decompressor& from, bool& is_last);
    void pad();

    std::vector<char> text_;  // followed by kTextPadding zero bytes
    std::size_t size_ = 0;
};

// Visits the elements of the list at `at`. `read`: called with `at` at each element; must move past
// it, and returns false on failure. Returns false if read() did, or if the list does not end.
template <typename Read>
bool read_elements(JsonCursor& at, const Read& read) {
    if (at.at_end() || *at.p != '[') return false;
    ++at.p;
    at.skip_space();
    while (!at.at_end() && *at.p != ']') {
        if (!read()) return false;
        at.skip_space();
        if (at.at_end() || (*at.p != ']' && *at.p != ',')) return false;
        if (*at.p == ']') break;
        ++at.p;
        at.skip_space();
    }
    if (at.at_end()) return false;
    ++at.p;
    return true;
}

// Iterates over the elements of a list.
class JsonElements {
  public:
    explicit JsonElements(const JsonCursor& list) : at_(list) {
        is_open_ = at_.p && !at_.at_end() && *at_.p == '[';
        if (!is_open_) return;
        ++at_.p;
    }
    // The next raw element; empty: no further element. Does not return an element that is cut by
    // the end of the text.
    std::string_view next();
    bool is_cut() const { return is_cut_; }

  private:
    JsonCursor at_;
    bool is_open_ = false;
    bool is_cut_ = false;
    bool is_first_ = true;
};

// The content of a text without escapes; the raw text of any other value.
std::string json_plain(std::string_view raw);

// An integer; empty: not an integer, or out of range.
std::optional<int64_t> json_integer(std::string_view raw);

// How a format shows the object at a file position as arguments.
struct ObjectArguments {
    std::vector<std::string_view> left_out;  // names of members to omit
    // A member whose own members are shown in its place.
    std::string_view spread;
    // A member that may hold a list of objects of the same kind: nothing from this member on is
    // shown.
    std::string_view rest;
};

// The members of the object at `at`, as long as it is valid; empty: there is no object.
std::vector<Argument> object_arguments(const JsonCursor& at, const ObjectArguments& shown);

// Argument readers that show the members of the object at an event's position.
std::unique_ptr<ArgumentReader> read_object_arguments(const TraceInput& input,
                                                      ObjectArguments shown);
std::unique_ptr<ArgumentScan> scan_object_arguments(const TraceInput& input, ObjectArguments shown);

}  // namespace lanescope
