#include "ui/panels/flame_panel.h"

#include <doctest/doctest.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "tests/core/trace_maker.h"
#include "tests/ui/headless_imgui.h"
#include "tests/ui/panels/requested.h"

using namespace lanescope;

namespace {

// main calls a (40), which calls leaf (10), and b (20), which calls leaf (5).
TracePtr calls() {
    TraceMaker maker;
    maker.process("1", "program");
    maker.lane(
        {{{0, 100, "main"}, {10, 40, "a"}, {20, 10, "leaf"}, {60, 20, "b"}, {70, 5, "leaf"}}});
    return maker.finish();
}

// The panel in a window of its own, without OpenGL.
class ShownFlames {
  public:
    explicit ShownFlames(const TracePtr& trace = calls()) {
        look_.fonts = load_fonts();
        inputs.shown = trace;
        inputs.context = std::make_shared<const TraceContext>(inputs.shown);
        inputs.jobs = &jobs_;
        settle();
    }
    void frame() {
        jobs_.take_results();
        Requests requests;
        imgui_.frame([&] { panel.draw_contents(inputs, look_, requests); });
        if (const auto slice = testing::zoomed_to(requests)) found = slice;
    }
    void settle() {
        do {
            frame();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        } while (!panel.ready());
        frame();
        frame();
    }
    void click(ImVec2 at, int times = 1) {
        ImGuiIO& io = ImGui::GetIO();
        io.AddMousePosEvent(at.x, at.y);
        frame();
        for (int i = 0; i < times; ++i) {
            io.AddMouseButtonEvent(0, true);
            frame();
            io.AddMouseButtonEvent(0, false);
            frame();
        }
        // A later click is not the second of a double click.
        for (int i = 0; i < 30; ++i) frame();
        settle();
    }
    void press(const char* button) {
        const auto place = std::ranges::find(panel.buttons(), button, &FlamePanel::Place::name);
        REQUIRE(place != panel.buttons().end());
        click(place->middle);
    }
    void key(ImGuiKey pressed) {
        ImGui::GetIO().AddKeyEvent(pressed, true);
        frame();
        ImGui::GetIO().AddKeyEvent(pressed, false);
        frame();
    }
    void type(const char* text) {
        press("search");
        ImGui::GetIO().AddInputCharactersUTF8(text);
        frame();
        settle();
    }

    std::string name_of(uint32_t node) const {
        const FlameTree& tree = *panel.tree();
        return std::string(frame_text(*inputs.shown, tree.frames[tree.nodes[node].frame]));
    }
    const FlameView::Drawn& box(std::string_view name) const {
        const auto& drawn = panel.view().drawn();
        const auto box = std::ranges::find_if(
            drawn, [&](const FlameView::Drawn& one) { return name_of(one.node) == name; });
        REQUIRE(box != drawn.end());
        return *box;
    }
    ImVec2 middle(std::string_view name) const {
        const FlameView::Drawn& at = box(name);
        return {(at.x0 + at.x1) / 2, (at.y0 + at.y1) / 2};
    }
    std::string found_name() const { return found ? std::string(inputs.shown->name(*found)) : ""; }

    PanelInputs inputs;
    FlamePanel panel;
    std::optional<SliceRef> found;  // the last slice to show on the timeline

  private:
    HeadlessImGui imgui_{1200, 400};  // destroyed last
    Look look_;
    Jobs jobs_{[] {}};
};

}  // namespace

TEST_CASE("flame graph: boxes are as wide as their share, and below their callers") {
    ShownFlames shown;
    const FlameView::Drawn main = shown.box("main");
    const FlameView::Drawn a = shown.box("a");
    const float width = main.x1 - main.x0 + 1;  // with the gap beside it
    CHECK(a.x1 - a.x0 + 1 == doctest::Approx(width * 0.4).epsilon(0.01));
    CHECK(a.x0 == main.x0);
    CHECK(shown.box("b").x0 == doctest::Approx(a.x1 + 1).epsilon(0.01));
    CHECK(a.y0 > main.y1);
    CHECK(shown.box("leaf").y0 > a.y1);
}

TEST_CASE("flame graph: a click zooms, and a click on a box around it zooms out") {
    ShownFlames shown;
    const float width = shown.box("main").x1 - shown.box("main").x0;
    shown.click(shown.middle("a"));
    CHECK(shown.name_of(shown.panel.view().zoomed()) == "a");
    CHECK(shown.box("a").x1 - shown.box("a").x0 == doctest::Approx(width));
    CHECK(shown.box("main").around);
    CHECK(shown.box("leaf").x1 - shown.box("leaf").x0 == doctest::Approx(width / 4).epsilon(0.01));
    shown.click(shown.middle("main"));
    CHECK(shown.name_of(shown.panel.view().zoomed()) == "main");
    shown.press("Reset zoom");
    CHECK(shown.panel.view().zoomed() == 0);
    CHECK(!shown.found);
}

