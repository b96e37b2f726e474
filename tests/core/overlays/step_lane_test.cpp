#include "core/overlays/step_lane.h"

#include <doctest/doctest.h>

#include "tests/core/ingest/loaded_text.h"
#include "tests/core/real_traces.h"

using namespace lanescope;

namespace {

std::string event(std::string_view category, std::string_view name, int pid, int start,
                  int duration, std::string_view arguments = "") {
    return "{\"ph\":\"X\",\"cat\":\"" + std::string(category) + "\",\"name\":\"" +
           std::string(name) + "\",\"pid\":" + std::to_string(pid) +
           ",\"tid\":1,\"ts\":" + std::to_string(start) + ",\"dur\":" + std::to_string(duration) +
           ",\"args\":{" + std::string(arguments) + "}}";
}

std::vector<StepBox> steps_of(const std::string& events) {
    return step_lane(TraceContext(testing::loaded("{\"traceEvents\":[" + events + "]}")));
}

}  // namespace

TEST_CASE("a step without a GPU has its name and length") {
    const auto steps = steps_of(event("user_annotation", "ProfilerStep#3", 1, 100, 50) + "," +
                                event("user_annotation", "ProfilerStep#4", 1, 150, 40));
    REQUIRE(steps.size() == 2);
    CHECK(steps[0].name == "ProfilerStep#3");
    CHECK(steps[0].text == "ProfilerStep#3 · 50 µs");
    CHECK(steps[1].text == "ProfilerStep#4 · 40 µs");
    CHECK(steps[0].shorter == std::vector<std::string>{"#3 · 50 µs", "#3"});
    CHECK(steps[0].range.length() == 50'000);
    CHECK(steps[0].slice);
}

TEST_CASE("the steps of the process that uses the GPU most are shown") {
    const std::string launch =
        event("cuda_runtime", "cudaLaunchKernel", 2, 1010, 5, "\"correlation\":1");
    const std::string kernel =
        event("kernel", "k", 0, 1020, 60, "\"device\":0,\"stream\":7,\"correlation\":1");
    const auto steps = steps_of(event("user_annotation", "ProfilerStep#1", 1, 0, 100) + "," +
                                event("user_annotation", "ProfilerStep#2", 1, 100, 100) + "," +
                                event("user_annotation", "ProfilerStep#1", 2, 1000, 100) + "," +
                                launch + "," + kernel);
    REQUIRE(steps.size() == 1);
    CHECK(steps[0].text == "ProfilerStep#1 · 100 µs · GPU busy 60.0 % · overhead-bound");
}

TEST_CASE("a step that nothing alone limits names its two largest parts") {
    const auto kernel = [](int stream, int start, int duration, int correlation) {
        return event("kernel", "k", 0, start, duration,
                     "\"device\":0,\"stream\":" + std::to_string(stream) +
                         ",\"correlation\":" + std::to_string(correlation));
    };
    const auto steps =
        steps_of(event("user_annotation", "ProfilerStep#1", 1, 0, 100) + "," +
                 event("cuda_runtime", "cudaLaunchKernel", 1, 1, 1, "\"correlation\":1") + "," +
                 // The launch of the second kernel is not in the file.
                 kernel(7, 2, 60, 1) + "," + kernel(7, 100, 5, 2));
    REQUIRE(steps.size() == 1);
    CHECK(steps[0].text == "ProfilerStep#1 · 100 µs · mixed: GPU work 60.0 %, other idle 39.0 %");
    CHECK(steps[0].shorter == std::vector<std::string>{"#1 · 100 µs · mixed", "#1 · 100 µs", "#1"});
}

TEST_CASE("steps without numbers in their names are called step, and have shorter texts too") {
    std::string events;
    for (int i = 0; i < 4; ++i)
        events +=
            (i ? "," : "") +
            event("user_annotation", "execute_new_0_cached_" + std::to_string(i), 1, 1000 * i, 400);
    const auto steps = steps_of(events);
    REQUIRE(steps.size() == 4);
    CHECK(steps[1].name == "step 1");
    REQUIRE(steps[1].shorter.size() == 3);
    CHECK(steps[1].shorter[1] == "step 1");
    CHECK(steps[1].shorter[2] == "1");
}

TEST_CASE("the steps of a server have their batch") {
    const auto steps = steps_of(event("user_annotation", "step[DECODE bs=32]", 1, 0, 50) + "," +
                                event("user_annotation", "step[MIXED]", 1, 60, 40) + "," +
                                event("user_annotation", "execute_new_0_cached_2", 1, 100, 40));
    REQUIRE(steps.size() == 3);
    CHECK(steps[0].text == "step 0 · decode of 32 requests · 50 µs");
    CHECK(steps[0].shorter.front() == "step 0 · 50 µs");
    CHECK(steps[1].text == "step 1 · mixed · 40 µs");
    CHECK(steps[2].text == "step 2 · 40 µs");
}

TEST_CASE("where the host runs ahead, each step has its time on the GPU, too") {
    std::string events;
    for (int i = 0; i < 4; ++i) {
        const std::string id = "\"correlation\":" + std::to_string(i + 1);
        events += (i ? "," : "") +
                  event("user_annotation", "ProfilerStep#" + std::to_string(i), 1, 100 * i, 100) +
                  "," + event("cuda_runtime", "cudaLaunchKernel", 1, 100 * i + 5, 5, id) + "," +
                  event("kernel", "k", 0, 20 + 250 * i, 240, "\"device\":0,\"stream\":7," + id);
    }
    const auto steps = steps_of(events);
    REQUIRE(steps.size() == 4);
    CHECK(steps[2].text == "ProfilerStep#2 · 100 µs on the host");
    CHECK(steps[2].shorter.back() == "#2");
    REQUIRE(steps[2].device);
    CHECK(steps[2].device->length() == 250'000);
    CHECK(steps[2].device->begin - steps[0].range.begin == 510'000);
    CHECK(steps[2].device_text == "#2 · 250 µs on the GPU · GPU busy 96.0 % · device-bound");
    CHECK(steps[2].device_shorter ==
          std::vector<std::string>{"#2 · 250 µs on the GPU", "#2 · 250 µs", "#2"});
}

TEST_CASE("a trace without steps has no boxes") {
    CHECK(steps_of(event("cpu_op", "aten::mm", 1, 0, 10)).empty());
}

TEST_CASE("the first step of a trace names what limits it") {
    struct Expected {
        const char* trace;
        std::size_t steps;
        const char* text;
        const char* shorter;
    };
    for (const Expected& expected :
         {Expected{"synthetic_step.json.gz", 3, "ProfilerStep#4 · 1.621 ms on the host",
                   "#4 · 1.621 ms on the host"},
          Expected{"torch/h100_bert_small.json.gz", 1,
                   "ProfilerStep#6 · 4.426 ms · GPU busy 7.0 % · overhead-bound",
                   "#6 · 4.426 ms · overhead-bound"}}) {
        if (testing::traces_here({expected.trace}).empty()) continue;
        const TracePtr trace = testing::load_real_trace(expected.trace);
        REQUIRE(trace);
        const auto steps = step_lane(TraceContext(trace));
        REQUIRE(steps.size() == expected.steps);
        CHECK(steps[0].text == expected.text);
        CHECK(steps[0].shorter.front() == expected.shorter);
    }
}
