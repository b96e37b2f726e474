// XspaceText and XspaceWalk: read the fields of nested protobuf messages in a file, with at most
// one field in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/ingest/format.h"
#include "core/source/forward_text.h"

namespace lanescope {

// The text of a file. A plain file allows random access; a compressed file can only be read
// forward.
class XspaceText {
  public:
    explicit XspaceText(const TraceInput& input);

    // The text from `offset` on: at least `bytes` of it, or all that is left. Valid until the next
    // call. Empty at the end of the text and after an error: see failure().
    std::string_view read(uint64_t offset, std::size_t bytes);

    // Whether the text is known to reach `position`. Text skipped in a compressed file is not
    // known.
    bool reaches(uint64_t position) const {
        return position <= (forward_ ? furthest_ : file_->size());
    }

    bool has_failed() const { return !failure_; }
    const Result<void>& failure() const { return failure_; }  // the file changed or is unreadable
    uint64_t file_bytes_done() const;

  private:
    std::shared_ptr<InputFile> file_;
    std::unique_ptr<ForwardText> forward_;  // for compressed files
    std::string window_;                    // for plain files: text from begin_ on
    uint64_t begin_ = 0;
    uint64_t furthest_ = 0;  // end of the text read so far
    Result<void> failure_;
};

enum class XspaceWire : uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct XspaceField {
    uint32_t number = 0;
    XspaceWire wire = XspaceWire::varint;
    uint64_t tag = 0;    // position of the field's tag
    uint64_t begin = 0;  // contents: [begin, end)
    uint64_t end = 0;
    uint64_t value = 0;  // value of a varint

    bool is_bytes(uint32_t wanted) const { return number == wanted && wire == XspaceWire::bytes; }
    bool is_varint(uint32_t wanted) const { return number == wanted && wire == XspaceWire::varint; }
};

// How a walk through a message ended.
enum class XspaceEnd : uint8_t {
    whole,
    cut,      // the text ends within the message
    damaged,  // an invalid field
};

// Visits the fields of the message at [begin, end). Skips the contents of a field unless the caller
// reads them.
class XspaceWalk {
  public:
    XspaceWalk(XspaceText& text, uint64_t begin, uint64_t end)
        : text_(text), at_(begin), end_(end) {}

    // False at the end of the message. Returns a field that extends beyond the end of the text if
    // its message may extend beyond it, too.
    bool next(XspaceField& field);

    XspaceEnd how_it_ended() const { return ended_; }
    // The position of the next field; if the text ends within a field, of that field.
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

// Reads the field at the start of `text`. `offset`: position of `text`. `left`: remaining bytes of
// the message. Empty text gives XspaceEnd::cut.
XspaceEnd read_xspace_field(std::string_view text, uint64_t offset, uint64_t left,
                            XspaceField& field);

}  // namespace lanescope
