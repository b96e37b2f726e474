#include "core/export/tables/facts_writer.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/export/tables/table_writer.h"

namespace lanescope {

namespace {

Trace sample_trace() {
    Trace trace;
    trace.path = "some.json";
    trace.facts.format = "kineto-json";
    trace.facts.producer = "PyTorch profiler";
    trace.facts.events = 3;
    trace.facts.phases = {{"X", 2}, {"", 1}};
    trace.facts.complete_by_category = {{"kernel", 2}};
    trace.facts.duration_ns_by_category = {{"kernel", 9'007'199'254'740'993}};
    trace.facts.gpu_activities = 2;
    trace.devices.push_back({0, "Some GPU", {{DeviceFact::multiprocessors, 40}}, {}});
    trace.warnings.push_back({"truncated", 1, 77, "The file ends inside an event.", {77}});
    trace.warnings.push_back({"odd", 5, Error::no_offset, "Something is odd.", {}});
    return trace;
}

}  // namespace

TEST_CASE("facts as JSON have every key that scripts need, and exact integers") {
    const auto facts = nlohmann::json::parse(facts_as_json(sample_trace(), {1000, 0.5, 4096}));
    for (const char* key :
         {"format", "producer", "devices", "events", "phases", "complete_by_category",
          "duration_ns_by_category", "rows_with_complete_events", "zero_duration", "max_stack",
          "partial_overlaps", "gpu_activities", "gpu_activities_with_launch", "warnings", "load"}) {
        CAPTURE(key);
        CHECK(facts.contains(key));
    }
    CHECK(facts["duration_ns_by_category"]["kernel"].get<int64_t>() == 9'007'199'254'740'993);
    CHECK(facts["phases"] == nlohmann::json{{"X", 2}, {"", 1}});
    CHECK(facts["devices"][0] == nlohmann::json{{"id", 0}, {"name", "Some GPU"}, {"numSms", 40}});
    CHECK(facts["warnings"][0]["byte_offset"] == 77);
    CHECK(facts["warnings"][1]["byte_offset"].is_null());
    CHECK(facts["warnings"][1]["count"] == 5);
    CHECK(facts["load"] ==
          nlohmann::json{{"bytes", 1000}, {"seconds", 0.5}, {"resident_bytes", 4096}});
}

TEST_CASE("empty maps are objects and empty lists are lists") {
    const auto facts = nlohmann::json::parse(facts_as_json(Trace(), {}));
    CHECK(facts["phases"] == nlohmann::json::object());
    CHECK(facts["devices"] == nlohmann::json::array());
    CHECK(facts["warnings"] == nlohmann::json::array());
}

TEST_CASE("the page lists devices, categories and warnings with their positions") {
    const std::string page = facts_as_text(sample_trace(), {1000, 0.5, 4096});
    for (const char* part :
         {"some.json", "Some GPU", "40 SMs", "kernel", "at byte 77", "5 × odd"}) {
        CAPTURE(part);
        CHECK(page.find(part) != std::string::npos);
    }
}

TEST_CASE("the flat table has a row for each fact") {
    const std::string csv =
        write_table(facts_table(sample_trace(), {1000, 0.5, 4096}), TableFormat::csv);
    CHECK(csv.find("phases,X,2\n") != std::string::npos);
    CHECK(csv.find("duration_ns_by_category,kernel,9007199254740993\n") != std::string::npos);
    CHECK(csv.find("load,bytes,1000\n") != std::string::npos);
}

TEST_CASE("a name from the file cannot steer the terminal") {
    Trace trace = sample_trace();
    trace.devices[0].name = "\x1b[2Jgone";
    CHECK(facts_as_text(trace, {}).find('\x1b') == std::string::npos);
}

}  // namespace lanescope
