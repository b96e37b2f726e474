#include "core/export/tables/facts_writer.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/export/tables/table_writer.h"
#include "core/session/joined_traces.h"
#include "tests/core/ingest/loaded_text.h"

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
          "partial_overlaps", "gpu_activities", "gpu_activities_with_launch", "warnings", "load",
          "distributed", "clock", "hash", "alignment"}) {
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

namespace {

constexpr std::string_view kRank3 = R"({"distributedInfo": {"rank": 3, "world_size": 8,
    "backend": "nccl", "pg_config": [{"pg_name": "0", "pg_size": 8, "ranks": [3, 7]}]},
    "host_name": "node4", "baseTimeNanoseconds": 1700000000000000000, "traceEvents": [
    {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 5, "dur": 2}]})";

}  // namespace

TEST_CASE("the job, the clock and the hash are those of the file") {
    const TracePtr trace = testing::loaded(kRank3);
    const auto facts = nlohmann::json::parse(facts_as_json(*trace, {}));
    CHECK(facts["distributed"] ==
          nlohmann::json::parse(R"({"rank": 3, "world_size": 8, "backend": "nccl",
              "process_groups": [{"name": "0", "description": null, "backend": null, "size": 8,
                                  "ranks": [3, 7]}]})"));
    CHECK(facts["clock"] ==
          nlohmann::json::parse(
              R"({"begin_ns": 5000, "end_ns": 7000, "host": "node4", "time_base_us": 0,
              "unix_base_ns": 1700000000000000000, "unix_base_from": "recorded"})"));
    CHECK(facts["hash"].get<std::string>().size() == 16);
    CHECK(facts["alignment"].is_null());
    const std::string page = facts_as_text(*trace, {});
    CHECK(page.find("3 of 8, nccl, 1 process group") != std::string::npos);
    CHECK(page.find("2023-11-14 22:13:20 UTC on node4") != std::string::npos);
    const std::string csv = write_table(facts_table(*trace, {}), TableFormat::csv);
    CHECK(csv.find("rank,,3\n") != std::string::npos);
    CHECK(csv.find("clock,unix_base_ns,1700000000000000000\n") != std::string::npos);
}

TEST_CASE("facts that are not recorded are null") {
    const TracePtr trace =
        testing::loaded(R"([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 5, "dur": 2}])");
    const auto facts = nlohmann::json::parse(facts_as_json(*trace, {}));
    CHECK(facts["distributed"].is_null());
    for (const char* key : {"unix_base_ns", "unix_base_from", "host"})
        CHECK(facts["clock"][key].is_null());
    CHECK(nlohmann::json::parse(facts_as_json(Trace(), {}))["hash"].is_null());
    // Times of an older PyTorch count from 1970.
    const TracePtr unix_times = testing::loaded(
        R"([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1700000000000000, "dur": 2}])");
    const auto clock = nlohmann::json::parse(facts_as_json(*unix_times, {}))["clock"];
    CHECK(clock["unix_base_ns"] == 0);
    CHECK(clock["unix_base_from"] == "times");
}

TEST_CASE("files that were joined have their offsets and their own facts") {
    const std::string other = R"([{"ph": "X", "cat": "cpu_op", "name": "b", "pid": 2, "tid": 1,
        "ts": 105, "dur": 2}])";
    const testing::MemoryFile first(kRank3);
    const testing::MemoryFile second(other);
    const auto a = load_trace(first.path());
    REQUIRE(a);
    LoadOptions options;
    options.vocabulary = *a;
    const auto b = load_trace(second.path(), options);
    REQUIRE(b);
    const auto joined = join_aligned({*a, *b}, "start");
    REQUIRE(joined);
    CHECK(alignment_text(joined->aligned_by) == "start");
    const JoinFacts join{alignment_text(joined->aligned_by), joined->parts};
    const auto facts = nlohmann::json::parse(facts_as_json(*joined->whole, {}, join));
    CHECK(facts["events"] == 2);
    for (const char* key : {"distributed", "clock", "hash"}) CHECK(facts[key].is_null());
    CHECK(facts["alignment"]["by"] == "start");
    const auto& files = facts["alignment"]["files"];
    REQUIRE(files.size() == 2);
    CHECK(files[0]["offset_ns"] == 0);
    CHECK(files[1]["offset_ns"] == -100'000);
    CHECK(files[0]["distributed"]["rank"] == 3);
    CHECK(files[1]["distributed"].is_null());
    CHECK(files[0]["hash"] == (*a)->facts.hash);
    CHECK(files[1]["hash"] == (*b)->facts.hash);
    CHECK((*a)->facts.hash != (*b)->facts.hash);
    // Times are those of the file, as without the join.
    CHECK(files[0]["clock"] == nlohmann::json::parse(facts_as_json(**a, {}))["clock"]);
    CHECK(files[1]["clock"] == nlohmann::json::parse(facts_as_json(**b, {}))["clock"]);
    const std::string page = facts_as_text(*joined->whole, {}, join);
    CHECK(page.find("2 files, aligned by start") != std::string::npos);
    CHECK(page.find("-100 µs") != std::string::npos);
    const std::string csv = write_table(facts_table(*joined->whole, {}, join), TableFormat::csv);
    CHECK(csv.find(",-100000\n") != std::string::npos);
}

TEST_CASE("a name from the file cannot steer the terminal") {
    Trace trace = sample_trace();
    trace.devices[0].name = "\x1b[2Jgone";
    CHECK(facts_as_text(trace, {}).find('\x1b') == std::string::npos);
}

}  // namespace lanescope
