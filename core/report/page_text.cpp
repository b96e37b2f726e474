#include "core/report/page_text.h"

#include <isa-l/igzip_lib.h>

#include <cstdint>
#include <vector>

#include "core/export/pictures/svg_text.h"
#include "core/export/words/terminal_text.h"

namespace lanescope {

std::string html_escaped(std::string_view text) {
    return svg_escaped(printable(text));
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8U | (k < count ? static_cast<uint8_t>(bytes[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k)
            out += k <= count ? digits[group >> (18 - 6 * k) & 63U] : '=';
    }
    return out;
}

std::string gzipped(std::string_view bytes) {
    std::vector<uint8_t> level(ISAL_DEF_LVL3_DEFAULT);
    isal_zstream stream;
    isal_deflate_init(&stream);
    stream.level = 3;
    stream.level_buf = level.data();
    stream.level_buf_size = static_cast<uint32_t>(level.size());
    stream.gzip_flag = IGZIP_GZIP;
    stream.end_of_stream = 1;
    const auto* const text = reinterpret_cast<const uint8_t*>(bytes.data());
    stream.next_in = const_cast<uint8_t*>(text);  // isa-l only reads it
    stream.avail_in = static_cast<uint32_t>(bytes.size());
    std::string out;
    std::vector<char> piece(std::size_t{1} << 20);
    do {
        stream.next_out = reinterpret_cast<uint8_t*>(piece.data());
        stream.avail_out = static_cast<uint32_t>(piece.size());
        isal_deflate(&stream);  // cannot fail with valid buffers
        out.append(piece.data(), piece.size() - stream.avail_out);
    } while (stream.avail_out == 0);
    return out;
}

}  // namespace lanescope
