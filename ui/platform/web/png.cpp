// Writes PNG files without libpng: rows without a filter, compressed by ISA-L.
#include "ui/platform/png.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include <array>
#include <string_view>

namespace lanescope {

namespace {

void append_big_endian(std::vector<uint8_t>& out, uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8)
        out.push_back(static_cast<uint8_t>(value >> shift));
}

void append_chunk(std::vector<uint8_t>& out, std::string_view type,
                  std::span<const uint8_t> bytes) {
    append_big_endian(out, static_cast<uint32_t>(bytes.size()));
    const std::size_t from = out.size();
    out.insert(out.end(), type.begin(), type.end());
    out.insert(out.end(), bytes.begin(), bytes.end());
    append_big_endian(out, crc32_gzip_refl(0, out.data() + from, out.size() - from));
}

std::vector<uint8_t> deflated(std::vector<uint8_t>& bytes) {
    isal_zstream stream{};
    isal_deflate_init(&stream);
    std::vector<uint8_t> work(ISAL_DEF_LVL1_DEFAULT);
    stream.level = 1;
    stream.level_buf = work.data();
    stream.level_buf_size = static_cast<uint32_t>(work.size());
    stream.gzip_flag = IGZIP_ZLIB;
    stream.end_of_stream = 1;
    stream.next_in = bytes.data();
    stream.avail_in = static_cast<uint32_t>(bytes.size());
    std::vector<uint8_t> out;
    std::array<uint8_t, std::size_t{64} << 10> piece;
    do {
        stream.next_out = piece.data();
        stream.avail_out = static_cast<uint32_t>(piece.size());
        isal_deflate(&stream);  // cannot fail with valid buffers
        out.insert(out.end(), piece.begin(), piece.end() - stream.avail_out);
    } while (stream.internal_state.state != ZSTATE_END);
    return out;
}

}  // namespace

Result<std::vector<uint8_t>> encode_png(int width, int height, std::span<const uint8_t> rgba) {
    const auto columns = static_cast<std::size_t>(width);
    std::vector<uint8_t> rows;
    rows.reserve((columns * 3 + 1) * static_cast<std::size_t>(height));
    for (std::size_t i = 0; i < columns * static_cast<std::size_t>(height); ++i) {
        if (i % columns == 0) rows.push_back(0);  // no filter
        rows.insert(rows.end(), rgba.begin() + static_cast<std::ptrdiff_t>(i * 4),
                    rgba.begin() + static_cast<std::ptrdiff_t>(i * 4 + 3));
    }
    std::vector<uint8_t> png = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    std::vector<uint8_t> header;
    append_big_endian(header, static_cast<uint32_t>(width));
    append_big_endian(header, static_cast<uint32_t>(height));
    for (const int field : {8, 2, 0, 0, 0}) header.push_back(static_cast<uint8_t>(field));
    append_chunk(png, "IHDR", header);
    constexpr std::string_view made_by("Software\0Lanescope", 18);
    append_chunk(png, "tEXt", {reinterpret_cast<const uint8_t*>(made_by.data()), made_by.size()});
    append_chunk(png, "IDAT", deflated(rows));
    append_chunk(png, "IEND", {});
    return png;
}

Result<void> write_png(const std::string& path, int width, int height,
                       std::span<const uint8_t> rgba, OutputRules rules) {
    const Result<std::vector<uint8_t>> png = encode_png(width, height, rgba);
    rules.binary = true;
    return write_output_file(path, {reinterpret_cast<const char*>(png->data()), png->size()},
                             rules);
}

}  // namespace lanescope
