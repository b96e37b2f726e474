// Decompressors, and random access to a text.
#include "core/source/compressed.h"

#include <doctest/doctest.h>

#include "tests/core/ingest/random_events.h"
#include "tests/core/memory_file.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

std::shared_ptr<InputFile> opened(const MemoryFile& memory) {
    auto file = InputFile::open(memory.path());
    REQUIRE(file);
    return *file;
}

// Text that is not trivially compressible.
std::string random_text(std::size_t bytes) {
    Random random(bytes);
    std::string text;
    while (text.size() < bytes)
        text += random() % 3 ? std::to_string(random()) : R"({"ph": "X", "name": "aten::mm"})";
    text.resize(bytes);
    return text;
}

std::string read_all(Decompressor& decompressor, std::size_t step) {
    std::string text;
    std::string piece(step, '\0');
    for (;;) {
        const Result<std::size_t> got = decompressor.read(piece.data(), step);
        REQUIRE(got);
        text.append(piece, 0, *got);
        if (*got < step) return text;
    }
}

}  // namespace

TEST_CASE("the whole text is returned, in steps of any size") {
    const std::string text = random_text(300'000);
    for (const bool is_gzip : {true, false}) {
        const std::vector<std::string> files = {
            is_gzip ? gzip(text) : zstd(text),
            is_gzip ? gzip_members(text, 40) : zstd(text.substr(0, 9)) + zstd(text.substr(9))};
        for (const std::string& bytes : files) {
            const MemoryFile memory(bytes);
            for (const std::size_t step :
                 {std::size_t{1} << 20, std::size_t{4096}, std::size_t{77}}) {
                auto decompressor = is_gzip ? make_gzip_decompressor(opened(memory), nullptr)
                                            : make_zstd_decompressor(opened(memory));
                CAPTURE(is_gzip);
                CAPTURE(step);
                CHECK(read_all(*decompressor, step) == text);
                CHECK_FALSE(decompressor->end().truncated);
                CHECK(decompressor->file_bytes_done() == bytes.size());
            }
        }
    }
}

TEST_CASE("other data after the last stream is reported with its position") {
    const std::string text = random_text(5000);
    const std::string bytes = gzip(text);
    const MemoryFile memory(bytes + "garbage");
    auto decompressor = make_gzip_decompressor(opened(memory), nullptr);
    CHECK(read_all(*decompressor, 1 << 16) == text);
    CHECK(decompressor->end().truncated);
    CHECK(decompressor->end().file_offset == bytes.size());
}

TEST_CASE("any position can be read again, from restart points where they exist") {
    const std::string text = random_text(50'000'000);
    for (const std::size_t members : {std::size_t{1}, std::size_t{3000}}) {
        const MemoryFile memory(gzip_members(text, members));
        const auto file = opened(memory);
        auto index = std::make_shared<GzipIndex>();
        auto decompressor = make_gzip_decompressor(file, index);
        read_all(*decompressor, 1 << 20);
        CAPTURE(members);
        REQUIRE(index->points.size() == 2);
        const TextReader reader(file, Compression::gzip, index);
        for (const std::size_t offset :
             {std::size_t{0}, std::size_t{16} << 20, text.size() - 50,
              static_cast<std::size_t>(index->points[1].text_offset),
              static_cast<std::size_t>(index->points[0].text_offset) - 1}) {
            const Result<std::string> got = reader.read(offset, 100);
            REQUIRE(got);
            CHECK(*got == text.substr(offset, 100));
        }
        CHECK(reader.read(text.size() + 10, 5)->empty());
    }
    const MemoryFile memory(zstd(text.substr(0, 2'000'000)));
    const TextReader reader(opened(memory), Compression::zstd, nullptr);
    CHECK(*reader.read(1'234'567, 80) == text.substr(1'234'567, 80));
    const MemoryFile plain(text.substr(0, 1000));
    CHECK(*TextReader(opened(plain), Compression::none, nullptr).read(990, 80) ==
          text.substr(990, 10));
}
