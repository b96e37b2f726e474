#include "core/export/summary_writer.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "core/export/terminal_text.h"
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
