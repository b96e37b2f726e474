// Sources cut a text into blocks whose concatenation is the text, whoever asks for them.
#include "core/source/text_source.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <map>
#include <thread>

#include "core/ingest/json/json_scanner.h"
#include "core/source/compressed.h"
#include "tests/core/ingest/random_events.h"
#include "tests/core/memory_file.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

std::unique_ptr<TextSource> make_source(const MemoryFile& memory, bool is_gzip, std::size_t block) {
    auto file = InputFile::open(memory.path());
    REQUIRE(file);
    return is_gzip ? make_stream_source(make_gzip_decompressor(*file, nullptr), block, find_event)
                   : make_plain_source(*file, block, find_event);
}

// Blocks in order, read by several threads.
std::map<uint64_t, TextBlock> read_blocks(TextSource& source, unsigned threads) {
    std::mutex mutex;
    std::map<uint64_t, TextBlock> blocks;
    const auto work = [&] {
        for (;;) {
            TextBlock block;
            const Result<bool> more = source.next(block);
            if (!more || !*more) return;
            const std::scoped_lock lock(mutex);
            blocks[block.sequence] = std::move(block);
        }
    };
    std::vector<std::thread> workers;
    for (unsigned i = 1; i < threads; ++i) workers.emplace_back(work);
    work();
    for (std::thread& worker : workers) worker.join();
    return blocks;
}

}  // namespace

TEST_CASE("blocks make up the text, usually cut between events") {
    Random random(2);
    const std::string text = trace_text(random_events(random, 2000), Dialect::pretty);
    for (const bool is_gzip : {false, true}) {
        const MemoryFile memory(is_gzip ? gzip(text) : text);
        for (const std::size_t block : {64, 100, 1009, 65536, 1 << 20}) {
            const auto source = make_source(memory, is_gzip, block);
            const auto blocks = read_blocks(*source, 4);
            std::string joined;
            std::size_t at_events = 0;
            uint64_t next = 0;
            for (const auto& [sequence, b] : blocks) {
                REQUIRE(sequence == next++);
                REQUIRE(b.offset == joined.size());
                REQUIRE(b.begin <= b.end);
                REQUIRE(b.buffer.size() >= b.end + kTextPadding);
                REQUIRE(b.last == (sequence + 1 == blocks.size()));
                joined.append(b.data(), b.size());
                at_events += joined.ends_with("}") ? 1 : 0;
            }
            CAPTURE(is_gzip);
            CAPTURE(block);
            CHECK(joined == text);
            if (block == 1009) CHECK(at_events > blocks.size() / 2);
            CHECK_FALSE(source->end().truncated);
        }
    }
}

TEST_CASE("events longer than a block are carried over whole") {
    std::string text = "[";
    for (int i = 0; i < 20; ++i)
        text += R"({"ph": "X", "args": {"a": ")" + std::string(500, 'a') + R"("}}, )";
    text += "{}]";
    const MemoryFile memory(gzip(text));
    for (const std::size_t block_bytes : {1, 2, 64, 300}) {
        CAPTURE(block_bytes);
        const auto source = make_source(memory, true, block_bytes);
        std::string joined;
        TextBlock block;
        while (*source->next(block)) joined.append(block.data(), block.size());
        CHECK(joined == text);
    }
}

TEST_CASE("a file that shrinks is read to its new end, with a warning") {
    Random random(2);
    const std::string text = trace_text(random_events(random, 300), Dialect::object);
    const MemoryFile memory(text);
    const auto source = make_source(memory, false, 4096);
    TextBlock block;
    REQUIRE(*source->next(block));
    REQUIRE(ftruncate(memory.fd(), 10'000) == 0);
    std::size_t last_end = 0;
    for (Result<bool> more = true; more && *more; more = source->next(block)) {
        REQUIRE(block.begin <= block.end);
        if (block.size() > 0)
            last_end = std::max(last_end, static_cast<std::size_t>(block.offset) + block.size());
    }
    CHECK(last_end <= 10'000);
    CHECK(source->end().truncated);
}
