// JsonText: the whole text of a JSON file, for formats whose parts refer to each other and come in
// any order. Damaged text is read as far as it goes.
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
    // Reads a file whole, and warns if it is cut. Errors: it cannot be read, needs more memory than
    // allowed, cancelled.
    static Result<JsonText> read(const ReadJob& job, TraceBuilder& builder);
    // Reads the text of a file that was loaded before.
    static Result<JsonText> read_again(const TraceInput& input);

    // Points to the first character that is no white space.
    JsonCursor cursor() const;
    uint64_t position(const char* at) const { return static_cast<uint64_t>(at - text_.data()); }
    // At the end if the position is beyond it.
    JsonCursor cursor_at(uint64_t position) const {
        const std::size_t place = position < size_ ? static_cast<std::size_t>(position) : size_;
        return {text_.data() + place, text_.data() + size_};
    }

  private:
    Result<void> append(Decompressor& from, bool& is_last);
    void pad();

    std::vector<char> text_;  // and kTextPadding zero bytes
    std::size_t size_ = 0;
};

// Visits the elements of the list at `at`: calls read() with `at` on each; read() must move past
// it, and returns false if it cannot. False if read() did, or the list does not end.
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

// The elements of a list, one by one.
class JsonElements {
  public:
    explicit JsonElements(const JsonCursor& list) : at_(list) {
        is_open_ = at_.p && !at_.at_end() && *at_.p == '[';
        if (!is_open_) return;
        ++at_.p;
    }
    // The next element as written; empty: there is no further one. An element that the end of the
    // text cuts is not returned.
    std::string_view next();
    bool is_cut() const { return is_cut_; }

  private:
    JsonCursor at_;
    bool is_open_ = false;
    bool is_cut_ = false;
    bool is_first_ = true;
};

// A text without quotes and escapes; a value of another kind as it is.
std::string json_plain(std::string_view raw);

// A whole number; empty: the value is none, or does not fit.
std::optional<int64_t> json_integer(std::string_view raw);

// How a format shows the object at a position of its file as arguments.
struct ObjectArguments {
    std::vector<std::string_view> left_out;  // names of members
    // The member whose own members are shown instead of it.
    std::string_view spread;
    // A member that may hold a list of objects of the same kind: then nothing from there on is
    // shown.
    std::string_view rest;
};

// The members of the object at `at`, as far as it is sound; none if there is no object.
std::vector<Argument> object_arguments(const JsonCursor& at, const ObjectArguments& shown);

// Readers of arguments that show the members of the object at an event's position.
std::unique_ptr<ArgumentReader> read_object_arguments(const TraceInput& input,
                                                      ObjectArguments shown);
std::unique_ptr<ArgumentScan> scan_object_arguments(const TraceInput& input, ObjectArguments shown);

}  // namespace lanescope
