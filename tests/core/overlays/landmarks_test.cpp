#include "core/overlays/landmarks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/analysis/gpu/dead_windows.h"
#include "core/ingest/load.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/real_traces.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

std::vector<Landmark> of_kind(const std::vector<Landmark>& marks, LandmarkKind kind) {
    std::vector<Landmark> some;
    std::ranges::copy_if(marks, std::back_inserter(some),
                         [&](const Landmark& mark) { return mark.kind == kind; });
    return some;
}

}  // namespace

TEST_CASE("the sample's landmarks are the first rows of its tables") {
    const auto trace = load_trace(LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz");
    REQUIRE(trace);
    const TraceContext context(*trace);
    const Summary summary = summarise(context, {});
    const std::vector<Landmark> marks = find_landmarks(context, summary);
    CHECK(std::ranges::is_sorted(marks, {}, [](const Landmark& m) { return m.time.begin; }));

    const auto gaps = of_kind(marks, LandmarkKind::idle_gap);
    REQUIRE(gaps.size() == 3);
    REQUIRE(summary.devices.front().gaps.size() >= 3);
    for (std::size_t i = 0; i < 3; ++i) {
        const TimeRange expected = summary.devices.front().gaps[i].gap.range;
        CHECK(std::ranges::find(gaps, expected, &Landmark::time) != gaps.end());
    }

    const auto windows = of_kind(marks, LandmarkKind::dead_window);
    std::vector<Nanos> lengths;
    for (const DeadWindow& window : context.get<AllDeadWindows>().rows.span())
        lengths.push_back(window.range.length());
    std::ranges::sort(lengths, std::greater());
    std::vector<Nanos> actual;
    for (const Landmark& window : windows) actual.push_back(window.time.length());
    std::ranges::sort(actual, std::greater());
    REQUIRE(!actual.empty());
    REQUIRE(actual.size() <= 3);
    for (std::size_t i = 0; i < actual.size(); ++i) CHECK(actual[i] == lengths[i]);
    for (const Landmark& window : windows)
        CHECK((*trace)->start(window.slice) <= window.time.begin);

    const auto peaks = of_kind(marks, LandmarkKind::memory_peak);
    REQUIRE(peaks.size() == 1);
    CHECK(peaks.front().text.find("GPU 0") != std::string::npos);
}

TEST_CASE("a window in which a thread waits for autograd is no landmark") {
    // Thread 1 does nothing for 2 ms, then waits for thread 2 for 80 ms, which runs the backward
    // pass of its operator.
    const TracePtr made = testing::loaded(R"([
{"ph":"X","cat":"user_annotation","name":"step","pid":5,"tid":1,"ts":0,"dur":100000,"args":{}},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":5,"tid":1,"ts":2000,"dur":10000,"args":{"Fwd thread id":0,"Sequence number":7}},
{"ph":"X","cat":"cpu_op","name":"MmBackward0","pid":5,"tid":2,"ts":20000,"dur":80000,"args":{"Fwd thread id":1,"Sequence number":7}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":5,"tid":1,"ts":12000,"dur":8000,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":13000,"dur":5000,"args":{"device":0,"stream":7,"correlation":1}}])");
    const TraceContext of_made(made);
    const auto found =
        of_kind(find_landmarks(of_made, summarise(of_made, {})), LandmarkKind::dead_window);
    REQUIRE(found.size() == 1);
    CHECK(found.front().time == TimeRange{made->origin, made->origin + 2'000'000});
    for (const std::string& name : testing::traces_here({"torch/v100_memory_nccl.json.gz"})) {
        const TracePtr trace = testing::load_real_trace(name);
        REQUIRE(trace);
        const TraceContext context(trace);
        for (const Landmark& mark :
             of_kind(find_landmarks(context, summarise(context, {})), LandmarkKind::dead_window))
            CHECK(mark.time.length() < 5'000'000);
    }
}

