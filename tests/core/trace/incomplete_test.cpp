#include "core/trace/incomplete.h"

#include <doctest/doctest.h>

#include <string>

#include "core/ingest/load.h"
#include "tests/core/temporary_file.h"

using namespace lanescope;
using lanescope::testing::TemporaryFile;

namespace {

const std::string kEvent = R"({"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2})";

std::optional<Incomplete> incomplete_text(const std::string& text) {
    const TemporaryFile file(text);
    const auto trace = load_trace(file.path(), {});
    REQUIRE(trace);
    return incomplete_of(**trace);
}

}  // namespace

TEST_CASE("A complete file is not incomplete") {
    CHECK(!incomplete_text(R"({"traceEvents": [)" + kEvent + "]}"));
    CHECK(!incomplete_text("[" + kEvent + "]"));
}

TEST_CASE("A file that ends in the middle of an event is truncated there") {
    const std::string read = R"({"traceEvents": [)" + kEvent + ", ";
    const auto incomplete = incomplete_text(read + kEvent.substr(0, 20));
    REQUIRE(incomplete);
    CHECK(incomplete->kind == IncompleteKind::truncated);
    CHECK(incomplete->events_read == 1);
    CHECK(incomplete->byte_offset >= read.size() - 2);
    CHECK(incomplete->byte_offset <= read.size() + 20);
    CHECK(!incomplete->has_gpu_work);
    CHECK(incomplete_kind_name(incomplete->kind) == "truncated");
}

TEST_CASE("A file with text that is no event is damaged, and its other events are kept") {
    const std::string begin = R"({"traceEvents": [)" + kEvent + ", ";
    const auto incomplete = incomplete_text(begin + "{\"ph\": X \"ts\" 5}, " + kEvent + "]}");
    REQUIRE(incomplete);
    CHECK(incomplete->kind == IncompleteKind::damaged);
    CHECK(incomplete->places == 1);
    CHECK(incomplete->events_read == 2);
    CHECK(incomplete->byte_offset == begin.size());
}

TEST_CASE("What is missing is said in one sentence, without guesses") {
    Incomplete incomplete{IncompleteKind::truncated, 4711, 1, 765, false};
    CHECK(incomplete_sentence(incomplete) ==
          "This file is cut off at byte 4711, after 765 events. What followed, perhaps GPU "
          "work, is missing.");
    incomplete.has_gpu_work = true;
    incomplete.byte_offset = Error::no_offset;
    incomplete.events_read = 1;
    CHECK(incomplete_sentence(incomplete) ==
          "This file is cut off, after 1 event. What followed is missing.");
    incomplete = {IncompleteKind::damaged, 12, 1, 9, false};
    CHECK(incomplete_sentence(incomplete) ==
          "A part of this file at byte 12 could not be read; 9 events were kept.");
    incomplete.places = 3;
    CHECK(incomplete_sentence(incomplete) ==
          "3 parts of this file could not be read, the first at byte 12; 9 events were kept.");
}
