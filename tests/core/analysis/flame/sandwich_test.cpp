#include "core/analysis/flame/sandwich.h"

#include <doctest/doctest.h>

#include "tests/core/analysis/flame/flame_text.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

namespace {

using testing::flame_text;
using testing::frame_called;

// main calls f twice; the second f calls itself through g, and h calls f once.
TracePtr recursive() {
    TraceMaker maker;
    maker.process("1", "program");
    maker.lane({{{0, 100, "main"},
                 {0, 20, "f"},
                 {5, 10, "leaf"},
                 {30, 50, "f"},
                 {35, 40, "g"},
                 {40, 25, "f"},
                 {45, 5, "leaf"},
                 {100, 60, "h"},
                 {110, 30, "f"}}});
    return maker.finish();
}

struct Made {
    TracePtr trace = recursive();
    FlameTree tree = make_flame_tree(TraceContext(trace), {});
    uint32_t frame(std::string_view name) const { return frame_called(*trace, tree, name); }
};

}  // namespace

TEST_CASE("names have the time of their outermost calls, and their own") {
    const Made made;
    std::string text;
    for (const FlameName& name : flame_names(made.tree))
        text += std::string(frame_text(*made.trace, made.tree.frames[name.frame])) + ' ' +
                std::to_string(name.total) + ' ' + std::to_string(name.self) + ' ' +
                std::to_string(name.calls) + ' ' +
                std::to_string(made.trace->duration(name.longest)) + '\n';
    // f: 20 + 50 + 30; itself 10 + 10 + 20 + 30
    CHECK(text ==
          "f 100 70 4 50\nmain 100 30 1 100\nh 60 30 1 60\ng 40 15 1 40\nleaf 15 15 2 10\n");
}

TEST_CASE("callees are merged over all places, and recursion stays inside") {
    const Made made;
    CHECK(flame_text(*made.trace, callees_of(made.tree, made.frame("f"))) ==
          "f 100 50 3\n"
          "  g 40 15 1\n"
          "    f 25 20 1\n"
          "      leaf 5 5 1\n"
          "  leaf 10 10 1\n");
}

TEST_CASE("callers are merged with the weight of the calls from there") {
    const Made made;
    CHECK(flame_text(*made.trace, callers_of(made.tree, made.frame("f"))) ==
          "f 100 0 3\n  main 70 70 2\n  h 30 30 1\n");
    CHECK(flame_text(*made.trace, callers_of(made.tree, made.frame("leaf"))) ==
          "leaf 15 0 2\n"
          "  f 15 0 2\n"
          "    main 10 10 1\n"
          "    g 5 0 1\n"
          "      f 5 0 1\n"
          "        main 5 5 1\n");
}

TEST_CASE("the inverted tree has each name with its own weight outermost") {
    const Made made;
    const FlameTree tree = inverted(made.tree);
    CHECK(tree.root().total == made.tree.root().total);
    const std::string text = flame_text(*made.trace, tree);
    CHECK(text.starts_with("f 70 0 4\n"));
    CHECK(text.find("\nleaf 15 0 2\n  f 15 0 2\n    main 10 10 1\n    g 5 0 1\n") !=
          std::string::npos);
    CHECK(text.find("\nmain 30 30 1\n") != std::string::npos);
}

TEST_CASE("threads are neither names nor callers") {
    TraceMaker maker;
    maker.process("1", "program");
    maker.lane({{{0, 10, "a"}}});
    maker.lane({{{0, 20, "a"}}});
    const TracePtr trace = maker.finish();
    FlameQuery query;
    query.order = FlameOrder::time;
    const FlameTree tree = make_flame_tree(TraceContext(trace), query);
    REQUIRE(flame_names(tree).size() == 1);
    const uint32_t frame = flame_names(tree).front().frame;
    CHECK(flame_names(tree).front().total == 30);
    CHECK(flame_text(*trace, callers_of(tree, frame)) == "a 30 30 2\n");
    CHECK(flame_text(*trace, inverted(tree)) == "a 30 30 2\n");
}

}  // namespace lanescope
