#include "core/export/traces/scrub.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

using namespace lanescope;

namespace {

Trace trace_with_secrets() {
    Trace trace;
    trace.metadata = {{"host_name", R"("node17.lab.example.com")"},
                      {"username", R"("jdoe42")"},
                      {"command", R"("train.py --key=abc")"},
                      {"schemaVersion", "1"},
                      {"distributedInfo", R"({"backend":"nccl","rank":3,"hostname":"node17",)"
                                          R"("pg_config":[{"pg_desc":"default_pg","uid":"x"}]})"},
                      {"deviceProperties", R"([{"id":0,"name":"H100","numSms":132}])"}};
    trace.strings.intern("/home/max muster/run.py(12): main");
    return trace;
}

}  // namespace

TEST_CASE("scrub: paths keep their file names, in frames and in other names") {
    const Trace trace;
    Scrubber scrubber(trace);
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"/opt/my project/v1/model.py(12): forward", "model.py(12): forward"},
        {"torch/nn/modules/module.py(1): call", "torch/nn/modules/module.py(1): call"},
        {"acme/nn/module.py(15): call", "module.py(15): call"},
        {R"(C:\Users\me\x.py(3): f)", "x.py(3): f"},
        {"load /data/customer/secret_list.csv now", "load secret_list.csv now"},
        {"load(/data/customer/secret)", "load(<path>)"},
        {"open ~/keys/id_rsa", "open <path>"},
        {"read data/customer/part.parquet", "read part.parquet"},
        {"get https://intra.example.org/a?b=c done", "get <url> done"},
        // These are no paths.
        {"model/layer_1/MatMul", "model/layer_1/MatMul"},
        {"aten::div(a / b)", "aten::div(a / b)"},
        {"void gemm<float, 4>(int, (Layout)1)", "void gemm<float, 4>(int, (Layout)1)"},
        {"ProfilerStep#12", "ProfilerStep#12"},
    };
    for (const auto& [plain, expected] : cases) CHECK(scrubber.text(plain) == expected);
}

TEST_CASE("scrub: secrets and addresses are replaced, and numbers stay") {
    const Trace trace;
    Scrubber scrubber(trace);
    CHECK(scrubber.text("call api_key=abc-123 fast") == "call api_key=<secret> fast");
    CHECK(scrubber.text("password: hunter2") == "password: <secret>");
    CHECK(scrubber.text("use sk-abcdefghijklmnop1234") == "use <secret>");
    CHECK(scrubber.text("step tokens=128") == "step tokens=128");
    CHECK(scrubber.text("send 10.1.2.3:29500") == "send <address>");
    CHECK(scrubber.text("send to fe80::1a2b:3") == "send to <address>");
    CHECK(scrubber.text("ask me@example.org") == "ask <user>");
    CHECK(scrubber.text("c10::add std::vector") == "c10::add std::vector");
    CHECK(scrubber.text("at 12:30:45") == "at 12:30:45");
}

TEST_CASE("scrub: hosts and users of the trace are replaced everywhere") {
    const Trace trace = trace_with_secrets();
    Scrubber scrubber(trace);
    CHECK(scrubber.text("node17.lab.example.com and node17, not node171") ==
          "<host 1> and <host 2>, not node171");
    CHECK(scrubber.text("run of jdoe42") == "run of <user 1>");
    CHECK(scrubber.text("hello max muster") == "hello <user 2>");
    CHECK(scrubber.process_name("/usr/bin/python3 train.py --key=abc") == "python3");
    CHECK(scrubber.process_name("GPU Process") == "GPU Process");
    CHECK(scrubber.metadata("command", R"("x")").empty());
    CHECK(scrubber.metadata("host_name", R"("x")") == R"("<host>")");
    CHECK(scrubber.metadata("schemaVersion", "1") == "1");
    CHECK(scrubber.metadata("deviceProperties", trace.metadata.back().second) ==
          trace.metadata.back().second);
    CHECK(scrubber.metadata("distributedInfo", trace.metadata[4].second) ==
          R"({"backend":"nccl","rank":3,"pg_config":[{"pg_desc":"default_pg"}]})");
    const std::string report = scrubber.report();
    CHECK(report.find("2 members of the file (command, host_name)") != std::string::npos);
    CHECK(report.find("command lines in 1 text") != std::string::npos);
}

TEST_CASE("scrub: arguments keep numbers and what describes the work") {
    const Trace trace;
    Scrubber scrubber(trace);
    const std::vector<Argument> kept = scrubber.arguments({
        {"correlation", "12", false},
        {"Input Dims", "[[8, 16], []]", false},
        {"Input type", R"(["float", ""])", false},
        {"Concrete Inputs", R"(["", "True", "[1, 2]", "/tmp/x", "my text"])", false},
        {"note", "anything", true},
        {"env", R"({"HOME":"/root"})", false},
        {"stream", "0x7f00", true},
        {"Call stack", "/a/b/x.py(1): f;/a/b/y.py(2): g", true},
        {"module", "/usr/lib/libx.so", true},
    });
    std::vector<std::string> lines;
    for (const Argument& argument : kept) lines.push_back(argument.name + " " + argument.value);
    CHECK(lines == std::vector<std::string>{
                       "correlation 12", "Input Dims [[8, 16], []]", R"(Input type ["float",""])",
                       R"(Concrete Inputs ["","True","[1, 2]","",""])", "stream 0x7f00",
                       "Call stack x.py(1): f;y.py(2): g", "module libx.so"});
    CHECK(scrubber.report() ==
          "removed: paths in 1 text; texts of 4 arguments (Concrete Inputs, env, note)");
}