TEST_CASE("flame graph: a double click finds the longest call on the timeline, as does Enter") {
    ShownFlames shown;
    shown.click(shown.middle("leaf"), 2);
    CHECK(shown.found_name() == "leaf");
    shown.found.reset();
    shown.press("Reset zoom");
    shown.click(shown.middle("b"));
    CHECK(!shown.found);
    shown.key(ImGuiKey_Enter);
    CHECK(shown.found_name() == "b");
}

TEST_CASE("flame graph: with the keyboard's focus, arrows walk from box to box") {
    ShownFlames shown;
    shown.click(shown.middle("a"));  // gives the focus to the boxes
    ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    shown.key(ImGuiKey_Home);
    CHECK(shown.panel.view().zoomed() == 0);
    shown.key(ImGuiKey_DownArrow);
    CHECK(shown.name_of(shown.panel.view().cursor()) == "leaf");
    shown.key(ImGuiKey_RightArrow);
    CHECK(shown.name_of(shown.panel.view().cursor()) == "leaf");
    shown.key(ImGuiKey_UpArrow);
    CHECK(shown.name_of(shown.panel.view().cursor()) == "b");
    shown.key(ImGuiKey_LeftArrow);
    CHECK(shown.name_of(shown.panel.view().cursor()) == "a");
    shown.key(ImGuiKey_UpArrow);
    shown.key(ImGuiKey_UpArrow);
    CHECK(shown.name_of(shown.panel.view().cursor()) == "main");
    shown.key(ImGuiKey_DownArrow);
    shown.key(ImGuiKey_Space);
    CHECK(shown.name_of(shown.panel.view().zoomed()) == "a");
}

TEST_CASE("flame graph: a search dims what does not match, and says how much does") {
    ShownFlames shown;
    shown.type("LEAF");
    REQUIRE(shown.panel.matches());
    CHECK(shown.panel.matches()->nodes == 2);
    CHECK(shown.panel.matches()->weight == 15);
    CHECK(shown.box("leaf").bright);
    CHECK(!shown.box("main").bright);
}

TEST_CASE("flame graph: a range limits it, and the zoom stays at the same stack") {
    ShownFlames shown;
    shown.click(shown.middle("b"));
    shown.inputs.range = TimeRange{25, 72};
    shown.settle();
    CHECK(shown.panel.tree()->root().total == 47);
    CHECK(shown.name_of(shown.panel.view().zoomed()) == "b");
    shown.inputs.range = TimeRange{0, 5};
    shown.settle();
    CHECK(shown.panel.view().zoomed() != 0);  // main, the last that remains
    CHECK(shown.name_of(shown.panel.view().zoomed()) == "main");
}

TEST_CASE("flame graph: it can be limited to what is inside the selected slice") {
    ShownFlames shown;
    shown.press("In selection");
    CHECK(shown.panel.tree()->root().total == 100);  // nothing is selected
    shown.inputs.selected = {0, 1};
    REQUIRE(shown.inputs.shown->name(shown.inputs.selected) == "a");
    shown.settle();
    shown.press("In selection");
    CHECK(shown.panel.tree()->root().total == 40);
}

TEST_CASE("flame graph: the sandwich lists names, with callers above and callees below") {
    ShownFlames shown;
    shown.press("Sandwich");
    REQUIRE(shown.panel.name_rows().size() == 4);
    CHECK(shown.panel.name_rows()[0].name == "main");  // 40 itself
    const auto leaf =
        std::ranges::find(shown.panel.name_rows(), "leaf", &FlamePanel::NameRow::name);
    shown.click(leaf->middle);
    const auto& callers = shown.panel.callers().drawn();
    REQUIRE(callers.size() == 5);  // leaf, a, b, and main above each
    CHECK(callers[0].y0 > callers[1].y0);
    CHECK(shown.panel.callees().drawn().size() == 1);
    shown.click(leaf->middle, 2);
    CHECK(shown.found_name() == "leaf");
}

TEST_CASE("flame graph: sources that the trace lacks cannot be chosen") {
    ShownFlames shown;
    shown.press("GPU");
    CHECK(shown.panel.tree()->source == FlameSource::calls);
    shown.press("Time order");
    CHECK(shown.panel.tree()->order == FlameOrder::time);
}
