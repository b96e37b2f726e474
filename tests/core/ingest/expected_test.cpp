// Every file with known exact facts loads with those facts. tests/data/make_expected_samples.py
// counted those of the samples; those of the real traces are in their expected.json.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/ingest/load.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

Json read_json(const fs::path& path) {
    std::ifstream file(path);
    REQUIRE_MESSAGE(file, path.string());
    return Json::parse(file);
}

Json facts_json(const FileFacts& facts) {
    return {{"events", facts.events},
            {"phases", facts.phases},
            {"complete_by_category", facts.complete_by_category},
            {"duration_ns_by_category", facts.duration_ns_by_category},
            {"rows_with_complete_events", facts.rows_with_complete_events},
            {"zero_duration", facts.zero_duration},
            {"max_stack", facts.max_stack},
            {"partial_overlaps", facts.partial_overlaps},
            {"gpu_activities", facts.gpu_activities},
            {"gpu_activities_with_launch", facts.gpu_activities_with_launch}};
}

void check_facts(const fs::path& path, const Json& expected) {
    const Result<TracePtr> trace = load_trace(path.string());
    REQUIRE_MESSAGE(trace, trace.error().text);
    const Json found = facts_json((*trace)->facts);
    CHECK(found.size() == expected.size());
    for (const auto& fact : expected.items()) {
        const std::string& key = fact.key();
        const Json& value = fact.value();
        CAPTURE(key);
        CHECK_MESSAGE(found.at(key) == value, found.at(key).dump(), " instead of ", value.dump());
    }
}

// Broken on purpose, so there are no exact facts; the contents were counted by hand.
struct BrokenFile {
    const char* name;
    uint64_t events;
    uint64_t complete;
    const char* text = nullptr;  // null: a real file
};
constexpr BrokenFile kBroken[] = {
    {"ends in an event", 2, 1,
     R"({"traceEvents": [{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2},
         {"ph":"i","name":"b","pid":1,"tid":1,"ts":3}, {"ph":"X","name":"c","pid":1,"ti)"},
    {"two commas", 2, 2,
     R"({"traceEvents": [{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2},,
         {"ph":"X","name":"b","pid":1,"tid":1,"ts":3,"dur":2}]})"},
    {"chrome/edge/test_args_ordered.json", 2, 0},
    {"chrome/edge/test_json_incomplete.json", 1, 1},
    {"chrome/edge/test_json_trailing_comma.json", 2, 2},
};

// Returns the number of files.
int check_all_facts(const fs::path& folder, const Json& expected) {
    int checked = 0;
    for (const auto& file : expected.items()) {
        if (file.value().contains("unreadable")) continue;
        const std::string& name = file.key();
        CAPTURE(name);
        check_facts(folder / name, file.value());
        ++checked;
    }
    return checked;
}

}  // namespace

TEST_CASE("every sample and every real trace loads with its exact facts") {
    const Json of_samples = read_json(LANESCOPE_ROOT "/tests/data/expected_samples.json");
    CHECK(check_all_facts(LANESCOPE_ROOT "/assets/samples", of_samples) == 6);
    if (!testing::has_real_traces()) return;
    const fs::path facts = testing::real_trace("expected.json");
    CHECK(check_all_facts(facts.parent_path(), read_json(facts)) >= 77);
}

TEST_CASE("only the synthetic sample is labelled synthetic") {
    const auto is_synthetic = [](const char* name) {
        const Result<TracePtr> trace =
            load_trace(std::string(LANESCOPE_ROOT "/assets/samples/") + name);
        REQUIRE_MESSAGE(trace, trace.error().text);
        return (*trace)->synthetic;
    };
    CHECK(is_synthetic("synthetic_step.json.gz"));
    CHECK_FALSE(is_synthetic("torch_cpu/convnet_stack.json.gz"));
}

TEST_CASE("deliberately broken files keep their readable events, with a warning") {
    for (const BrokenFile& broken : kBroken) {
        if (!broken.text && testing::traces_here({broken.name}).empty()) continue;
        CAPTURE(broken.name);
        const Result<TracePtr> trace = broken.text ? testing::load_bytes(broken.text)
                                                   : load_trace(testing::real_trace(broken.name));
        REQUIRE_MESSAGE(trace, trace.error().text);
        const FileFacts& facts = (*trace)->facts;
        CHECK(facts.events == broken.events);
        uint64_t complete = 0;
        for (const auto& [category, count] : facts.complete_by_category) complete += count;
        CHECK(complete == broken.complete);
        REQUIRE_FALSE((*trace)->warnings.empty());
        CHECK((*trace)->warnings.front().byte_offset != Error::no_offset);
        CHECK_FALSE((*trace)->warnings.front().text.empty());
    }
}

TEST_CASE("another format is recognised and named") {
    std::vector<Result<TracePtr>> loads;
    loads.push_back(testing::load_bytes("Name,Calls,TotalDurationNs\nf,1,2\n"));
    for (const std::string& name :
         testing::traces_here({"more/rocprof-compute/mi200_dispatch_0_1_pmc_perf.csv",
                               "more/rocprof-compute/rocprof_compute_23ed6f36.db"}))
        loads.push_back(load_trace(testing::real_trace(name)));
    for (const Result<TracePtr>& trace : loads) {
        REQUIRE_FALSE(trace);
        CHECK(trace.error().code == ErrorCode::unsupported);
        CHECK(trace.error().text.find("rocprofv3") != std::string::npos);
    }
}

}  // namespace lanescope
