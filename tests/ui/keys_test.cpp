#include "ui/shell/keys.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace lanescope;

TEST_CASE("Keys do what hands already know") {
    CHECK(action_of(ImGuiKey_F) == Action::frame);
    CHECK(action_of(ImGuiKey_Home) == Action::whole_trace_begin);
    CHECK(action_of(ImGuiMod_Alt | ImGuiKey_LeftArrow) == Action::view_back);
    CHECK(action_of(ImGuiKey_LeftArrow) == Action::previous_in_row);
    CHECK(action_of(ImGuiMod_Ctrl | ImGuiKey_O) == Action::open);
    CHECK(action_of(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Equal) == Action::larger);
    CHECK(action_of_character('?') == Action::help);
    CHECK(action_of_character(']') == Action::flow_forward);
}

TEST_CASE("Modifiers that are not asked for make it another key") {
    CHECK(action_of(ImGuiMod_Ctrl | ImGuiKey_F) == Action::none);
    CHECK(action_of(ImGuiMod_Shift | ImGuiKey_L) == Action::none);
    CHECK(action_of(ImGuiKey_O) == Action::none);
    CHECK(action_of_character('x') == Action::none);
}

TEST_CASE("Every line of the list of keys works, once, and stands with its group") {
    std::set<ImGuiKeyChord> chords;
    std::set<std::string> groups;
    std::string group;
    for (const KeyLine& line : key_lines()) {
        if (line.group != group) {
            group = line.group;
            CHECK(groups.insert(group).second);
        }
        if (line.chord != 0) {
            CHECK(chords.insert(line.chord).second);
            CHECK(action_of(line.chord) == line.action);
        }
        if (line.character != 0) CHECK(action_of_character(line.character) == line.action);
        const bool pressed = line.chord != 0 || line.character != 0;
        CHECK(pressed == (line.action != Action::none));
    }
}

TEST_CASE("Steps repeat while a key is held; switches do not") {
    CHECK(repeats(Action::next_in_lane));
    CHECK(repeats(Action::parent));
    CHECK(!repeats(Action::theme));
    CHECK(!repeats(Action::open));
}
