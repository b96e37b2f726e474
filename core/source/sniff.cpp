#include "core/source/sniff.h"

#include <algorithm>

namespace lanescope {

namespace {

using namespace std::string_view_literals;

bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool mostly_text(std::string_view bytes) {
    const auto control = std::count_if(bytes.begin(), bytes.end(), [](char c) {
        return static_cast<unsigned char>(c) < 32 && !is_space(c);
    });
    return control * 50 <= static_cast<std::ptrdiff_t>(bytes.size());
}

}  // namespace

std::string_view compression_name(Compression c) {
    switch (c) {
        case Compression::gzip:
            return "gzip";
        case Compression::zstd:
            return "zstd";
        case Compression::none:
            break;
    }
    return "none";
}

Compression sniff_compression(std::string_view first_bytes) {
    if (first_bytes.starts_with("\x1f\x8b"sv)) return Compression::gzip;
    if (first_bytes.starts_with("\x28\xb5\x2f\xfd"sv)) return Compression::zstd;
    return Compression::none;
}

SniffedFormat sniff_format(std::string_view bytes) {
    if (bytes.starts_with("SQLite format 3\0"sv))
        return {false, "an SQLite database (as Nsight Systems, rocpd and rpd write)"};
    if (bytes.starts_with("\x89LSPOOL\n"sv))
        return {false, "a compressed spool file (unpack it first)"};
    if (bytes.starts_with("PK\x03\x04"sv)) return {false, "a zip archive"};
    if (bytes.starts_with("\x7f\x45LF"sv)) return {false, "a program"};
    if (sniff_compression(bytes) != Compression::none) return {false, "a file compressed twice"};
    if (bytes.starts_with("\xef\xbb\xbf"sv)) bytes.remove_prefix(3);
    const auto* text = std::find_if_not(bytes.begin(), bytes.end(), is_space);
    if (text != bytes.end() && (*text == '{' || *text == '[')) return {true, "json"};
    const bool is_text = mostly_text(bytes.substr(0, 512));
    if (bytes.starts_with('\n') && !is_text)
        return {false, "a protobuf file (a Perfetto trace or an XSpace profile)"};
    if (is_text) return {false, "a text file that is not JSON"};
    return {false, "a binary file of a format not known here"};
}

}  // namespace lanescope
