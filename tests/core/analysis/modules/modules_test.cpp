#include "core/analysis/modules/modules.h"

#include <doctest/doctest.h>

#include <numeric>
#include <string>

#include "core/analysis/work/work_models.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

std::string event(const char* category, const char* name, int start, int duration,
                  const std::string& arguments, int tid = 1) {
    return std::string(R"(,{"ph":"X","cat":")") + category + R"(","name":")" + name +
           R"(","pid":100,"tid":)" + std::to_string(tid) + R"(,"ts":)" + std::to_string(start) +
           R"(,"dur":)" + std::to_string(duration) + R"(,"args":{)" + arguments + "}}";
}

// A block of two layers, called twice; the backward pass of the first layer on another thread.
TracePtr made_model() {
    testing::GpuTraceMaker maker;
    maker.call("cudaLaunchKernel", 15, 2, 1)
        .work("forward", 30, 5, 1)
        .call("cudaLaunchKernel", 62, 2, 2, 2)
        .work("backward", 70, 9, 2)
        .call("cudaLaunchKernel", 95, 1, 3)
        .work("outside", 96, 6, 3);
    std::string more;
    const auto module = [&](const char* name, int start, int duration) {
        more += event("python_function", name, start, duration, R"("Python id":1)");
    };
    module("nn.Module: Block_0", 0, 30);
    module("nn.Module: Linear_0", 10, 10);
    module("nn.Module: Linear_1", 22, 5);
    module("nn.Module: Block_0", 40, 10);
    module("nn.Module: Linear_0", 42, 6);
    more += event("cpu_op", "aten::linear", 12, 6,
                  R"("Sequence number":7,"Fwd thread id":0,"Input Dims":[[2,8],[4,8],[4]])");
    more += event("cpu_op", "aten::linear", 43, 4,
                  R"("Sequence number":8,"Fwd thread id":0,"Input Dims":[[2,8],[4,8],[4]])");
    more += event("cpu_op", "AddmmBackward0", 60, 8, R"("Sequence number":7,"Fwd thread id":1)", 2);
    std::string text = maker.text();
    return testing::loaded(text.insert(text.rfind(']'), more));
}

}  // namespace

TEST_CASE("modules: a tree with calls, time, parameters, and the backward pass") {
    const TracePtr trace = made_model();
    const ModuleTree tree = module_tree(TraceContext(trace), {});
    REQUIRE(tree.nodes.size() == 3);
    CHECK(!tree.of_annotations);
    CHECK(tree.all_device == 20'000);
    const ModuleNode& block = tree.nodes[0];
    const ModuleNode& first = tree.nodes[1];
    const ModuleNode& second = tree.nodes[2];
    CHECK(trace->strings[block.name] == "nn.Module: Block_0");
    CHECK(block.calls == 2);
    CHECK(block.cpu == 40'000);
    CHECK(block.cpu_self == 19'000);
    CHECK(block.device == 14'000);
    CHECK(block.device_self == 0);
    CHECK(block.device_backward == 9'000);
    CHECK(block.parameters == 36);
    CHECK(first.parent == 0);
    CHECK(first.device_self == 5'000);
    CHECK(first.device_backward == 9'000);
    CHECK(first.cpu == 16'000);
    CHECK(trace->duration(first.longest) == 10'000);
    CHECK(trace->strings[second.name] == "nn.Module: Linear_1");
    CHECK(second.device == 0);
    CHECK(second.parameters == 0);
}

TEST_CASE("modules: only calls that begin in the range") {
    const TracePtr trace = made_model();
    const Nanos begin = trace->origin + 35'000;
    const ModuleTree tree = module_tree(TraceContext(trace), {TimeRange{begin, begin + 20'000}});
    REQUIRE(tree.nodes.size() == 2);
    CHECK(tree.nodes[0].calls == 1);
    CHECK(tree.nodes[0].cpu == 10'000);
    CHECK(tree.all_device == 0);
}

TEST_CASE("modules: annotations where there are no module frames") {
    const TracePtr trace = testing::GpuTraceMaker()
                               .call("ProfilerStep#1", 0, 100, 0, 1, "user_annotation")
                               .call("forward", 10, 50, 0, 1, "user_annotation")
                               .call("layer", 20, 10, 0, 1, "user_annotation")
                               .load();
    const ModuleTree tree = module_tree(TraceContext(trace), {});
    REQUIRE(tree.nodes.size() == 2);
    CHECK(tree.of_annotations);
    CHECK(tree.nodes[0].cpu_self == 40'000);
    CHECK(tree.nodes[1].depth == 1);
}

TEST_CASE("modules: parts add up in all traces") {
    for (const std::string& name : testing::traces_of_slow_tests(2)) {
        CAPTURE(name);
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        const ModuleTree tree = module_tree(TraceContext(trace), {});
        Nanos device = 0;
        Nanos outermost = 0;
        for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
            const ModuleNode& node = tree.nodes[i];
            CHECK(node.calls > 0);
            CHECK((node.parent == kNoRow || node.parent < i));
            CHECK(node.depth == (node.parent == kNoRow ? 0 : tree.nodes[node.parent].depth + 1));
            device += node.device_self;
            if (node.parent != kNoRow) continue;
            outermost += node.device;
            device += node.device_backward;
        }
        CHECK(device == outermost);
        CHECK(outermost <= tree.all_device);
    }
}

TEST_CASE("modules: the parameters of known models") {
    // The sample's transformer has 512 channels and 4,096 tokens; its two blocks have two norms, an
    // attention and two layers with 2,048 channels between them.
    constexpr int64_t kChannels = 512;
    constexpr int64_t kBlock = 2 * 2 * kChannels + 4 * (kChannels + 1) * kChannels +
                               (kChannels + 1) * 2048 + 2049 * kChannels;
    struct Model {
        const char* trace;
        int64_t parameters;
        const char* root = "";
    };
    const Model all[] = {
        {"synthetic_step.json.gz",
         4096 * kChannels + 2 * kBlock + 2 * kChannels + (kChannels + 1) * 4096,
         "nn.Module: TinyTransformer_0"},
        // Its head shares the matrix of the word embedding (30,522 × 512), which shapes do not
        // show.
        {"torch/h100_bert_small.json.gz", 28'795'194 + 30'522 * 512,
         "nn.Module: BertLMHeadModel_0"},
        // 463,987,712 are published for Qwen1.5-0.5B; the weights of 49 RMS norms of 1,024 elements
        // are applied by plain operators.
        {"torch/h100_qwen_chat.json.gz", 463'987'712 - 49 * 1024},
    };
    for (const Model& model : all) {
        if (testing::traces_here({model.trace}).empty()) continue;
        CAPTURE(model.trace);
        const TracePtr trace = testing::load_real_trace(model.trace);
        REQUIRE(trace);
        const ModuleTree tree = module_tree(TraceContext(trace), {});
        REQUIRE(!tree.nodes.empty());
        CHECK(tree.nodes[0].parameters == model.parameters);
        if (*model.root) CHECK(trace->strings[tree.nodes[0].name] == model.root);
        // This model launches everything.
        if (trace->strings[tree.nodes[0].name] == "nn.Module: BertLMHeadModel_0")
            CHECK(tree.nodes[0].device == tree.all_device);
    }
}

}  // namespace lanescope
