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

TEST_CASE("A file that is not there is an error, and its arguments too") {
    const auto document = Document::open("/nowhere/at/all.json", [] {});
    wait_until_loaded(*document);
    REQUIRE(document->error());
    CHECK(document->error()->text.find("/nowhere/at/all.json") != std::string::npos);
    CHECK(!document->trace());
    CHECK(!document->arguments(0));
}

TEST_CASE("Closing a document while it loads does not wait for the whole of it, nor crash") {
    for (int i = 0; i < 20; ++i) {
        const auto document = Document::open(kSample, [] {});
        if (i % 2) document->cancel();
    }
}
