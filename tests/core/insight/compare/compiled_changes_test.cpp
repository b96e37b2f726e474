// Tests what is said of operators that a run compiles and the other one does not.
#include "core/insight/compare/compiled_changes.h"

#include <doctest/doctest.h>

using namespace lanescope;

namespace {

CompiledProfile eager_run() {
    CompiledProfile run;
    run.on_gpu = run.has_steps = true;
    run.operators.push_back({"aten::mm", 100'000, 2});
    return run;
}

// One of two multiplications is compiled.
CompiledProfile compiled_run() {
    CompiledProfile run;
    run.runs_compiled_code = run.has_code = run.on_gpu = run.has_steps = true;
    ProfiledKernel kernel;
    kernel.name = "triton_mm";
    kernel.operators = {"aten.mm.default"};
    kernel.time = 30'000;
    kernel.calls = 1;
    ProfiledGraph graph;
    graph.name = "0";
    graph.kernels.push_back(kernel);
    run.graphs.push_back(graph);
    run.operators.push_back({"aten::mm", 40'000, 1});
    return run;
}

std::string last_sentence(const CompiledProfile& a, const CompiledProfile& b) {
    const CompiledChanges changes = compare_compiled_code(a, b);
    REQUIRE(!changes.sentences.empty());
    return changes.sentences.back();
}

}  // namespace

TEST_CASE("what an operator became leaves out its calls that still run uncompiled") {
    CHECK(last_sentence(eager_run(), compiled_run()) ==
          "1 operator of A, with 60 % of their time, is compiled in B into 1 kernel: 60 µs became "
          "30 µs in a step.");
}

TEST_CASE("times of runs without steps are not those of a step") {
    CompiledProfile eager = eager_run();
    eager.has_steps = false;
    const std::string text = last_sentence(compiled_run(), eager);
    CHECK(text.find("60 µs became 30 µs.") != std::string::npos);
}
