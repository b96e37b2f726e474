#include "core/compile/log_reader.h"

#include <doctest/doctest.h>

#include <string>

using namespace lanescope;

namespace {

std::string log_record(const std::string& head, const std::string& payload = {}) {
    std::string text = "V1121 07:36:34.963000 42 torch/a.py:1] " + head + "\n";
    if (payload.empty()) return text;
    text += '\t';
    for (const char c : payload) {
        text += c;
        if (c == '\n') text += '\t';
    }
    return text + "\n";
}

std::string in_compile(const std::string& type, int frame, int number, int attempt = 0) {
    return "{" + type + ", \"frame_id\": " + std::to_string(frame) +
           ", \"frame_compile_id\": " + std::to_string(number) +
           ", \"attempt\": " + std::to_string(attempt) + "}";
}

std::string artifact(const std::string& name) {
    return "\"artifact\": {\"name\": \"" + name + "\", \"encoding\": \"json\"}";
}

std::string graph_records(int frame, int number, int attempt, const std::string& key,
                          const std::string& aot) {
    return log_record(in_compile(artifact("inductor_post_grad_graph"), frame, number, attempt),
                      "add = torch.ops.aten.add.Tensor(a, b)") +
           log_record(in_compile("\"inductor_output_code\": {\"filename\": \"/c/ab/cab.py\"}",
                                 frame, number, attempt),
                      "# AOT ID: ['" + aot + "']\ndef call(args):\n    extern_kernels.mm(a, b)") +
           log_record(in_compile(artifact("fx_graph_cache_miss"), frame, number, attempt),
                      "{\"key\": \"" + key + "\"}");
}

CompiledCode code_of(const std::string& text) {
    CompileLogReader reader;
    TorchLogSplitter splitter([&](const TorchRecord& record) { reader.take(record); });
    splitter.add(text);
    splitter.finish();
    return reader.finish();
}

std::string phase_event(const char* name, char phase, double micros) {
    return log_record(in_compile("\"chromium_event\": {}", 0, 0),
                      std::string("{\"name\": \"") + name +
                          "\", \"ts\": " + std::to_string(micros) + ", \"ph\": \"" + phase + "\"}");
}

}  // namespace

TEST_CASE("the graphs of the last attempt count, and the breaks of all") {
    const CompiledCode code =
        code_of(graph_records(0, 0, 0, "fclosed", "0_forward") +
                graph_records(0, 0, 0, "fopen", "0_backward") +
                log_record(in_compile(artifact("dynamo_graph_break_reason"), 0, 0, 0),
                           "Graph break in user code at /a.py:3") +
                graph_records(0, 0, 1, "fnew", "1_inference") +
                log_record(in_compile("\"compilation_metrics\": {\"co_name\": \"f\", "
                                      "\"co_filename\": \"/a.py\", \"co_firstlineno\": 1, "
                                      "\"entire_frame_compile_time_s\": 1.5, \"guard_count\": 7}",
                                      0, 0, 1)));
    REQUIRE(code.compiles.size() == 1);
    CHECK(code.compiles[0].attempts == 2);
    CHECK(code.compiles[0].function == "f");
    CHECK(code.compiles[0].duration == 1'500'000'000);
    CHECK(code.compiles[0].guards == 7);
    REQUIRE(code.graphs.size() == 1);
    CHECK(code.graphs[0].key == "fnew");
    CHECK(code.graphs[0].cache == "miss");
    CHECK(code.graphs[0].aot_id == "1_inference");
    CHECK(code_stem(code.graphs[0]) == "cab");
    CHECK(code.breaks.size() == 1);
    CHECK(code.pid == 42);
}

TEST_CASE("a compilation may make several graphs, and their records may be interleaved") {
    const CompiledCode code = code_of(graph_records(0, 0, 0, "fa", "0_forward") +
                                      graph_records(1, 0, 0, "fc", "1_inference") +
                                      graph_records(0, 0, 0, "fb", "0_backward"));
    REQUIRE(code.graphs.size() == 3);
    CHECK(code.graphs[0].key == "fa");
    CHECK(code.graphs[1].key == "fb");
    CHECK(code.graphs[1].is_backward());
    CHECK(code.graphs[2].key == "fc");
    CHECK(text_of(code.compiles[code.graphs[2].compile].id) == "1/0");
}

TEST_CASE("node mappings may follow the record of the cache") {
    const CompiledCode code =
        code_of(graph_records(0, 0, 0, "fa", "0_inference") +
                log_record(in_compile(artifact("inductor_provenance_tracking_node_mappings"), 0, 0),
                           R"({"cppCodeToPost": {"extern_kernels.mm": ["add"]}})"));
    REQUIRE(code.graphs.size() == 1);
    CHECK(code.graphs[0].sites[0].operators == std::vector<std::string>{"aten.add.Tensor"});
}

TEST_CASE("ids that begin again are other compilations") {
    const std::string start = log_record(
        in_compile("\"dynamo_start\": {\"stack\": [{\"line\": 3, \"name\": \"f\"}]}", 0, 0));
    const std::string metrics =
        log_record(in_compile("\"compilation_metrics\": {\"guard_count\": 1}", 0, 0));
    const CompiledCode code =
        code_of(start + graph_records(0, 0, 0, "fa", "0_inference") + metrics + start +
                graph_records(0, 0, 0, "fb", "1_inference") + metrics);
    REQUIRE(code.compiles.size() == 2);
    REQUIRE(code.graphs.size() == 2);
    CHECK(code.graphs[0].compile == 0);
    CHECK(code.graphs[1].compile == 1);
}

TEST_CASE("failed guards are a text or a list") {
    const CompiledCode code =
        code_of(log_record(in_compile(artifact("recompile_reasons"), 0, 1), "0/0: a == 1") +
                log_record(in_compile(artifact("recompile_reasons"), 0, 2),
                           "[\n\"0/1: b == 1\",\n\"0/0: a == 1\"\n]"));
    REQUIRE(code.failed_guards.size() == 3);
    CHECK(code.failed_guards[0].guard == "a == 1");
    CHECK(text_of(code.failed_guards[1].entry) == "0/1");
    CHECK(text_of(code.compiles[code.failed_guards[2].compile].id) == "0/2");
}

TEST_CASE("phases are paired by their names") {
    const CompiledCode code =
        code_of(phase_event("outer", 'B', 1000) + phase_event("worker", 'B', 1001) +
                phase_event("outer", 'E', 1002) + phase_event("worker", 'E', 1004.5) +
                phase_event("never begun", 'E', 1005));
    REQUIRE(code.phases.size() == 2);
    CHECK(code.phases[0].range == TimeRange{1'000'000, 1'002'000});
    CHECK(code.phases[1].range == TimeRange{1'001'000, 1'004'500});
}

TEST_CASE("records that cannot be read are counted with the place of the first") {
    const std::string sound = phase_event("outer", 'B', 1000);
    const CompiledCode code = code_of(
        sound + log_record("{\"cut\": {") +
        log_record(in_compile("\"chromium_event\": {}", 0, 0), "{\"name\": \"a\"}") +
        log_record(in_compile("\"chromium_event\": {}", 0, 0), "{\"ts\": 1e300, \"ph\": \"B\"}") +
        log_record(in_compile("\"unknown type\": {}", 0, 0)));
    CHECK(code.damaged == 3);
    CHECK(code.first_damaged == sound.size());
    CHECK(code.records.at("unknown type") == 1);
}
