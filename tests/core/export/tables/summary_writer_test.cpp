#include "core/export/tables/summary_writer.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>

#include "core/export/words/terminal_text.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

}  // namespace

TEST_CASE("the summary of any trace fits on a screen and agrees with its JSON") {
    for (const std::string& name : testing::traces_of_slow_tests(0)) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) continue;
        const TraceContext context(trace);
        const Summary summary = summarise(context, {});
        const std::string text = summary_as_text(context, summary);
        const std::vector<std::string> lines = lines_of(text);
        CHECK(lines.size() <= 43);
        for (const std::string& line : lines) {
            CAPTURE(line);
            CHECK(terminal_width(line) <= 100);
            CHECK(!line.ends_with(' '));
        }
        const auto json = nlohmann::json::parse(summary_as_json(context, summary));
        REQUIRE(json["story"].size() == summary.story.size());
        const Table table = summary_table(context, summary);
        for (std::size_t i = 0; i < summary.story.size(); ++i) {
            CHECK(json["story"][i].get<std::string>() ==
                  std::get<std::string_view>(table.cell(i, 1)));
            CHECK(json["story"][i].get<std::string>().ends_with('.'));
        }
        for (const auto& device : json["devices"])
            CHECK(device["busy_ns"].get<Nanos>() + device["idle_ns"].get<Nanos>() ==
                  device["span_ns"].get<Nanos>());
    }
}

TEST_CASE("an empty summary has every key and no unknown numbers") {
    const TraceContext context(std::make_shared<Trace>());
    const Summary summary = summarise(context, {});
    const auto json = nlohmann::json::parse(summary_as_json(context, summary));
    for (const char* key :
         {"story", "format", "producer", "synthetic", "events", "duration_ns", "range", "steps",
          "devices", "collectives", "kernels", "operators", "memory", "lanes", "warnings"}) {
        CAPTURE(key);
        CHECK(json.contains(key));
    }
    CHECK(json["steps"]["median_ns"].is_null());
    CHECK(json["steps"]["source"].is_null());
    CHECK(json["devices"] == nlohmann::json::array());
    CHECK(summary_as_text(context, summary).find("no GPU work") != std::string::npos);
}

TEST_CASE("the summary names the GPU that the trace uses, of all that the file lists") {
    const TraceContext context(testing::loaded(R"({"deviceProperties": [
        {"id": 0, "name": "First GPU"}, {"id": 1, "name": "Second GPU"}], "traceEvents": [
        {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 0, "dur": 9,
         "args": {"device": 0, "stream": 7, "correlation": 1}}]})"));
    const std::string text = summary_as_text(context, summarise(context, {}));
    CHECK(text.find("(First GPU)") != std::string::npos);
    CHECK(text.find("Second") == std::string::npos);
}

// "376.3 ms in 146 calls, 376.3 ms of it", "3 ms of its 3 ms", "in 60 of 60 gaps", "15 calls, 3 ms;
// most with [[4]] (15 calls)".
TEST_CASE("no sentence repeats a figure as a part of itself") {
    const std::regex part(
        R"(((?:\d[\d.]* )+(?:ns|µs|ms|s|KiB|MiB|B))\b[^;.:(]*(?: of (?:it|its)\b[^;.:(]*|, )\1 of it)");
    const std::regex whole(R"(((?:\d[\d.]* )+(?:ns|µs|ms|s)) of (?:it|its|the) \1)");
    const std::regex count(R"(\b(\d[\d ]*) of \1 (?:gaps?|calls?|steps?))");
    const std::regex shapes(R"(: ((?:\d+ )+calls?), .*\(\1\)\.$)");
    CHECK(std::regex_search("376.3 ms in 146 calls, 376.3 ms of it, by copies", part));
    CHECK(std::regex_search("3.598 ms of its 3.598 ms of idle time", whole));
    CHECK(std::regex_search("in 60 of 60 gaps", count));
    CHECK(std::regex_search("mm: 83 calls, 3 ms; most with [[4]] (83 calls).", shapes));
    for (const std::string& name : testing::traces_of_slow_tests(0)) {
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) continue;
        CAPTURE(name);
        const TraceContext context(trace);
        const Table table = summary_table(context, summarise(context, {}));
        for (std::size_t row = 0; row < table.row_count(); ++row) {
            const std::string text(std::get<std::string_view>(table.cell(row, 1)));
            CAPTURE(text);
            for (const std::regex* const repetition : {&part, &whole, &count, &shapes})
                CHECK_FALSE(std::regex_search(text, *repetition));
        }
    }
}

