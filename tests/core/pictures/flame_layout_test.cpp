#include "core/pictures/flame_layout.h"

#include <doctest/doctest.h>

#include <random>

#include "tests/core/trace_maker.h"

namespace lanescope {

namespace {

FlameTree tree_of(const TracePtr& trace, FlameOrder order) {
    FlameQuery query;
    query.order = order;
    return make_flame_tree(TraceContext(trace), query);
}

std::string boxes_text(const Trace& trace, const FlameTree& tree, const FlameLayout& layout) {
    std::string text;
    for (const FlameBox& box : layout.boxes) {
        text += std::to_string(box.row) + ' ' +
                std::string(frame_text(trace, tree.frames[tree.nodes[box.node].frame])) + ' ' +
                std::to_string(std::lround(box.x0)) + ' ' + std::to_string(std::lround(box.x1));
        if (box.count > 1) text += " x" + std::to_string(box.count);
        text += box.around ? " around\n" : "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("boxes are as wide as their weight, and narrow neighbours share one") {
    TraceMaker maker;
    maker.process("1", "program");
    maker.lane({{{0, 100, "main"},
                 {10, 40, "a"},
                 {20, 10, "b"},
                 {60, 2, "c"},
                 {65, 2, "d"},
                 {80, 10, "e"}}});
    const TracePtr trace = maker.finish();
    const FlameTree tree = tree_of(trace, FlameOrder::heavy);
    const FlameLayout layout = lay_out_flames(tree, 0, 200, 5);
    CHECK(boxes_text(*trace, tree, layout) ==
          "0 main 0 200\n1 a 0 80\n1 e 80 100\n1 c 100 108 x2\n2 b 0 20\n");
    CHECK(layout.row_count() == 3);
    CHECK(layout.at(1, 90)->x0 == 80);
    CHECK(layout.at(1, 108) == nullptr);
    CHECK(layout.at(3, 1) == nullptr);
    // Alone, both are too narrow to be drawn.
    CHECK(boxes_text(*trace, tree, lay_out_flames(tree, 0, 200, 10)).find(" c ") ==
          std::string::npos);
    uint32_t a = 0;
    while (frame_text(*trace, tree.frames[tree.nodes[++a].frame]) != "a") {
    }
    CHECK(boxes_text(*trace, tree, lay_out_flames(tree, a, 80, 5)) ==
          "0 main 0 80 around\n1 a 0 80\n2 b 0 20\n");
    CHECK(lay_out_flames(FlameTree(), 0, 80).row_count() == 0);
}

TEST_CASE("a million calls in order of time are a bounded number of boxes that cover them") {
    TraceMaker maker;
    maker.process("1", "program");
    std::mt19937_64 random(5);
    std::vector<TestSlice> slices = {{0, 30'000'000, "main"}};
    // Short calls, with a long one now and then.
    Nanos at = 0;
    while (slices.size() < 200'000) {
        const Nanos length = random() % 5000 == 0 ? 300'000 : static_cast<Nanos>(random() % 100);
        slices.push_back({at, length, length > 100 ? "long" : "short"});
        at += length + static_cast<Nanos>(random() % 20);
    }
    slices[0].duration = at;
    maker.lane({slices});
    const TracePtr trace = maker.finish();
    const FlameTree tree = tree_of(trace, FlameOrder::time);
    const FlameLayout layout = lay_out_flames(tree, 0, 1000);
    CHECK(layout.boxes.size() < 1000);
    std::size_t longs = 0;
    std::size_t calls = 0;
    for (const FlameBox& box : layout.boxes) {
        CHECK(box.x1 - box.x0 >= 1);
        if (box.row != 1) continue;
        calls += box.count;
        const FlameNode& node = tree.nodes[box.node];
        if (box.count > 1) {
            // No wide call is hidden in a shared box.
            for (uint32_t i = 0; i < box.count; ++i)
                if (tree.nodes[box.node + i].total > 100) FAIL_CHECK("a long call is hidden");
        } else if (node.total > 100) {
            ++longs;
        }
    }
    CHECK(calls > slices.size() * 9 / 10);
    std::size_t expected = 0;
    for (const TestSlice& slice : slices) expected += slice.name == "long";
    CHECK(longs == expected);
}

TEST_CASE("labels begin with what distinguishes calls") {
    TraceMaker maker;
    maker.process("1", "program");
    const TracePtr trace = maker.finish();
    auto& strings = maker.trace().strings;
    const auto label = [&](std::string_view name, EventClass c) {
        return flame_label(*trace, {strings.intern(name), 0, c, FlameFrame::Kind::call});
    };
    CHECK(label("torch/nn/modules/linear.py(116): forward", EventClass::python) ==
          "forward · linear.py:116");
    CHECK(label("<built-in method linear>", EventClass::python) == "<built-in method linear>");
    CHECK(label("nn.Module: Linear_3", EventClass::module) == "Linear_3");
    CHECK(label("void at::native::gemm<float>(int)", EventClass::kernel) == "gemm");
}

TEST_CASE("colours distinguish classes, and files where all would be of one class") {
    TraceMaker maker;
    maker.process("1", "program");
    const TracePtr trace = maker.finish();
    auto& strings = maker.trace().strings;
    FlameTree tree;
    const auto color = [&](std::string_view name, EventClass c) {
        return flame_color(*trace, tree, {strings.intern(name), 0, c, FlameFrame::Kind::call});
    };
    CHECK(color("aten::mm", EventClass::op).scale == ColorScale::event_class);
    tree.source = FlameSource::python;
    const ClassColor one = color("a.py(1): f", EventClass::python);
    CHECK(one.scale == ColorScale::hue);
    CHECK(one.step == color("a.py(7): g", EventClass::python).step);
    CHECK(one.step != color("b/c.py(7): g", EventClass::python).step);
}

}  // namespace lanescope
