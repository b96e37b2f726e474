// PacketStream: the packets of a Perfetto trace in file order, including those within compressed
// packets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ingest/format.h"
#include "core/source/forward_text.h"

namespace lanescope {

// Positions are counted as if every compressed packet were replaced by its content. An InflatedPart
// describes one such content.
struct InflatedPart {
    uint64_t begin = 0;  // position of the content's first byte
    uint64_t end = 0;
    uint64_t text_begin = 0;  // position of the compressed packet in the file's text
    uint64_t text_end = 0;
};

// A packet, including the tag of its field.
struct PacketBytes {
    uint64_t source = 0;     // position of the tag
    std::string_view bytes;  // the message
    uint64_t message = 0;    // position of the message
};

// Why the stream ended.
enum class PacketEnd : uint8_t { complete, cut, no_packet, too_long };

class PacketStream {
  public:
    explicit PacketStream(const TraceInput& input)
        : text_(input.file, input.compression, input.gzip_index) {}

    // The next packet; none: the stream has ended. Valid until the next call. Errors: the file has
    // changed or cannot be read.
    Result<std::optional<PacketBytes>> next();

    PacketEnd end() const { return end_; }
    uint64_t end_position() const { return at_ + shift_; }
    // Number of compressed packets that cannot be decompressed, or are nested.
    uint64_t bad_parts() const { return bad_parts_; }
    const std::vector<InflatedPart>& parts() const { return parts_; }
    const ForwardText& text() const { return text_; }

  private:
    std::optional<PacketBytes> next_inside();
    bool take_compressed(std::string_view packet, uint64_t begin, uint64_t end);

    ForwardText text_;
    uint64_t at_ = 0;     // position in the file's text
    uint64_t shift_ = 0;  // added to positions in the text; may wrap around
    PacketEnd end_ = PacketEnd::complete;
    std::string inside_;  // content of a compressed packet
    std::size_t inside_at_ = 0;
    uint64_t inside_begin_ = 0;
    bool is_inside_ = false;
    std::vector<InflatedPart> parts_;
    uint64_t bad_parts_ = 0;
};

// The field at the start of `text`: its number and the range of its content. None: the text ends
// before the content begins, or does not begin with a field.
struct FieldPlace {
    uint32_t field = 0;
    uint32_t wire_type = 0;
    std::size_t begin = 0;
    uint64_t size = 0;
};
std::optional<FieldPlace> read_field_place(std::string_view text);

// The content of a packet with compressed packets; none: the packet is of another kind, or damaged.
std::optional<std::string> inflated_packet(std::string_view packet);
bool is_compressed_packet(std::string_view packet);

}  // namespace lanescope
