// Each command is executed by exactly one feature.
#include <doctest/doctest.h>
#include <imgui.h>

#include "ui/app/features.h"

using namespace lanescope;

namespace {

// The features of a window, without one.
class TestWindow {
  public:
    TestWindow() : frame_(options(), Look{.fonts = load_fonts()}, [] {}) {}

    const FeatureList& features() const { return features_.all; }

  private:
    static AppOptions options() {
        AppOptions options;
        options.still = true;  // without the desktop's theme
        return options;
    }

    struct Context {
        Context() { ImGui::CreateContext(); }
        Context(const Context&) = delete;
        Context& operator=(const Context&) = delete;
        ~Context() { ImGui::DestroyContext(); }
    };
    Context context_;  // all others need it
    Frame frame_;
    Panels panels_;
    Features features_{frame_, panels_};
};

}  // namespace

TEST_CASE("each command has exactly one owner") {
    const TestWindow window;
    for (const Command& command : commands()) {
        const std::size_t owners = window.features().owners_of(command.action).size();
        CHECK_MESSAGE(owners == 1, command.id, " has ", owners, " owners");
    }
}

TEST_CASE("a feature owns nothing but commands, and no command twice") {
    const TestWindow window;
    std::size_t owned = 0;
    for (const Feature* const feature : window.features()) {
        for (const Action action : feature->actions()) {
            ++owned;
            CHECK(action != Action::none);
            CHECK(command_of(action).action == action);
        }
    }
    CHECK(owned == commands().size());
}
