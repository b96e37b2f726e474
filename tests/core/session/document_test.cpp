#include "core/session/document.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/trace/query.h"

using namespace lanescope;

namespace {

const std::string kSample = LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz";

void wait_until_loaded(const Document& document) {
    for (int i = 0; i < 3000 && document.loading(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    REQUIRE(!document.loading());
}

}  // namespace

TEST_CASE("A document loads in the background and wakes the window") {
    std::atomic<int> wakes = 0;
    const auto document = Document::open(kSample, [&] { ++wakes; });
    wait_until_loaded(*document);
    CHECK(wakes >= 1);
    CHECK(!document->error());
    REQUIRE(document->trace());
    CHECK(document->trace()->slice_count() > 0);
    const DocumentProgress progress = document->progress();
    CHECK(progress.bytes_total > 0);
    CHECK(progress.seconds > 0);
}

TEST_CASE("A document reads the arguments of one event back") {
    const auto document = Document::open(kSample, [] {});
    wait_until_loaded(*document);
    const TracePtr trace = document->trace();
    REQUIRE(trace);
    REQUIRE(!trace->gpu_activities.slice.empty());
    const SliceRef kernel = trace->gpu_activities.slice[0];
    const auto [chunk, i] = trace->lanes[kernel.lane].locate(kernel.index);
    const auto arguments = document->arguments(chunk->source[i]);
    REQUIRE(arguments);
    bool has_correlation = false;
    for (const Argument& argument : *arguments) {
        if (argument.name == "correlation")
            has_correlation =
                argument.value == std::to_string(trace->gpu_activities.correlation[0]);
    }
    CHECK(has_correlation);
}

TEST_CASE("A missing file is an error, and so are its arguments") {
    const auto document = Document::open("/nowhere/at/all.json", [] {});
    wait_until_loaded(*document);
    REQUIRE(document->error());
    CHECK(document->error()->text.find("/nowhere/at/all.json") != std::string::npos);
    CHECK(!document->trace());
    CHECK(!document->arguments(0));
}

TEST_CASE("A document that is closed while it loads calls nobody afterwards") {
    std::atomic<bool> is_open = true;
    std::atomic<int> late_calls = 0;
    for (int i = 0; i < 20; ++i) {
        is_open = true;
        auto document = Document::open(kSample, [&] { late_calls += !is_open; });
        if (i % 2) document->cancel();
        document.reset();
        is_open = false;
        std::this_thread::yield();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(late_calls == 0);
}

TEST_CASE("Several files are read one by one and shown as one trace") {
    const std::string other =
        LANESCOPE_ROOT "/assets/samples/torch_cpu/transformer_train_shapes_memory_flops.json.gz";
    std::vector<PartToOpen> files;
    for (const std::string& path : {kSample, std::string("/nowhere/at/all.json"), other})
        files.push_back({path, nullptr, std::nullopt});
    const auto document = Document::open(files, {}, [] {});
    wait_until_loaded(*document);
    CHECK(!document->error());
    REQUIRE(document->problems().size() == 1);
    CHECK(document->problems()[0].path == "/nowhere/at/all.json");
    const JoinedTrace joined = document->joined();
    REQUIRE(joined.parts.size() == 2);
    CHECK(joined.whole == document->trace());
    CHECK(joined.parts[0]->path == kSample);
    CHECK(joined.parts[1]->path == other);
    // Arguments come from the file of their part.
    for (uint32_t part = 0; part < 2; ++part) {
        const auto alone = Document::open(joined.parts[part]->path, [] {});
        wait_until_loaded(*alone);
        const Trace& trace = *alone->trace();
        const LaneId first = joined.whole->parts[part].first_lane;
        for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
            if (trace.lanes[lane].slice_count == 0) continue;
            const uint64_t source = trace.lanes[lane].chunks[0]->source[0];
            REQUIRE(joined.whole->lanes[first + lane].chunks[0]->source[0] == source);
            const auto expected = alone->arguments(source);
            const auto read = document->arguments(source, part);
            REQUIRE(expected);
            REQUIRE(read);
            REQUIRE(read->size() == expected->size());
            for (std::size_t i = 0; i < read->size(); ++i)
                CHECK((*read)[i].value == (*expected)[i].value);
        }
    }

    // Moved without being read again; one more is placed beside the first.
    std::vector<PartToOpen> moved = {{kSample, joined.parts[0], 100},
                                     {other, joined.parts[1], 7000},
                                     {kSample, nullptr, std::nullopt}};
    const auto again = Document::open(moved, {AlignBy::by_hand, 0, {}}, [] {});
    wait_until_loaded(*again);
    REQUIRE(again->joined().parts.size() == 3);
    CHECK(shift_of(*again->joined().parts[0]) == 100);
    CHECK(shift_of(*again->joined().parts[1]) == 7000);
    CHECK(shift_of(*again->joined().parts[2]) == 100);
    CHECK(again->aligned_by() == AlignBy::by_hand);
}

TEST_CASE("Files that cannot be aligned as requested get the best other alignment and a notice") {
    std::vector<PartToOpen> files(2, PartToOpen{kSample, nullptr, std::nullopt});
    const auto document = Document::open(files, {AlignBy::step, 12345, {}}, [] {});
    wait_until_loaded(*document);
    REQUIRE(document->joined().parts.size() == 2);
    REQUIRE(document->alignment_problem());
    CHECK(document->alignment_problem()->text.find("12345") != std::string::npos);
    CHECK(document->aligned_by() != AlignBy::step);
}

TEST_CASE("If none of several files can be read, the result is an error") {
    std::vector<PartToOpen> files(2, PartToOpen{"/nowhere/at/all.json", nullptr, std::nullopt});
    const auto document = Document::open(files, {}, [] {});
    wait_until_loaded(*document);
    REQUIRE(document->error());
    CHECK(!document->trace());
}
