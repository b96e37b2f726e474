#include "core/ingest/memory_limit.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "core/base/format.h"
#include "core/ingest/load.h"
#include "tests/core/ingest/spall_file.h"
#include "tests/core/memory_file.h"
#include "tests/core/trace_description.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

// Operators with 50 names, one after another.
std::string json_of(int events) {
    std::string text = R"({"traceEvents":[)";
    for (int i = 0; i < events; ++i)
        text += fmt::format(
            R"({}{{"ph":"X","cat":"cpu_op","name":"op{}","pid":1,"tid":1,"ts":{},"dur":1}})",
            i ? ",\n" : "", i % 50, i);
    return text + "]}";
}

std::string spall_of(int events) {
    SpallFile file;
    for (int i = 0; i < events; ++i) {
        file.begin(1, 1, 2 * i, fmt::format("work {}", i % 50));
        file.end(1, 1, 2 * i + 1);
    }
    return file.bytes();
}

// The least memory of a load with one worker, in bytes.
uint64_t need_of_nothing() {
    return memory_need(TraceBuilder(), 1).peak;
}

Result<TracePtr> load_within(const MemoryFile& file, uint64_t limit, LoadProgress& progress) {
    LoadOptions options;
    options.workers = 1;
    options.block_bytes = std::size_t{64} << 10;
    options.memory_bytes = limit;
    options.progress = &progress;
    return load_trace(file.path(), options);
}

}  // namespace

TEST_CASE("A limit that is high enough changes nothing") {
    const MemoryFile file(json_of(1000));
    LoadProgress progress;
    const auto free = load_within(file, 0, progress);
    const auto limited = load_within(file, need_of_nothing() + (uint64_t{1} << 20), progress);
    REQUIRE(free);
    REQUIRE(limited);
    CHECK(describe(**free) == describe(**limited));
    CHECK(progress.bytes_held > 1000 * 30);
    CHECK(progress.bytes_held < 1000 * 120);
}

TEST_CASE("A limit below the need of any file refuses before the file is read") {
    const MemoryFile file(json_of(10));
    LoadProgress progress;
    const auto refused = load_within(file, 900, progress);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::no_memory);
    CHECK(refused.error().text.ends_with(
        fmt::format("needs more than the memory limit of 900 B; at least {} are needed",
                    format_bytes(static_cast<int64_t>(need_of_nothing())))));
    CHECK(progress.events == 0);
}

TEST_CASE("A load ends where it would exceed its limit, and says what the file needs") {
    for (const std::string& bytes : {json_of(200'000), spall_of(200'000)}) {
        const MemoryFile file(bytes);
        LoadProgress progress;
        const uint64_t limit = need_of_nothing() + (uint64_t{2} << 20);
        const auto refused = load_within(file, limit, progress);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::no_memory);
        CHECK(refused.error().text.find("of the file, so all of it needs about") !=
              std::string::npos);
        // Two MiB are those of some 20,000 slices.
        CHECK(progress.events > 2'000);
        CHECK(progress.events < 60'000);
    }
}

TEST_CASE("What earlier files of one limit hold counts") {
    const MemoryFile file(json_of(1000));
    LoadOptions options;
    options.workers = 1;
    options.memory_bytes = need_of_nothing() + (uint64_t{1} << 20);
    CHECK(load_trace(file.path(), options));
    options.memory_held = uint64_t{1} << 20;
    const auto refused = load_trace(file.path(), options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::no_memory);
}

TEST_CASE("The need grows with texts, counters and side tables, not only with slices") {
    const auto held = [](const std::string& event) {
        std::string text = "[";
        for (int i = 0; i < 20'000; ++i)
            text += (i ? "," : "") + fmt::format(fmt::runtime(event), i);
        const MemoryFile file(text + "]");
        LoadProgress progress;
        REQUIRE(load_within(file, 0, progress));
        return progress.bytes_held.load();
    };
    const uint64_t plain =
        held(R"({{"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":{0},"dur":1}})");
    CHECK(plain > 20'000 * 30);
    CHECK(
        held(
            R"({{"ph":"X","cat":"cpu_op","name":"a long name {0}","pid":1,"tid":1,"ts":{0},"dur":1}})") >
        plain + 20'000 * 14);
    CHECK(
        held(
            R"({{"ph":"X","cat":"kernel","name":"op","pid":1,"tid":1,"ts":{0},"dur":1,"args":{{"correlation":{0}}}}})") >
        plain + 20'000 * 8);
    CHECK(held(R"({{"ph":"C","name":"curve","pid":1,"tid":1,"ts":{0},"args":{{"v":{0}}}}})") >
          20'000 * 16);
}
