// Two runs as one flame graph.
#include "core/insight/compare/difference_flames.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/export/pictures/flame_writer.h"
#include "core/pictures/flame_difference.h"
#include "tests/core/insight/made_runs.h"
#include "tests/core/real_traces.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

uint32_t node_named(const DifferenceFlames& flames, std::string_view name) {
    for (uint32_t i = 0; i < flames.boxes.size(); ++i)
        if (flames.boxes[i].name == name) return i;
    FAIL("no box ", name);
    return 0;
}

// A module with a product and an activation; beside it, one more operator.
RunProfile run_with_module(double product, const std::string& beside) {
    return run_of(8, [=](RunMaker& maker, double begin, int i) {
        maker.call("python_function", "nn.Module: Net_0", begin + 100, begin + 300);
        op(maker, "aten::mm", begin + 110, product + i * 0.01);
        op(maker, "aten::relu", begin + 290, 20);
        op(maker, beside, begin + 500, 50);
    });
}

// The band of a node's colour: 0 is blue, the last band is red.
int band_of(const DifferenceFlames& flames, std::string_view name) {
    const ClassColor color = difference_color(flames, node_named(flames, name));
    REQUIRE(color.scale == ColorScale::deviation);
    return color.step;
}

void check_tree(const DifferenceFlames& flames) {
    const FlameTree& tree = flames.tree;
    REQUIRE(flames.boxes.size() == tree.nodes.size());
    for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
        const FlameNode& node = tree.nodes[i];
        const DifferenceBox& box = flames.boxes[i];
        int64_t total = node.self;
        double a = box.self_a;
        double b = box.self_b;
        int64_t begin = node.begin;
        for (const FlameNode& child : tree.children(node)) {
            CHECK(child.parent == i);
            CHECK(child.begin == begin);
            begin += child.total;
            total += child.total;
            a += flames.boxes[tree.index_of(child)].a;
            b += flames.boxes[tree.index_of(child)].b;
        }
        CHECK(node.total == total);
        CHECK(node.total >= static_cast<int64_t>(std::max(box.a, box.b)) - 1);
        CHECK(box.a == doctest::Approx(a));
        CHECK(box.b == doctest::Approx(b));
    }
}

}  // namespace

TEST_CASE("difference flames: widths are the longer time, and new and gone functions are there") {
    const DifferenceFlames flames = difference_flames(
        compared(run_with_module(40, "aten::old"), run_with_module(120, "aten::old")));
    check_tree(flames);
    const uint32_t net = node_named(flames, "nn.Module: Net_0");
    const uint32_t product = node_named(flames, "aten::mm");
    CHECK(flames.tree.nodes[product].parent == net);
    CHECK(flames.tree.nodes[net].parent == 0);
    CHECK(flames.boxes[product].a == doctest::Approx(50'000).epsilon(0.01));
    CHECK(flames.boxes[product].b == doctest::Approx(130'000).epsilon(0.01));
    CHECK(flames.tree.nodes[product].self == std::llround(flames.boxes[product].b));
    CHECK(flames.boxes[product].verdict == Verdict::slower);
    CHECK(difference_label(flames, product) == "aten::mm · +80 µs, slower");
    CHECK(band_of(flames, "aten::mm") == kDeviations - 1);
    CHECK(band_of(flames, "aten::old") == kDeviations / 2);
    CHECK(flames.tree.nodes[product].longest == flames.boxes[product].longest_a);

    const DifferenceFlames other = difference_flames(
        compared(run_with_module(40, "aten::old"), run_of(8, [](RunMaker& maker, double at, int) {
                     maker.call("python_function", "nn.Module: Net_0", at + 100, at + 300);
                     op(maker, "aten::mm", at + 110, 40);
                     op(maker, "aten::relu", at + 290, 20);
                 })));
    check_tree(other);
    const DifferenceBox& gone = other.boxes[node_named(other, "aten::old")];
    CHECK(gone.verdict == Verdict::gone);
    CHECK(gone.b == 0);
    CHECK(other.tree.nodes[node_named(other, "aten::old")].total == std::llround(gone.a));
    CHECK(band_of(other, "aten::old") == 0);
}

TEST_CASE("difference flames: a box says times, difference and verdict") {
    const DifferenceFlames flames = difference_flames(
        compared(run_with_module(40, "aten::old"), run_with_module(120, "aten::old")));
    const std::vector<std::string> product =
        difference_facts(flames, node_named(flames, "aten::mm"));
    REQUIRE(product.size() == 2);
    CHECK(product[0] == "A step: 50.03 µs → 130 µs, +80 µs, 2.599 times");
    CHECK(product[1] == "Verdict on it: slower");
    const std::string svg = difference_flame_svg(flames, {});
    CHECK(svg.find("<title>aten::mm\n" + product[0] + "\nVerdict on it: slower</title>") !=
          std::string::npos);
    CHECK(svg.find("2 and more") != std::string::npos);
}

TEST_CASE("difference flames: runs that are not comparable have none") {
    Comparison comparison;
    comparison.comparable = false;
    const DifferenceFlames flames = difference_flames(comparison);
    CHECK(flames.tree.empty());
    CHECK(flames.boxes.empty());
    CHECK(difference_flame_svg(flames, {}).ends_with("</svg>\n"));
}

TEST_CASE("difference flames: times of real traces are those of the rows") {
    for (const std::string& name :
         traces_here({"torch/a100_train_before.json.gz", "torch/v100_memory_nccl.json.gz",
                      "synthetic_step.json.gz"})) {
        CAPTURE(name);
        const TracePtr trace = load_real_trace(name);
        if (!trace) continue;
        const RunProfile run = profile_run(TraceContext(trace), {});
        const Comparison all = compared(run, run);
        const DifferenceFlames flames = difference_flames(all);
        check_tree(flames);
        CHECK(flames.boxes.size() > 2);
        for (const DifferenceBox& box : flames.boxes) CHECK(box.a == box.b);
        for (const CompareRow& row : all.rows) {
            if (row.kind != CompareKind::function || row.functions.size() != 1 || row.a.time == 0)
                continue;
            CAPTURE(row.name);
            CHECK(std::ranges::any_of(flames.boxes, [&](const DifferenceBox& box) {
                return box.name == row.name && box.self_a == row.a.time &&
                       box.verdict == row.verdict && box.longest_a == row.a.longest;
            }));
        }
    }
}
