// A file that is cut at any byte yields every complete event before the cut, and reports where it
// ends.
#include <doctest/doctest.h>

#include "core/source/compressed.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/ingest/random_events.h"
#include "tests/core/trace_description.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

// Bytes between cuts. Sanitizers make loads several times slower, so they test every seventh cut.
#ifdef LANESCOPE_SANITIZED
constexpr std::size_t kCutStep = 7;
#else
constexpr std::size_t kCutStep = 1;
#endif

struct RandomTrace {
    std::string text;
    std::vector<std::size_t> ends;  // behind each event
};

RandomTrace random_trace(uint64_t seed, std::size_t count, Dialect dialect) {
    Random random(seed);
    RandomTrace source;
    const auto events = random_events(random, count);
    source.text = trace_text(events, dialect);
    std::size_t at = 0;
    for (const std::string& event : events) {
        at = source.text.find(event, at) + event.size();
        source.ends.push_back(at);
    }
    return source;
}

// A bare word ("null") is known to be complete only when something follows it.
std::size_t whole_events(const RandomTrace& source, std::size_t cut) {
    std::size_t whole = 0;
    while (whole < source.ends.size() && source.ends[whole] <= cut) ++whole;
    if (whole > 0 && source.ends[whole - 1] == cut && source.text[cut - 1] == 'l') --whole;
    return whole;
}

std::string decompressed(const std::string& bytes, bool gzip) {
    const MemoryFile memory(bytes);
    const auto file = InputFile::open(memory.path());
    REQUIRE(file);
    const auto decompressor =
        gzip ? make_gzip_decompressor(*file, nullptr) : make_zstd_decompressor(*file);
    std::string text(std::size_t{1} << 20, '\0');
    const Result<std::size_t> got = decompressor->read(text.data(), text.size());
    REQUIRE(got);
    text.resize(*got);
    return text;
}

void check_cut_compressed(bool is_gzip) {
    const RandomTrace source = random_trace(3, 40, Dialect::object);
    // A zstd block is decoded completely or not at all: use many small frames.
    std::string bytes;
    for (std::size_t at = 0; at < source.text.size() && !is_gzip; at += 150)
        bytes += zstd(source.text.substr(at, 150));
    if (is_gzip) bytes = gzip_members(source.text, 3);
    std::size_t longest = 0;
    for (std::size_t cut = 5; cut < bytes.size(); cut += kCutStep) {
        CAPTURE(cut);
        const std::string part = bytes.substr(0, cut);
        const std::string text = decompressed(part, is_gzip);
        REQUIRE(source.text.starts_with(text));
        REQUIRE(text.size() >= longest);  // more bytes never give less
        longest = text.size();
        const Result<TracePtr> trace = load_bytes(part, 2, 300);
        const std::size_t whole = whole_events(source, text.size());
        if (whole == 0) {
            REQUIRE_FALSE(trace);
            REQUIRE_FALSE(trace.error().text.empty());
            continue;
        }
        REQUIRE(trace);
        REQUIRE((*trace)->facts.events == whole);
        if (text.size() == source.text.size()) continue;
        const bool reported = warned(**trace, "truncated_file") + warned(**trace, "truncated") > 0;
        REQUIRE(reported);
        if (find_warning(**trace, "truncated_file"))
            REQUIRE(warned_at(**trace, "truncated_file") <= cut);
    }
    CHECK(longest + 200 > source.text.size());
}

}  // namespace

TEST_CASE("plain text cut at any byte yields its complete events") {
    for (const Dialect dialect : {Dialect::object, Dialect::pretty, Dialect::bare_list}) {
        const RandomTrace source = random_trace(8, 30, dialect);
        const std::size_t list_end = source.text.find(']', source.ends.back());
        for (std::size_t cut = 1; cut < source.text.size(); cut += kCutStep) {
            CAPTURE(cut);
            const Result<TracePtr> trace = load_bytes(source.text.substr(0, cut), 2, 200);
            const std::size_t whole = whole_events(source, cut);
            if (whole == 0) {
                REQUIRE_FALSE(trace);
                REQUIRE_FALSE(trace.error().text.empty());
                continue;
            }
            REQUIRE(trace);
            REQUIRE((*trace)->facts.events == whole);
            if (cut > list_end && dialect == Dialect::bare_list) continue;
            REQUIRE(warned(**trace, "truncated") == 1);
            const uint64_t position = warned_at(**trace, "truncated");
            REQUIRE(position <= cut);
            REQUIRE(position >= source.ends[whole - 1] -
                                    (source.text[source.ends[whole - 1] - 1] == 'l' ? 4 : 0));
        }
    }
}

TEST_CASE("a gzip file cut at any byte yields its complete events") {
    check_cut_compressed(true);
}

TEST_CASE("a zstd file cut at any byte yields its complete events") {
    check_cut_compressed(false);
}

TEST_CASE("damage inside a compressed file keeps what was before it") {
    const RandomTrace source = random_trace(4, 4000, Dialect::object);
    for (const bool is_gzip : {true, false}) {
        const std::string bytes = is_gzip ? gzip(source.text) : zstd(source.text);
        Random random(7);
        for (int i = 0; i < 30; ++i) {
            std::string damaged = bytes;
            const std::size_t at = damaged.size() / 2 + random() % (damaged.size() / 2);
            damaged[at] = static_cast<char>(damaged[at] ^ (1 + random() % 255));
            const Result<TracePtr> trace = load_bytes(damaged, 2, 5000);
            CAPTURE(is_gzip);
            CAPTURE(at);
            REQUIRE(trace);
            // A quarter of the file precedes any damage.
            CHECK((*trace)->facts.events > source.ends.size() / 4);
            CHECK(warned(**trace, "truncated_file") == 1);
        }
    }
}

TEST_CASE("no event is lost or read twice when another's text is damaged") {
    const RandomTrace source = random_trace(9, 120, Dialect::object);
    for (uint64_t seed = 0; seed < 300; ++seed) {
        Random random(seed);
        std::string text = source.text;
        for (uint64_t n = random() % 4; n + 1 > 0 && n < 4; --n)
            text[random() % text.size()] = static_cast<char>(random() % 256);
        const Result<TracePtr> whole = load_bytes(text, 1, std::size_t{1} << 20);
        const Result<TracePtr> pieces = load_bytes(text, 4, 256);
        CAPTURE(seed);
        REQUIRE(static_cast<bool>(whole) == static_cast<bool>(pieces));
        if (!whole) continue;
        REQUIRE(first_difference(describe(**whole), describe(**pieces)) == "");
        if ((*whole)->facts.events < source.ends.size()) REQUIRE_FALSE((*whole)->warnings.empty());
    }
}
