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

TEST_CASE("JSON is recognised by its first letter") {
    CHECK(sniff_format("{\"traceEvents\"").json);
    CHECK(sniff_format(" \r\n\t[").json);
    CHECK(sniff_format("\xef\xbb\xbf{").json);
    CHECK_FALSE(sniff_format("\"text\"").json);
    CHECK_FALSE(sniff_format("").json);
    CHECK_FALSE(sniff_format("  ").json);
}

TEST_CASE("other formats are named") {
    CHECK(sniff_format("SQLite format 3\0 "s).name.find("SQLite") != std::string::npos);
    CHECK(sniff_format("PK\x03\x04rest"s).name == "a zip archive");
    CHECK(sniff_format("\x7f\x45LF\x02"s).name == "a program");
    CHECK(sniff_format("\x1f\x8b\x08"s).name == "a file compressed twice");
    CHECK(sniff_format("\x0a\x90\x01\x00\x00\x02\x03\x04"s).name.find("protobuf") !=
          std::string::npos);
    CHECK(sniff_format("name,time\n1,2\n").name == "a text file that is not JSON");
    CHECK(sniff_format("\nname,time\n").name == "a text file that is not JSON");
    CHECK(sniff_format(std::string(64, '\x01')).name == "a binary file of a format not known here");
}