TEST_CASE("a step that takes twice as long is a landmark; a usual one is not") {
    TraceMaker maker;
    maker.process("1", "python");
    std::vector<std::string> names(12);
    std::vector<TestSlice> steps;
    Nanos at = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        names[i] = "ProfilerStep#" + std::to_string(i);
        const Nanos length = i == 8 ? 2'000'000 : 1'000'000 + static_cast<Nanos>(i) * 1000;
        steps.push_back({at, length, names[i], "user_annotation"});
        at += length;
    }
    maker.lane({steps});
    maker.trace().content = {0, at};
    const TraceContext context(maker.finish());
    const auto marks = find_landmarks(context, summarise(context, {}));
    REQUIRE(marks.size() == 1);
    CHECK(marks.front().kind == LandmarkKind::odd_step);
    CHECK(marks.front().slice == SliceRef{0, 8});
    CHECK(marks.front().text.starts_with("ProfilerStep#8 takes 2 ms"));
    CHECK(marks.front().text.ends_with("more than the median"));
}

TEST_CASE("of many odd steps, those that deviate most are landmarks") {
    TraceMaker maker;
    maker.process("1", "python");
    std::vector<std::string> names(200);
    std::vector<TestSlice> steps;
    Nanos at = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        names[i] = "ProfilerStep#" + std::to_string(i);
        const Nanos odd = i % 8 == 7 ? static_cast<Nanos>(i) * 10'000 : 0;
        steps.push_back({at, 1'000'000 + odd, names[i], "user_annotation"});
        at += 1'000'000 + odd;
    }
    maker.lane({steps});
    maker.trace().content = {0, at};
    const TraceContext context(maker.finish());
    const auto marks = find_landmarks(context, summarise(context, {}));
    REQUIRE(marks.size() == 10);
    for (std::size_t i = 0; i < marks.size(); ++i)
        CHECK(marks[i].slice == SliceRef{0, static_cast<uint32_t>(127 + 8 * i)});
}

TEST_CASE("a trace without findings has no landmarks") {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 10, "a"}, {20, 10, "b"}}});
    maker.trace().content = {0, 30};
    const TraceContext context(maker.finish());
    CHECK(find_landmarks(context, summarise(context, {})).empty());
}

TEST_CASE("findings of weight are marked once; the chosen one at all its places") {
    Findings found;
    const auto add = [&](Severity severity, const std::vector<Nanos>& begins) {
        Finding finding;
        finding.severity = severity;
        finding.title = "Time is lost";
        for (const Nanos begin : begins)
            finding.places.push_back({{}, {begin, begin + 10}, SliceRef::no_index, "here"});
        found.all.push_back(std::move(finding));
    };
    add(Severity::high, {500, 100});
    add(Severity::low, {700, 50});
    add(Severity::medium, {300});
    add(Severity::high, {});
    const std::vector<Landmark> gaps = {{LandmarkKind::idle_gap, {300, 310}, {}, "idle"}};
    const auto begins_of = [](const std::vector<Landmark>& marks) {
        std::vector<Nanos> begins;
        for (const Landmark& mark : marks) begins.push_back(mark.time.begin);
        return begins;
    };
    const std::vector<Landmark> marks = with_findings(gaps, found, std::nullopt);
    CHECK(begins_of(marks) == std::vector<Nanos>{300, 300, 500});
    CHECK(marks[0].kind == LandmarkKind::finding);
    CHECK(marks[0].severity == Severity::medium);
    CHECK(marks[2].text == "Time is lost");
    const std::vector<Landmark> chosen = with_findings(gaps, found, 1);
    CHECK(begins_of(chosen) == std::vector<Nanos>{50, 300, 300, 500, 700});
    CHECK(chosen[0].chosen);
    CHECK(chosen[0].text == "Place 2 of 2: 10 ns · Time is lost");
    CHECK_FALSE(chosen[1].chosen);
}
