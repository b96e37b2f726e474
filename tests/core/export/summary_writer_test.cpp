#include "core/export/summary_writer.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "core/export/terminal_text.h"
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
    for (const std::string& name : testing::torch_traces_and_samples()) {
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