TEST_CASE("waits for one cause alone are named once") {
    const auto story_of_waits = [](uint64_t calls, Nanos total, uint64_t largest_calls,
                                   Nanos largest) {
        Summary summary;
        const TraceContext context(std::make_shared<Trace>());
        summary.waits.calls = calls;
        summary.waits.calls_total = total;
        summary.waits.largest_calls = largest_calls;
        summary.waits.largest = largest;
        summary.waits.cause = SyncCause::copy;
        summary.story.push_back({StoryKind::waits, 0, 0});
        const Table table = summary_table(context, summary);
        std::string waiting;
        for (std::size_t row = 0; row < table.row_count(); ++row)
            if (std::get<std::string_view>(table.cell(row, 0)) == "waiting")
                waiting = std::get<std::string_view>(table.cell(row, 1));
        return std::pair(std::string(std::get<std::string_view>(table.cell(0, 1))), waiting);
    };
    using Texts = std::pair<std::string, std::string>;
    CHECK(story_of_waits(2, 9000, 2, 9000) ==
          Texts{"The host spends 9 µs in 2 calls that wait for the GPU, for copies.",
                "2 calls wait for the GPU, 9 µs of host time; for copies."});
    CHECK(story_of_waits(3, 9'000'001, 2, 9'000'000) ==
          Texts{"The host spends 9 ms in 3 calls that wait for the GPU, for copies.",
                "3 calls wait for the GPU, 9 ms of host time; nearly all of it for copies."});
    CHECK(story_of_waits(3, 9000, 1, 5000) ==
          Texts{"The host spends 9 µs in 3 calls that wait for the GPU, 5 µs of it for a copy.",
                "3 calls wait for the GPU, 9 µs of host time; 5 µs of it for a copy (1 call)."});
}

TEST_CASE("as many waiting calls as waiting copies have a longest") {
    Summary summary;
    const TraceContext context(std::make_shared<Trace>());
    const auto most_of = [&](uint64_t calls, uint64_t copies) {
        summary.waits.calls = calls;
        summary.waits.copies = copies;
        return nlohmann::json::parse(summary_as_json(context, summary))["synchronisations"]["most"];
    };
    CHECK(most_of(0, 0).is_null());
    CHECK(most_of(1, 0).is_object());
    CHECK(most_of(0, 1).is_object());
    CHECK(most_of(2, 2).is_object());
}

TEST_CASE("no line break separates a number from its unit") {
    for (const std::string& name :
         testing::traces_here({"synthetic_step.json.gz", "torch/h100_bert_small.json.gz"})) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        const TraceContext context(trace);
        const Summary summary = summarise(context, {});
        for (const int width : {60, 80, 100, 133}) {
            const std::string text = summary_as_text(context, summary, {width, false});
            CHECK(text.find("\u00a0") == std::string::npos);
            for (const std::string& line : lines_of(text)) {
                const std::string start =
                    line.substr(std::min(line.size(), line.find_first_not_of(' ')));
                for (const char* unit : {"µs", "ms", "%", "MiB"}) {
                    CAPTURE(line);
                    CHECK(!start.starts_with(unit));
                }
            }
        }
    }
}

}  // namespace lanescope
