#include "core/source/sniff.h"

#include <doctest/doctest.h>

#include <string>

using namespace lanescope;
using namespace std::string_literals;

TEST_CASE("compression is recognised by the first bytes") {
    CHECK(sniff_compression("\x1f\x8b\x08"s) == Compression::gzip);
    CHECK(sniff_compression("\x28\xb5\x2f\xfd\x04"s) == Compression::zstd);
    CHECK(sniff_compression("\x28\xb5\x2f"s) == Compression::none);
    CHECK(sniff_compression("{}") == Compression::none);
    CHECK(sniff_compression("") == Compression::none);
    CHECK(compression_name(Compression::zstd) == "zstd");
}
