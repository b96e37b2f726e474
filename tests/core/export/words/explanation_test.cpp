#include "core/export/words/explanation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "core/trace/trace.h"
#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

bool is_class(std::string_view kind) {
    for (int c = 0; c < kEventClassCount; ++c)
        if (event_class_name(static_cast<EventClass>(c)) == kind) return true;
    return false;
}

const Explanation& explanation_for(std::string_view name, EventClass c) {
    const Explanation* const found = explain(name, c);
    REQUIRE(found);
    return *found;
}

}  // namespace

TEST_CASE("patterns match whole names") {
    CHECK(fits_pattern("aten::mm", "aten::mm"));
    CHECK_FALSE(fits_pattern("aten::mm_", "aten::mm"));
    CHECK(fits_pattern("aten::mm_", "aten::mm*"));
    CHECK(fits_pattern("aten::conv2d", "aten::conv?d"));
    CHECK_FALSE(fits_pattern("aten::convd", "aten::conv?d"));
    CHECK(fits_pattern("abcabd", "*abd"));
    CHECK(fits_pattern("void a::b<c>(d)", "*a::*<*>*"));
    CHECK(fits_pattern("", "*"));
    CHECK_FALSE(fits_pattern("", "?"));
    CHECK_FALSE(fits_pattern("x", ""));
    CHECK_FALSE(fits_pattern(std::string(3000, 'a'), "*a*a*a*a*a*a*a*a*b"));
}

TEST_CASE("every explanation matches its own example, is short, and has a source to read") {
    std::set<std::pair<std::string_view, std::string_view>> seen;
    std::size_t of_names = 0;
    for (const Explanation& e : explanations()) {
        CAPTURE(e.kind);
        CAPTURE(e.pattern);
        CAPTURE(e.example);
        CHECK(seen.insert({e.kind, e.pattern}).second);
        CHECK((e.kind == "-" || is_class(e.kind)));
        CHECK_FALSE(e.example.empty());
        CHECK(e.link.starts_with("https://"));
        CHECK(e.link.find_first_of(" \t") == std::string_view::npos);
        CHECK(e.text.size() > 20);
        CHECK(e.text.size() < 260);
        CHECK(e.text.ends_with('.'));
        of_names += e.pattern != "*" ? 1 : 0;
        // And no earlier line matches the example.
        for (int c = 0; c < kEventClassCount; ++c) {
            const auto event_class = static_cast<EventClass>(c);
            if (e.kind != event_class_name(event_class) && e.kind != "-") continue;
            const Explanation& found = explanation_for(e.example, event_class);
            if (e.kind != "-" || found.kind == "-") CHECK(found.pattern == e.pattern);
        }
    }
    CHECK(of_names >= 150);
}

TEST_CASE("an event of any kind has an explanation, whatever its name") {
    for (int c = 0; c < kEventClassCount; ++c)
        for (const std::string_view name : {"", "no such name anywhere"})
            CHECK(explanation_for(name, static_cast<EventClass>(c)).pattern == "*");
}

TEST_CASE("well-known names have different explanations") {
    CHECK(explanation_for("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
                          EventClass::runtime)
              .text.find("blocks") != std::string_view::npos);
    CHECK(explanation_for("Memcpy HtoD (Pageable -> Device)", EventClass::memory)
              .text.find("pin_memory") != std::string_view::npos);
    CHECK(explanation_for("Memcpy HtoD (Pinned -> Device)", EventClass::memory)
              .text.find("full speed") != std::string_view::npos);
    CHECK(explanation_for("nn.Module: Linear_6", EventClass::module).kind == "module");
    CHECK(explanation_for("AddmmBackward0", EventClass::op).pattern == "*Backward?");
    CHECK(explanation_for("cudaMemcpyAsync", EventClass::runtime).pattern == "cudaMemcpyAsync*");
    CHECK(explanation_for("aten::add_", EventClass::op).pattern == "aten::add_");
    CHECK(explanation_for("cudaStreamSynchronize", EventClass::sync).pattern ==
          "cudaStreamSynchronize*");
}

// Names that people see first: the names with most time of each kind need a better explanation than
// "a kernel".
TEST_CASE(
    "most kernels, calls and operators of real traces have more than the explanation of their "
    "kind") {
    for (const std::string& name : testing::traces_here(
             {"torch_cpu/convnet_stack.json.gz",
              "torch_cpu/transformer_train_shapes_memory_flops.json.gz",
              "torch/h100_bert_small.json.gz", "torch/v100_memory_nccl.json.gz",
              "torch/a100_alexnet_sync.json.gz", "torch/rtx2080ti_resnet.json.gz"})) {
        const TracePtr trace = testing::load_real_trace(name);
        if (!trace) return;
        CAPTURE(name);
        std::size_t count = 0;
        std::size_t known = 0;
        for (const Lane& lane : trace->lanes)
            for (const auto& chunk : lane.chunks)
                for (uint32_t i = 0; i < chunk->size(); i += 1 + chunk->size() / 500) {
                    const EventClass c = trace->event_class(chunk->name[i], chunk->category[i]);
                    if (c == EventClass::python || c == EventClass::annotation) continue;
                    ++count;
                    known +=
                        explanation_for(trace->strings[chunk->name[i]], c).pattern == "*" ? 0 : 1;
                }
        CAPTURE(count);
        CHECK(count > 0);
        CHECK(10 * known >= 9 * count);
    }
}

}  // namespace lanescope
