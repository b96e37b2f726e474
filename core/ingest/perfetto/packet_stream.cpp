#include "core/ingest/perfetto/packet_stream.h"

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "core/ingest/perfetto/wire.h"

namespace lanescope {

namespace {

constexpr uint32_t kPacketField = 1;   // field of the trace
constexpr uint32_t kZlibPackets = 50;  // field of a packet
constexpr uint32_t kZstdPackets = 133;
constexpr uint32_t kLengthDelimited = 2;  // wire type
constexpr std::size_t kMostHead = 20;     // bytes of a tag and a length
// Writers limit packets to a few megabytes.
constexpr uint64_t kLongestPacket = uint64_t{256} << 20;
constexpr std::size_t kInflateStep = std::size_t{256} << 10;

std::optional<std::string> inflate_zlib(std::string_view bytes) {
    const auto state = std::make_unique<inflate_state>();
    isal_inflate_init(state.get());
    state->crc_flag = ISAL_ZLIB;
    state->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));
    state->avail_in = static_cast<uint32_t>(bytes.size());
    std::string out;
    while (state->block_state != ISAL_BLOCK_FINISH) {
        const std::size_t had = out.size();
        if (had > kLongestPacket) return std::nullopt;
        out.resize(had + std::max(kInflateStep, had));
        state->next_out = reinterpret_cast<uint8_t*>(out.data() + had);
        state->avail_out = static_cast<uint32_t>(out.size() - had);
        const int code = isal_inflate(state.get());
        const std::size_t written = out.size() - had - state->avail_out;
        out.resize(had + written);
        if (code < 0 || (written == 0 && state->block_state != ISAL_BLOCK_FINISH))
            return std::nullopt;
    }
    return out;
}

std::optional<std::string> inflate_zstd(std::string_view bytes) {
    const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(),
                                                                       &ZSTD_freeDCtx);
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    std::string out;
    for (std::size_t left = 1; left != 0 || in.pos < in.size;) {
        const std::size_t had = out.size();
        if (!context || had > kLongestPacket) return std::nullopt;
        out.resize(had + std::max(kInflateStep, had));
        ZSTD_outBuffer to{out.data(), out.size(), had};
        const std::size_t consumed = in.pos;
        left = ZSTD_decompressStream(context.get(), &to, &in);
        const bool moved = to.pos > had || in.pos > consumed;
        out.resize(to.pos);
        if (ZSTD_isError(left) || !moved) return std::nullopt;
    }
    return out;
}

}  // namespace

std::optional<FieldPlace> read_field_place(std::string_view text) {
    const char* p = text.data();
    const char* const end = p + text.size();
    try {
        const uint64_t tag = protozero::decode_varint(&p, end);
        FieldPlace place;
        if (tag > UINT32_MAX || tag >> 3 == 0) return std::nullopt;
        place.field = static_cast<uint32_t>(tag >> 3);
        place.wire_type = static_cast<uint32_t>(tag & 7);
        switch (place.wire_type) {
            case 0: {
                const char* const before = p;
                protozero::skip_varint(&p, end);
                place.begin = static_cast<std::size_t>(before - text.data());
                place.size = static_cast<uint64_t>(p - before);
                return place;
            }
            case 1:
            case 5:
                place.size = place.wire_type == 1 ? 8 : 4;
                break;
            case kLengthDelimited:
                place.size = protozero::decode_varint(&p, end);
                break;
            default:
                return std::nullopt;
        }
        place.begin = static_cast<std::size_t>(p - text.data());
        return place;
    } catch (const protozero::exception&) {
        return std::nullopt;
    }
}

bool is_compressed_packet(std::string_view packet) {
    // A compressed packet has only this field.
    const std::optional<FieldPlace> place = read_field_place(packet);
    return place && place->wire_type == kLengthDelimited &&
           (place->field == kZlibPackets || place->field == kZstdPackets);
}

std::optional<std::string> inflated_packet(std::string_view packet) {
    std::optional<std::string> content;
    try {
        for (WireMessage field(packet); field.next();) {
            if (!field.is_bytes()) continue;
            if (field.field() == kZlibPackets) content = inflate_zlib(field.bytes());
            if (field.field() == kZstdPackets) content = inflate_zstd(field.bytes());
        }
    } catch (const protozero::exception&) {
        return std::nullopt;
    }
    return content;
}

bool PacketStream::take_compressed(std::string_view packet, uint64_t begin, uint64_t end) {
    std::optional<std::string> content = inflated_packet(packet);
    if (!content) {
        ++bad_parts_;
        return false;
    }
    inside_ = std::move(*content);
    inside_at_ = 0;
    inside_begin_ = begin + shift_;
    is_inside_ = true;
    parts_.push_back({inside_begin_, inside_begin_ + inside_.size(), begin, end});
    shift_ += inside_.size() - (end - begin);
    return true;
}

std::optional<PacketBytes> PacketStream::next_inside() {
    while (inside_at_ < inside_.size()) {
        const std::string_view rest = std::string_view(inside_).substr(inside_at_);
        const std::optional<FieldPlace> place = read_field_place(rest);
        if (!place || place->size > rest.size() - place->begin) {
            ++bad_parts_;
            break;
        }
        const uint64_t source = inside_begin_ + inside_at_;
        const std::string_view bytes = rest.substr(place->begin, place->size);
        inside_at_ += place->begin + place->size;
        if (place->field != kPacketField || place->wire_type != kLengthDelimited) continue;
        if (is_compressed_packet(bytes)) {
            ++bad_parts_;
            continue;
        }
        return PacketBytes{source, bytes, source + place->begin};
    }
    is_inside_ = false;
    return std::nullopt;
}

Result<std::optional<PacketBytes>> PacketStream::next() {
    for (;;) {
        if (is_inside_)
            if (const std::optional<PacketBytes> packet = next_inside()) return packet;
        const Result<std::string_view> head = text_.read(at_, kMostHead);
        if (!head) return head.error();
        if (head->empty()) return std::optional<PacketBytes>();
        const std::optional<FieldPlace> place = read_field_place(head->substr(0, kMostHead));
        if (!place) {
            end_ = head->size() < kMostHead ? PacketEnd::cut : PacketEnd::no_packet;
            return std::optional<PacketBytes>();
        }
        if (place->size > kLongestPacket) {
            end_ = PacketEnd::too_long;
            return std::optional<PacketBytes>();
        }
        const uint64_t whole = place->begin + place->size;
        const Result<std::string_view> text = text_.read(at_, whole);
        if (!text) return text.error();
        if (text->size() < whole) {
            end_ = PacketEnd::cut;
            return std::optional<PacketBytes>();
        }
        const uint64_t begin = at_;
        at_ += whole;
        if (place->field != kPacketField || place->wire_type != kLengthDelimited) continue;
        const std::string_view bytes = text->substr(place->begin, place->size);
        if (is_compressed_packet(bytes)) {
            take_compressed(bytes, begin, at_);
            continue;
        }
        return std::optional(PacketBytes{begin + shift_, bytes, begin + shift_ + place->begin});
    }
}

}  // namespace lanescope
