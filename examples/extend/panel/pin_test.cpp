// The feature and its panel in a frame without a window.
#include <doctest/doctest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/ingest/load.h"
#include "core/view/overview.h"
#include "examples/extend/panel/pin_feature.h"
#include "examples/extend/panel/pin_panel.h"
#include "tests/ui/headless_imgui.h"
#include "ui/frame/feature_list.h"

using namespace lanescope;

namespace {

constexpr const char* kSample = LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz";

AppOptions still_options() {
    AppOptions options;
    options.still = true;  // without the desktop's theme
    return options;
}

class PinScene {
  public:
    // Shows the sample as the window does when it is loaded.
    void open() {
        frame.trace = std::make_unique<OpenTrace>(frame.jobs, std::vector<std::string>{kSample},
                                                  Document::open(std::string(kSample), [] {}));
        const auto trace = load_trace(kSample);
        REQUIRE(trace);
        const ViewIndexPtr index = build_view_index(*trace);
        show_trace(frame.timeline, index, build_overview(*index, index->bulk, 10), true);
    }
    nlohmann::json state() const {
        nlohmann::json state;
        for (const Feature* const each : features) each->describe(frame, state);
        return state;
    }
    // Draws one frame with the pointer at a place; returns the requests that the panel adds.
    Requests draw(ImVec2 pointer = {}, bool press = false) {
        ImGui::GetIO().AddMousePosEvent(pointer.x, pointer.y);
        ImGui::GetIO().AddMouseButtonEvent(0, press);
        frame.requests = {};
        imgui_.frame([&] {
            panel.draw(frame);
            button = ImGui::GetItemRectMin();
        });
        return frame.requests;
    }

  private:
    HeadlessImGui imgui_{600, 300};  // constructed first: the other members use Dear ImGui

  public:
    Frame frame{still_options(), Look{.fonts = load_fonts()}, [] {}};
    PinPanel panel;
    PinFeature feature;
    FeatureList features{{&feature}};
    ImVec2 button;  // of the last item that the panel drew
};

}  // namespace

TEST_CASE("pin: the command needs a selected slice") {
    PinScene scene;
    REQUIRE(scene.features.owners_of(kPinSlice).size() == 1);
    scene.features.act(kPinSlice, scene.frame);
    CHECK(scene.draw().all().empty());
    scene.open();
    scene.frame.now = 100;  // later than the first message is shown
    CHECK(scene.frame.notices.at(scene.frame.now).empty());
    scene.features.act(kPinSlice, scene.frame);
    CHECK(scene.frame.notices.at(scene.frame.now) == "Select a slice first.");
    CHECK(scene.state()["pinned_slice"].is_null());
}

TEST_CASE("pin: the selected slice is pinned, and the panel leads back to it") {
    PinScene scene;
    scene.open();
    const SliceRef slice{0, 3};
    const std::string name(scene.frame.timeline.trace().name(slice));
    set_selected(scene.frame.timeline, slice);
    scene.features.act(kPinSlice, scene.frame);
    CHECK(scene.state()["pinned_slice"] == name);

    set_selected(scene.frame.timeline, {});
    CHECK(scene.draw().all().empty());
    const ImVec2 on_button{scene.button.x + 5, scene.button.y + 5};
    Requests requests;
    for (const bool press : {false, true, false}) requests = scene.draw(on_button, press);
    const auto* const select = requests.find<SelectSlice>();
    REQUIRE(select);
    CHECK(select->slice == slice);

    scene.frame.trace.reset();
    CHECK(scene.state().is_null());
    CHECK(scene.draw(on_button, true).all().empty());
}
