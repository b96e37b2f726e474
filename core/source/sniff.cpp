#include "core/source/sniff.h"

namespace lanescope {

namespace {

using namespace std::string_view_literals;

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

}  // namespace lanescope
