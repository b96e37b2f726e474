#include "core/capture/kineto/kineto_config.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

using namespace lanescope;

TEST_CASE("a capture by time has Kineto's keys, one on each line") {
    CapturePlan plan;
    plan.file = "/tmp/t.json";
    plan.trace_id = 123456789;
    plan.options.duration = std::chrono::milliseconds(750);
    plan.options.warm_up = std::chrono::seconds(2);
    plan.options.shapes = true;
    const auto config = kineto_config(plan);
    REQUIRE(config);
    CHECK(*config ==
          "ACTIVITIES_LOG_FILE=/tmp/t.json\n"
          "PROFILE_START_TIME=0\n"
          "ACTIVITIES_DURATION_MSECS=750\n"
          "ACTIVITIES_WARMUP_PERIOD_SECS=2\n"
          "PROFILE_REPORT_INPUT_SHAPES=true\n"
          "PROFILE_WITH_STACK=false\n"
          "PROFILE_PROFILE_MEMORY=false\n"
          "PROFILE_WITH_FLOPS=false\n"
          "PROFILE_WITH_MODULES=false\n"
          "REQUEST_TRACE_ID=123456789\n");
    plan.start = CaptureTime(std::chrono::milliseconds(1'790'000'000'123));
    CHECK(kineto_config(plan)->find("PROFILE_START_TIME=1790000000123\n") != std::string::npos);
}

TEST_CASE("a capture by iterations has no duration, which Kineto would use instead") {
    CapturePlan plan;
    plan.file = "/tmp/t.json";
    plan.options.iterations = 3;
    const std::string config = *kineto_config(plan);
    CHECK(config.find("ACTIVITIES_ITERATIONS=3\n") != std::string::npos);
    CHECK(config.find("PROFILE_START_ITERATION=0\n") != std::string::npos);
    CHECK(config.find("ACTIVITIES_DURATION_MSECS=0\n") != std::string::npos);
    CHECK(config.find("START_TIME") == std::string::npos);
}

TEST_CASE("no name can break a line of the text or leave its folder") {
    CapturePlan plan;
    for (const std::string file : {"", "t.json", "/tmp/a=b.json", "/tmp/a#b.json", "/tmp/a\nb.json",
                                   "/tmp/a\rb.json", "/tmp/../etc/a.json", "/tmp/trace.txt"}) {
        CAPTURE(file);
        plan.file = file;
        CHECK_FALSE(kineto_config(plan));
    }
    plan.file = std::string("/tmp/a\0b.json", 13);
    CHECK_FALSE(kineto_config(plan));
    plan.file = "/tmp/with space.json";
    CHECK(kineto_config(plan));
    plan.options.duration = {};
    CHECK_FALSE(kineto_config(plan));
}

TEST_CASE("the pid is inserted before the first extension, as the process does") {
    CHECK(kineto_file_name("/tmp/t.json", 12) == "/tmp/t_12.json");
    CHECK(kineto_file_name("/tmp/t.pt.trace.json", 12) == "/tmp/t_12.pt.trace.json");
    CHECK(kineto_file_name("/tmp/a.json.d/t.json", 12) == "/tmp/a_12.json.d/t.json");
    CHECK(kineto_file_name("trace", 12) == "trace");
}
