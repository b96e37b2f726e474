// XspaceText and XspaceWalk: the fields of nested protobuf messages in a file's text, read without
// holding more than one field of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/ingest/format.h"
#include "core/source/forward_text.h"

namespace lanescope {

// The text of a file. A plain file can be read at any position, a compressed one only forward.
class XspaceText {
  public:
    explicit XspaceText(const TraceInput& input);

    // The text from `offset` on: at least `bytes` of it, or all that is left; valid until the next
    // call. Empty at the end of the text, and after an error: see failure().
    std::string_view read(uint64_t offset, std::size_t bytes);

    // True if the text is known to reach up to a position. What a compressed file skips is unknown.
    bool reaches(uint64_t position) const {
        return position <= (forward_ ? furthest_ : file_->size());
    }

    bool has_failed() const { return !failure_; }
    const Result<void>& failure() const { return failure_; }  // the file changed or is unreadable
    uint64_t file_bytes_done() const;

  private:
    std::shared_ptr<InputFile> file_;
    std::unique_ptr<ForwardText> forward_;  // of a compressed file
    std::string window_;                    // of a plain file: its text from begin_ on
    uint64_t begin_ = 0;
    uint64_t furthest_ = 0;  // end of the text that was read
    Result<void> failure_;
};

enum class XspaceWire : uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct XspaceField {
    uint32_t number = 0;
    XspaceWire wire = XspaceWire::varint;
    uint64_t tag = 0;    // position of the field
    uint64_t begin = 0;  // of its contents: [begin, end)
    uint64_t end = 0;
    uint64_t value = 0;  // of a varint

    bool is_bytes(uint32_t wanted) const { return number == wanted && wire == XspaceWire::bytes; }
    bool is_varint(uint32_t wanted) const { return number == wanted && wire == XspaceWire::varint; }
};

// How the walk through a message ended.
enum class XspaceEnd : uint8_t {
    whole,
    cut,      // the text ends in it
    damaged,  // a field that cannot be
};

// Visits the fields of the message at [begin, end). The contents of a field are skipped unless the
// caller reads them.
class XspaceWalk {
  public:
    XspaceWalk(XspaceText& text, uint64_t begin, uint64_t end)
        : text_(text), at_(begin), end_(end) {}

    // False at the end of the message. A field whose contents reach beyond the end of the text is
    // returned if its message may reach there too.
    bool next(XspaceField& field);

    XspaceEnd how_it_ended() const { return ended_; }
    // The position of the next field, or of the last field if the text ends within that field.
    uint64_t position() const { return at_; }

  private:
    bool stop(XspaceEnd why) {
        ended_ = why;
        return false;
    }

    XspaceText& text_;
    uint64_t at_;
    uint64_t end_;
    uint64_t last_ = at_;
    XspaceEnd ended_ = XspaceEnd::whole;
};

// Reads one field at the beginning of `text`, whose first byte is at `offset` and of whose message
// `left` bytes are left. Empty text is cut.
XspaceEnd read_xspace_field(std::string_view text, uint64_t offset, uint64_t left,
                            XspaceField& field);

}  // namespace lanescope
