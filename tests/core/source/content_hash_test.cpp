#include "core/source/content_hash.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "tests/core/memory_file.h"

using namespace lanescope;

namespace {

// CRC-64/XZ, bit by bit.
std::string crc_of(std::string_view bytes) {
    uint64_t crc = ~uint64_t{0};
    for (const char c : bytes) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xC96C5795D7870F42U : crc >> 1;
    }
    return fmt::format("{:016x}", ~crc);
}

std::string hash_of(std::string_view bytes) {
    const testing::MemoryFile memory(bytes);
    const auto file = InputFile::open(memory.path());
    REQUIRE(file);
    const Result<std::string> hash = content_hash(**file);
    REQUIRE(hash);
    return *hash;
}

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

std::string bytes_of(std::size_t count) {
    std::string bytes;
    bytes.reserve(count);
    for (uint64_t i = 0; bytes.size() < count; ++i)
        bytes += static_cast<char>(i * i * 2'654'435'761U >> 24);
    return bytes;
}

}  // namespace

TEST_CASE("The hash of a small file is its CRC-64/XZ") {
    CHECK(crc_of("123456789") == "995dc9bbdf1939fa");
    CHECK(hash_of("123456789") == "995dc9bbdf1939fa");
    for (const std::size_t size :
         {std::size_t{1}, kMebibyte - 1, kMebibyte, kMebibyte + 1, 2 * kMebibyte}) {
        CAPTURE(size);
        const std::string bytes = bytes_of(size);
        CHECK(hash_of(bytes) == crc_of(bytes));
    }
}

TEST_CASE("The hash of a large file is that of its first and last MiB") {
    std::string bytes = bytes_of(3 * kMebibyte + 7);
    const std::string ends = bytes.substr(0, kMebibyte) + bytes.substr(bytes.size() - kMebibyte);
    const std::string hash = hash_of(bytes);
    CHECK(hash == crc_of(ends));
    bytes[kMebibyte] ^= 1;
    CHECK(hash_of(bytes) == hash);
    bytes[kMebibyte - 1] ^= 1;
    CHECK(hash_of(bytes) != hash);
    bytes[kMebibyte - 1] ^= 1;
    bytes.back() ^= 1;
    CHECK(hash_of(bytes) != hash);
}
