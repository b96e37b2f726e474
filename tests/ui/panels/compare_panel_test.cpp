// The panel Compare: its words are those of the command line, and rows lead to both traces.
#include "ui/panels/compare_panel.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/ingest/load.h"
#include "core/trace/join.h"
#include "tests/core/memory_file.h"
#include "tests/ui/headless_imgui.h"
#include "tests/ui/panels/requested.h"

using namespace lanescope;

namespace {

std::string event_of_comparison(std::string_view category, const std::string& name, double begin,
                                double time) {
    return fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":1,"ts":{},"dur":{}}},)",
                       category, name, begin, time);
}

// Seven steps, numbered from `first`, of an operator that takes `time` us and a bit more in each.
std::string steps_text(int first, double time, const std::string& name = "aten::mm") {
    std::string text = "{\"traceEvents\":[";
    for (int i = 0; i < 7; ++i) {
        const double begin = 10'000 * i;
        const double all = time + i;
        text += event_of_comparison("user_annotation", fmt::format("ProfilerStep#{}", first + i),
                                    begin, all + 100);
        text += event_of_comparison("cpu_op", name, begin + 50, all);
    }
    text.back() = ']';
    return text + "}";
}

// With a module around the operator of the first step.
std::string with_modules(std::string text) {
    text.pop_back();
    text.pop_back();
    text += "," + event_of_comparison("python_function", "nn.Module: Net_0", 20, 1060);
    text.back() = ']';
    return text + "}";
}

// Draws the panel in a window without OpenGL.
class ShownComparison {
  public:
    explicit ShownComparison(const std::vector<std::string>& texts, float width = 1400)
        : imgui_(width, 600) {
        look_.fonts = load_fonts();
        std::vector<JoinPart> parts;
        for (const std::string& text : texts) {
            LoadOptions options;
            if (!parts.empty()) options.vocabulary = parts.front().trace;
            const auto trace = load_trace(testing::MemoryFile(text).path(), options);
            REQUIRE(trace);
            parts.push_back({*trace, 0, fmt::format("trace {}", parts.size())});
        }
        const auto joined = join_traces(parts);
        REQUIRE(joined);
        shown = joined->whole;
        for (const TracePtr& part : joined->parts)
            contexts.push_back(std::make_shared<const TraceContext>(part));
        settle();
    }
    // The requests of a frame.
    Requests frame() {
        jobs_.take_results();
        Requests requests;
        CompareInputs inputs{contexts, keys_, shown, range, selected, aligned_at, false, &jobs_};
        imgui_.frame([&] { panel.draw_contents(inputs, look_, requests); });
        return requests;
    }
    void settle() {
        do frame();
        while (!panel.ready());
        frame();
        frame();
    }
    // The requests that a click causes.
    Requests click(float x, float y) {
        ImGui::GetIO().AddMousePosEvent(x, y);
        frame();
        Requests all;
        for (const bool down : {true, false}) {
            ImGui::GetIO().AddMouseButtonEvent(0, down);
            Requests requests = frame();
            for (Request& request : requests.take_all()) all.add(std::move(request));
        }
        return all;
    }
    Requests press(std::string_view name) {
        const auto place = std::ranges::find(panel.places(), name, &ComparePanel::Place::name);
        REQUIRE(place != panel.places().end());
        return click(place->middle.x, place->middle.y);
    }
    // Clicks a row, counted from 0.
    Requests click_row(int row) {
        const float x = panel.table().column_places().front().left + 50;
        const float line = type::kTable + 2 * ImGui::GetStyle().CellPadding.y;
        return click(x, panel.table().first_row_y() + line * static_cast<float>(row));
    }

    std::vector<std::shared_ptr<const TraceContext>> contexts;
    TracePtr shown;
    std::optional<TimeRange> range;
    SliceRef selected;
    std::optional<int64_t> aligned_at;
    ComparePanel panel;

  private:
    HeadlessImGui imgui_;  // destroyed last
    Look look_;
    KeyMap keys_ = make_key_map({});
    Jobs jobs_{[] {}};
};

// Computes the same comparison as `lanescope compare`.
Comparison comparison_of(const ShownComparison& of, std::size_t a, std::size_t b) {
    RunProfile first = profile_run(*of.contexts[a], {of.range});
    RunProfile second = profile_run(*of.contexts[b], {of.range});
    return compare_runs({&first, 1}, {&second, 1}, {0});
}

}  // namespace

TEST_CASE("compare panel: one trace: how to add another") {
    ShownComparison one({steps_text(0, 1000)});
    CHECK(one.panel.ready());
    CHECK(!one.panel.comparison());
    const Requests requests = one.press("add");
    const auto adds = [](const Request& request) {
        const auto* const action = std::get_if<Action>(&request);
        return action && *action == Action::add_trace;
    };
    CHECK(std::ranges::count_if(requests.all(), adds) == 1);
}

TEST_CASE("compare panel: its words and rows are those of the command line") {
    for (const float width : {1400.0F, 700.0F}) {
        ShownComparison two({steps_text(0, 1000), steps_text(3, 2000)}, width);
        REQUIRE(two.panel.comparison());
        const ComparisonText& shown = *two.panel.text();
        const ComparisonText expected = comparison_text(comparison_of(two, 0, 1));
        CHECK(shown.comparability == expected.comparability);
        CHECK(shown.differences == expected.differences);
        CHECK(shown.step == expected.step);
        CHECK(shown.step.find("slower") != std::string::npos);
        CHECK(shown.notes == expected.notes);
        const Comparison& comparison = *two.panel.comparison();
        REQUIRE(two.panel.table().table());
        CHECK(two.panel.table().rows().size() == comparison.rows.size() + 1);  // and the step
    }
}

