// Steps of the search while the timeline shows one snapshot of a recording after another.
#include "ui/features/search.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "core/view/overview.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/ui/headless_imgui.h"
#include "ui/panels/find_panel.h"
#include "ui/timeline/found_layer.h"

using namespace lanescope;

namespace {

// Outer calls precede the nested ones in a lane, so the number of "aten::mm" differs in a snapshot
// with more outer calls.
constexpr std::string_view kFewCalls =
    R"({"traceEvents":[{"ph":"X","name":"step","pid":1,"tid":1,"ts":0,"dur":100},
{"ph":"X","name":"aten::mm","pid":1,"tid":1,"ts":10,"dur":10})";
constexpr std::string_view kMoreCalls = R"(,
{"ph":"X","name":"step","pid":1,"tid":1,"ts":200,"dur":100},
{"ph":"X","name":"step","pid":1,"tid":1,"ts":400,"dur":100}]})";

AppOptions options_without_desktop() {
    AppOptions options;
    options.still = true;
    return options;
}

class SearchScene {
  public:
    SearchScene() {
        show(std::string(kFewCalls) + "]}", true);
        search.act(Action::find, frame);
        draw();
        draw();
        ImGui::GetIO().AddInputCharactersUTF8("aten::mm");
        draw();
        draw();
    }
    void show_next_snapshot() { show(std::string(kFewCalls).append(kMoreCalls), false); }
    void take_results() {
        for (int tries = 0; tries < 3000 && !frame.jobs.idle(); ++tries) {
            frame.jobs.take_results();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        REQUIRE(frame.jobs.idle());
    }
    bool has_matches() const { return frame.timeline.layer<FoundLayer>().found != nullptr; }
    std::string selected() const {
        const SliceRef slice = frame.timeline.selected;
        return slice ? std::string(frame.timeline.trace().name(slice)) : "";
    }

  private:
    HeadlessImGui imgui_{600, 300};  // constructed first: the other members use Dear ImGui

  public:
    Frame frame{options_without_desktop(), Look{.fonts = load_fonts()}, [] {}};
    FindPanel panel;
    SearchFeature search{panel};

  private:
    void show(const std::string& text, bool first) {
        const TracePtr trace = testing::loaded(text);
        REQUIRE(trace);
        const ViewIndexPtr index = build_view_index(trace);
        show_trace(frame.timeline, index, build_overview(*index, index->bulk, 10), first);
    }
    void draw() {
        imgui_.frame([&] { search.draw_box({0, 0, 400, 30}, frame); });
    }
};

}  // namespace

TEST_CASE("search: a step selects a match") {
    SearchScene scene;
    scene.search.follow(scene.frame);
    scene.take_results();
    REQUIRE(scene.has_matches());
    CHECK(scene.selected().empty());
    scene.search.act(Action::find_next, scene.frame);
    CHECK(scene.selected() == "aten::mm");
}

TEST_CASE("search: a step before a new snapshot is searched is taken when it has matches") {
    SearchScene scene;
    scene.search.follow(scene.frame);
    scene.take_results();
    scene.show_next_snapshot();
    REQUIRE_FALSE(scene.has_matches());
    scene.search.act(Action::find_next, scene.frame);
    CHECK(scene.selected().empty());
    scene.search.follow(scene.frame);
    scene.take_results();
    CHECK(scene.selected() == "aten::mm");
}

TEST_CASE("search: matches of an earlier snapshot suffice for a step") {
    SearchScene scene;
    scene.search.follow(scene.frame);
    scene.show_next_snapshot();
    scene.search.act(Action::find_next, scene.frame);
    scene.take_results();
    CHECK_FALSE(scene.has_matches());
    CHECK(scene.selected() == "aten::mm");
}

TEST_CASE("search: a step without a text selects nothing later") {
    SearchScene scene;
    CHECK(scene.search.dismiss(Layer::search, scene.frame));
    scene.search.act(Action::find_next, scene.frame);
    scene.search.follow(scene.frame);
    scene.take_results();
    CHECK(scene.selected().empty());
}
