// The same events give the same trace, however the text is cut, compressed, ordered and
// distributed.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "core/ingest/load.h"
#include "tests/core/ingest/random_events.h"
#include "tests/core/memory_file.h"
#include "tests/core/real_traces.h"
#include "tests/core/trace_description.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

std::string describe_file(const std::string& path, unsigned workers, std::size_t block_bytes,
                          DescribedOrder order = DescribedOrder::file) {
    LoadOptions options;
    options.workers = workers;
    options.block_bytes = block_bytes;
    const Result<TracePtr> trace = load_trace(path, options);
    return trace ? describe(**trace, order) : "error: " + trace.error().text;
}

std::string describe_text(std::string_view bytes, unsigned workers = 1,
                          std::size_t block_bytes = std::size_t{1} << 20,
                          DescribedOrder order = DescribedOrder::file) {
    return describe_file(MemoryFile(bytes).path(), workers, block_bytes, order);
}

constexpr std::size_t kBlocks[] = {64, 65, 97, 127, 256, 300, 1009, 4096, 65537};

}  // namespace

TEST_CASE("the trace does not depend on block sizes or the number of workers") {
    for (int seed = 0; seed < 6; ++seed) {
        Random random(static_cast<uint64_t>(seed));
        const auto events = random_events(random, 60 + static_cast<std::size_t>(seed) * 20);
        for (const Dialect dialect : kDialects) {
            const std::string text = trace_text(events, dialect);
            const std::string whole = describe_text(text);
            REQUIRE(whole.find("slice ") != std::string::npos);
            for (const std::size_t block : kBlocks) {
                const unsigned workers = 1 + static_cast<unsigned>(random() % 8);
                CAPTURE(seed);
                CAPTURE(block);
                CAPTURE(workers);
                CHECK(first_difference(whole, describe_text(text, workers, block)) == "");
            }
        }
    }
}

TEST_CASE("a block may end at any byte") {
    Random random(11);
    const std::string text = trace_text(random_events(random, 8), Dialect::pretty);
    const std::string whole = describe_text(text);
    for (std::size_t block = 64; block < text.size() + 2; block += 1 + random() % 3) {
        CAPTURE(block);
        CHECK(first_difference(whole, describe_text(text, 2, block)) == "");
    }
}

TEST_CASE("compression changes nothing") {
    Random random(5);
    const std::string text = trace_text(random_events(random, 300), Dialect::object);
    const std::string whole = describe_text(text);
    for (const std::size_t block : {std::size_t{64}, std::size_t{509}, std::size_t{1} << 20}) {
        CAPTURE(block);
        CHECK(first_difference(whole, describe_text(gzip(text), 2, block)) == "");
        CHECK(first_difference(whole, describe_text(gzip_members(text, 7), 2, block)) == "");
        CHECK(first_difference(whole, describe_text(zstd(text), 2, block)) == "");
        CHECK(first_difference(
                  whole, describe_text(zstd(text.substr(0, 4000)) + zstd(text.substr(4000)), 2,
                                       block)) == "");
        // Zeros after the last stream are padding.
        CHECK(first_difference(whole,
                               describe_text(gzip(text) + std::string(700, '\0'), 2, block)) == "");
    }
}

TEST_CASE("the order of events does not change the trace") {
    for (uint64_t seed = 20; seed < 60; ++seed) {
        Random random(seed);
        auto events = random_events(random, 50 + random() % 400);
        const std::string before =
            describe_text(trace_text(events, Dialect::object), 1, 1 << 20, DescribedOrder::any);
        switch (seed % 4) {
            case 0:
                std::reverse(events.begin(), events.end());
                break;
            case 1:
                std::rotate(events.begin(), events.begin() + events.size() / 3, events.end());
                break;
            default:
                std::shuffle(events.begin(), events.end(), random);
        }
        const std::string text = trace_text(events, Dialect::object);
        const std::size_t block = kBlocks[random() % std::size(kBlocks)];
        const unsigned workers = 1 + static_cast<unsigned>(random() % 8);
        const std::string after =
            describe_text(random() % 3 ? text : gzip(text), workers, block, DescribedOrder::any);
        CAPTURE(seed);
        CAPTURE(block);
        CAPTURE(workers);
        CHECK(first_difference(before, after) == "");
    }
}

TEST_CASE("memory events are in order of time") {
    const std::string text =
        R"([{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":9,"args":{"Addr":1,"Bytes":3}},)"
        R"({"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":2,"args":{"Addr":2,"Bytes":4}}])";
    const Result<TracePtr> trace = load_trace(MemoryFile(text).path());
    REQUIRE(trace);
    const MemoryEvents& memory = (*trace)->memory_events;
    REQUIRE(memory.time.size() == 2);
    CHECK(memory.time[0] == 2000);
    CHECK(memory.bytes[0] == 4);
    CHECK(memory.address[1] == 1);
}

TEST_CASE("samples give the same trace by every way of loading") {
    const std::filesystem::path root = LANESCOPE_ROOT;
    for (const char* name : {"synthetic_step.json.gz", "torch_cpu/threads_jit.json.gz"}) {
        const std::string path = (root / "assets/samples" / name).string();
        const std::string whole = describe_file(path, 1, std::size_t{1} << 20);
        CAPTURE(name);
        CHECK(first_difference(whole, describe_file(path, 4, 5003)) == "");
        CHECK(first_difference(whole, describe_file(path, 3, 70001)) == "");
    }
}

TEST_CASE("real traces give the same trace by every way of loading") {
    for (const std::string& name :
         traces_here({"torch_cpu/transformer_train_shapes_memory_flops.json.gz",
                      "torch/a100_train_before.json.gz", "torch/v100_memory_nccl.json.gz"})) {
        const std::string path = real_trace(name);
        REQUIRE(!path.empty());
        CAPTURE(name);
        CHECK(first_difference(describe_file(path, 1, std::size_t{1} << 22),
                               describe_file(path, 4, 30011)) == "");
    }
}