// In one window, all traces share the names of all.
TEST_CASE("compare panel: what only one trace has recorded is said") {
    ShownComparison two({with_modules(steps_text(0, 1000)), steps_text(0, 1000)});
    const auto& remarks = two.panel.text()->remarks;
    REQUIRE(remarks.size() == 1);
    CHECK(remarks.front().starts_with("Only A has recorded modules"));
}

TEST_CASE("compare panel: A and B are swapped") {
    ShownComparison two({steps_text(0, 1000), steps_text(0, 2000)});
    CHECK(two.panel.comparison()->step.verdict == Verdict::slower);
    two.press("swap");
    two.settle();
    CHECK(two.panel.comparison()->step.verdict == Verdict::faster);
    // Another trace in place of one of them: from the first again.
    two.contexts.erase(two.contexts.begin());
    two.frame();
    CHECK(!two.panel.comparison());
}

TEST_CASE("compare panel: a trace does not differ from itself") {
    ShownComparison two({steps_text(0, 1000), steps_text(0, 1000)});
    CHECK(two.panel.text()->differences.empty());
    CHECK(two.panel.text()->step.ends_with("no difference."));
    CHECK(two.panel.comparison()->step.verdict == Verdict::same);
}

TEST_CASE("compare panel: traces of different programs have no table") {
    ShownComparison two({steps_text(0, 1000), steps_text(0, 1000, "compile")});
    CHECK(!two.panel.comparison()->comparable);
    CHECK(two.panel.text()->step.empty());
    REQUIRE(!two.panel.text()->remarks.empty());
    CHECK(two.panel.text()->remarks.front().find("share no function") != std::string::npos);
    CHECK(!two.panel.table().table());
}

TEST_CASE("compare panel: a row leads to the longest call in A, then in B") {
    ShownComparison two({steps_text(0, 1000), steps_text(0, 2000)});
    const auto& rows = two.panel.comparison()->rows;
    REQUIRE(rows.front().name == "aten::mm");
    CHECK(!testing::zoomed_to(two.click_row(0)));  // the step
    const auto first = testing::zoomed_to(two.click_row(1));
    REQUIRE(first);
    CHECK(*first == rows.front().a.longest);
    CHECK(part_of(*two.shown, first->lane) == 0);
    CHECK(two.shown->duration(*first) == 1'006'000);
    two.selected = *first;
    const auto second = testing::zoomed_to(two.click_row(1));
    REQUIRE(second);
    CHECK(part_of(*two.shown, second->lane) == 1);
    CHECK(two.shown->duration(*second) == 2'006'000);
    two.selected = *second;
    CHECK(testing::zoomed_to(two.click_row(1)) == first);
}

TEST_CASE("compare panel: a marked range limits the steps") {
    ShownComparison two({steps_text(0, 1000), steps_text(0, 2000)});
    CHECK(two.panel.comparison()->step.a.samples.size() == 7);
    two.range = TimeRange{two.shown->origin, two.shown->origin + 25'000'000};
    two.settle();
    CHECK(two.panel.comparison()->step.a.samples.size() == 3);
    CHECK(two.panel.comparison()->step.verdict == Verdict::too_few);
}

TEST_CASE("compare panel: aligns by the first step that both have") {
    {
        ShownComparison two({steps_text(0, 1000), steps_text(3, 2000)});
        const Requests requests = two.press("align");
        REQUIRE(requests.find<AlignTraces>());
        CHECK(requests.find<AlignTraces>()->alignment == Alignment{AlignBy::step, 3, {}});
        two.aligned_at = 3;
        CHECK(!two.press("align").find<AlignTraces>());  // they are
    }
    ShownComparison apart({steps_text(0, 1000), steps_text(10, 2000)});
    CHECK(!apart.press("align").find<AlignTraces>());
}

TEST_CASE(
    "compare panel: a click on a box of the flame graph selects the function's longest call") {
    ShownComparison two({steps_text(0, 1000), steps_text(0, 2000)});
    CHECK(two.panel.flame_view().drawn().empty());
    two.press("flames");
    two.settle();
    const DifferenceFlames* const flames = two.panel.flames();
    REQUIRE(flames);
    const auto& drawn = two.panel.flame_view().drawn();
    REQUIRE(drawn.size() == 1);
    const DifferenceBox& box = flames->boxes[drawn.front().node];
    CHECK(box.name == "aten::mm");
    CHECK(box.a == 1'003'000);
    CHECK(box.b == 2'003'000);
    CHECK(box.verdict == Verdict::slower);
    const FlameView::Drawn at = drawn.front();
    const Requests clicked = two.click((at.x0 + at.x1) / 2, (at.y0 + at.y1) / 2);
    REQUIRE(testing::selected_in(clicked));
    CHECK(testing::selected_in(clicked) == two.panel.comparison()->rows.front().a.longest);
    CHECK(two.panel.flame_view().zoomed() == at.node);
    // The table is still there, and the graph can be left again.
    CHECK(testing::zoomed_to(two.click_row(1)) == testing::selected_in(clicked));
    two.press("flames");
    two.settle();
    CHECK(testing::zoomed_to(two.click_row(1)) == testing::selected_in(clicked));
}
