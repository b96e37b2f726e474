#include "core/export/pictures/flame_writer.h"

#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/analysis/flame/sandwich.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

namespace {

TracePtr two_threads() {
    TraceMaker maker;
    maker.process("1", "program");
    maker.lane({{{0, 100, "main"}, {10, 30, "a;b\nc"}, {50, 20, "leaf <&>"}, {80, 0, "mark"}}});
    maker.lane({{{20, 40, "main"}, {25, 10, "leaf <&>"}}});
    return maker.finish();
}

FlameTree tree_of(const TracePtr& trace, FlameOrder order) {
    FlameQuery query;
    query.order = order;
    return make_flame_tree(TraceContext(trace), query);
}

// Replays the events of an evented profile; returns the time of each frame by itself.
std::map<std::string, int64_t> replayed(const nlohmann::json& file, const nlohmann::json& profile) {
    std::map<std::string, int64_t> self;
    std::vector<int> stack;
    int64_t last = profile["startValue"];
    for (const auto& event : profile["events"]) {
        const int64_t at = event["at"];
        CHECK(at >= last);
        if (!stack.empty())
            self[file["shared"]["frames"][static_cast<std::size_t>(stack.back())]["name"]] +=
                at - last;
        last = at;
        if (event["type"] == "O") {
            stack.push_back(event["frame"]);
        } else {
            REQUIRE(!stack.empty());
            CHECK(stack.back() == event["frame"]);
            stack.pop_back();
        }
    }
    CHECK(stack.empty());
    CHECK(last <= profile["endValue"].get<int64_t>());
    return self;
}

}  // namespace

TEST_CASE("folded stacks have a line for each stack with own weight") {
    const TracePtr trace = two_threads();
    CHECK(flame_as_folded(*trace, tree_of(trace, FlameOrder::heavy)) ==
          "main 80\n"
          "main;a:b c 30\n"
          "main;leaf <&> 30\n");
}

TEST_CASE("speedscope's profiles: one for each thread, with balanced events") {
    const TracePtr trace = two_threads();
    const auto file = nlohmann::json::parse(
        flame_as_speedscope(*trace, tree_of(trace, FlameOrder::time), "x.json"));
    CHECK(file["$schema"] == "https://www.speedscope.app/file-format-schema.json");
    CHECK(file["name"] == "x.json");
    REQUIRE(file["profiles"].size() == 2);
    const auto& first = file["profiles"][0];
    CHECK(first["type"] == "evented");
    CHECK(first["unit"] == "nanoseconds");
    CHECK(first["name"] == "lane 0");
    CHECK(first["endValue"] == 100);
    CHECK(replayed(file, first) ==
          std::map<std::string, int64_t>{{"main", 50}, {"a;b\nc", 30}, {"leaf <&>", 20}});
    CHECK(file["profiles"][1]["endValue"] == 40);
    CHECK(replayed(file, file["profiles"][1]) ==
          std::map<std::string, int64_t>{{"main", 30}, {"leaf <&>", 10}});
}

TEST_CASE("a merged tree is one profile of speedscope") {
    const TracePtr trace = two_threads();
    const auto file = nlohmann::json::parse(
        flame_as_speedscope(*trace, tree_of(trace, FlameOrder::heavy), "x.json"));
    REQUIRE(file["profiles"].size() == 1);
    CHECK(replayed(file, file["profiles"][0]) ==
          std::map<std::string, int64_t>{{"main", 80}, {"a;b\nc", 30}, {"leaf <&>", 30}});
}

TEST_CASE("JSON lists the nodes with their figures") {
    const TracePtr trace = two_threads();
    const auto rows =
        nlohmann::json::parse(flame_as_json(*trace, tree_of(trace, FlameOrder::heavy)));
    REQUIRE(rows.size() == 4);
    CHECK(rows[0] == nlohmann::json{{"depth", 0},
                                    {"name", "main"},
                                    {"module", nullptr},
                                    {"calls", 2},
                                    {"total_ns", 140},
                                    {"self_ns", 80},
                                    {"share", 1.0},
                                    {"longest_start_ns", 0}});
    CHECK(rows[1]["name"] == "a;b\nc");
    CHECK(rows[1]["depth"] == 1);
    CHECK(rows[2]["calls"] == 2);
    CHECK(nlohmann::json::parse(flame_as_json(*trace, FlameTree())).empty());
}

TEST_CASE("the picture has a box with its figures for each node that has a width") {
    const TracePtr trace = two_threads();
    const std::string svg = flame_svg(*trace, tree_of(trace, FlameOrder::heavy), {});
    CHECK(svg.find("<title>leaf &lt;&amp;&gt;\n30 ns in all, 21.4 % of the whole, 21.4 % of its "
                   "caller\n30 ns itself\n2 calls</title>") != std::string::npos);
    std::size_t boxes = 0;
    for (std::size_t at = svg.find("<g>"); at != std::string::npos; at = svg.find("<g>", at + 1))
        ++boxes;
    CHECK(boxes == 3);
    CHECK(svg.ends_with("</svg>\n"));
}

}  // namespace lanescope
