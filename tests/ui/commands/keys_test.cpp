#include "ui/commands/keys.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace lanescope;

namespace {

bool reports(const KeyMap& keys, std::string_view part) {
    return std::ranges::any_of(keys.problems, [&](const std::string& problem) {
        return problem.find(part) != std::string::npos;
    });
}

}  // namespace

TEST_CASE("Keys follow established habits") {
    const KeyMap keys = make_key_map({});
    CHECK(action_of(keys, ImGuiKey_F) == Action::frame);
    CHECK(action_of(keys, ImGuiKey_W) == Action::zoom_in);
    CHECK(action_of(keys, ImGuiKey_Home) == Action::whole_trace_begin);
    CHECK(action_of(keys, ImGuiMod_Alt | ImGuiKey_LeftArrow) == Action::place_back);
    CHECK(action_of(keys, ImGuiKey_LeftArrow) == Action::previous_in_row);
    CHECK(action_of(keys, ImGuiMod_Ctrl | ImGuiKey_O) == Action::open);
    CHECK(action_of(keys, ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Equal) == Action::larger);
    CHECK(action_of(keys, ImGuiMod_Ctrl | ImGuiKey_KeypadAdd) == Action::larger);
    CHECK(action_of_character(keys, '?') == Action::help);
    CHECK(action_of(keys, ImGuiKey_F1) == Action::help);
    CHECK(action_of_character(keys, ']') == Action::flow_forward);
    CHECK(keys_of(keys, Action::help) == "?  F1");
}

TEST_CASE("A key with other modifiers is another key") {
    const KeyMap keys = make_key_map({});
    CHECK(action_of(keys, ImGuiMod_Alt | ImGuiKey_F) == Action::none);
    CHECK(action_of(keys, ImGuiMod_Shift | ImGuiKey_L) == Action::none);
    CHECK(action_of(keys, ImGuiKey_O) == Action::none);
    CHECK(action_of_character(keys, 'x') == Action::none);
}

TEST_CASE("Every command appears once, with its group, its keys are unique and readable") {
    std::set<std::string> ids;
    std::set<std::string> groups;
    std::set<Action> actions;
    std::string group;
    const KeyMap keys = make_key_map({});
    CHECK(keys.problems.empty());
    for (const Command& command : commands()) {
        CAPTURE(command.id);
        if (command.group != group) {
            group = command.group;
            CHECK(groups.insert(group).second);
        }
        CHECK(ids.insert(command.id).second);
        CHECK(actions.insert(command.action).second);
        CHECK(&command_of(command.action) == &command);
        CHECK(find_command(command.id) == &command);
        CHECK(!std::string(command.title).empty());
        const std::string_view text = command.keys;
        const auto words = text.empty() ? 0 : 1 + std::ranges::count(text, ' ');
        const auto chords = first_keys(command);
        CHECK(static_cast<std::ptrdiff_t>(chords.size()) == words);
        for (const Chord& chord : chords) {
            const Action found =
                chord.key ? action_of(keys, chord.key) : action_of_character(keys, chord.character);
            CHECK(found == command.action);
        }
    }
    // The enumeration begins with none and ends with help.
    CHECK(actions.size() == static_cast<std::size_t>(Action::help));
}

TEST_CASE("Custom keys replace the default ones") {
    const KeyMap keys = make_key_map({{"view.frame", {"Ctrl+J", "Z"}}, {"window.legend", {}}});
    CHECK(keys.problems.empty());
    CHECK(action_of(keys, ImGuiMod_Ctrl | ImGuiKey_J) == Action::frame);
    CHECK(action_of(keys, ImGuiKey_Z) == Action::frame);
    CHECK(action_of(keys, ImGuiKey_F) == Action::none);
    CHECK(action_of(keys, ImGuiKey_L) == Action::none);
    CHECK(keys_of(keys, Action::legend).empty());
}

TEST_CASE("Unknown commands and unreadable keys are reported, and the default key stays") {
    const KeyMap keys = make_key_map({{"view.fly", {"F"}}, {"view.frame", {"Hyper+F"}}});
    CHECK(reports(keys, "No command is called “view.fly”."));
    CHECK(reports(keys, "view.frame: the key “Hyper+F” cannot be read"));
    CHECK(keys.problems.size() == 2);
    CHECK(action_of(keys, ImGuiKey_F) == Action::frame);
}

TEST_CASE("A key requested twice is assigned once, and both commands are named") {
    const KeyMap keys = make_key_map({{"view.frame", {"X"}}, {"window.legend", {"X"}}});
    CHECK(reports(keys, "X is asked for twice: view.frame has it, window.legend does not."));
    CHECK(action_of(keys, ImGuiKey_X) == Action::frame);
    CHECK(action_of(keys, ImGuiKey_L) == Action::legend);
}

TEST_CASE("A custom key overrides another command's default, with a notice") {
    const KeyMap keys = make_key_map({{"view.frame", {"L"}}});
    CHECK(action_of(keys, ImGuiKey_L) == Action::frame);
    CHECK(reports(keys, "L is now view.frame, no longer window.legend. That has no key left."));
    const KeyMap swapped = make_key_map({{"view.frame", {"L"}}, {"window.legend", {"F"}}});
    CHECK(swapped.problems.empty());
    CHECK(action_of(swapped, ImGuiKey_F) == Action::legend);
}

TEST_CASE("Step commands repeat while a key is held, motions continue, switches act once") {
    CHECK(command_of(Action::next_in_lane).holding == Holding::repeats);
    CHECK(command_of(Action::parent).holding == Holding::repeats);
    CHECK(command_of(Action::zoom_in).holding == Holding::moves);
    CHECK(command_of(Action::theme).holding == Holding::once);
    CHECK(command_of(Action::open).holding == Holding::once);
}
