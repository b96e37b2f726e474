// Maps keys to commands: defaults, the user's settings, and key presses.
#include "ui/commands/keys.h"

#include <imgui_internal.h>

#include <algorithm>
#include <optional>

namespace lanescope {

namespace {

std::string in_quotes(std::string_view text) {
    std::string result = "“";
    result.append(text);
    return result += "”";
}

const Binding* binding_of(const std::vector<Binding>& bindings, Chord chord) {
    const auto found = std::ranges::find(bindings, chord, &Binding::chord);
    return found == bindings.end() ? nullptr : &*found;
}

// Binds the user's own keys, in the order of the commands.
void bind_own(const KeySettings& settings, KeyMap& map) {
    for (const auto& [id, texts] : settings)
        if (!find_command(id))
            map.problems.push_back("No command is called " + in_quotes(id) + ".");
    for (const Command& command : commands()) {
        const auto own = settings.find(command.id);
        if (own == settings.end()) continue;
        for (const std::string& text : own->second) {
            const Result<Chord> chord = parse_chord(text);
            if (!chord) {
                map.problems.push_back(std::string(command.id) + ": the key " + in_quotes(text) +
                                       " cannot be read: " + chord.error().text + ".");
                continue;
            }
            const Binding* taken = binding_of(map.bindings, *chord);
            if (taken && taken->action != command.action) {
                map.problems.push_back(chord_text(*chord) +
                                       " is asked for twice: " + command_of(taken->action).id +
                                       " has it, " + command.id + " does not.");
            } else if (!taken) {
                map.bindings.push_back({*chord, command.action});
            }
        }
    }
}

// If none of a command's own keys can be parsed, it keeps its default keys.
bool keeps_first_keys(const KeySettings& settings, const std::vector<Binding>& own,
                      const Command& command) {
    const auto asked = settings.find(command.id);
    if (asked == settings.end()) return true;
    const bool bound = std::ranges::find(own, command.action, &Binding::action) != own.end();
    return !bound && !asked->second.empty();
}

void bind_first(const KeySettings& settings, KeyMap& map) {
    const std::vector<Binding> own = map.bindings;
    for (const Command& command : commands()) {
        if (!keeps_first_keys(settings, own, command)) continue;
        bool lost = false;
        bool kept = false;
        for (const Chord& chord : first_keys(command)) {
            if (const Binding* taken = binding_of(own, chord)) {
                lost = taken->action != command.action;
                if (lost)
                    map.problems.push_back(chord_text(chord) + " is now " +
                                           command_of(taken->action).id + ", no longer " +
                                           command.id + ".");
                continue;
            }
            map.bindings.push_back({chord, command.action});
            kept = true;
        }
        if (lost && !kept) map.problems.back() += " That has no key left.";
    }
}

}  // namespace

std::vector<Chord> first_keys(const Command& command) {
    std::vector<Chord> chords;
    std::string_view rest = command.keys;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        if (const auto chord = parse_chord(rest.substr(0, end))) chords.push_back(*chord);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return chords;
}

KeyMap make_key_map(const KeySettings& settings) {
    KeyMap map;
    bind_own(settings, map);
    bind_first(settings, map);
    return map;
}

Action action_of(const KeyMap& keys, ImGuiKeyChord pressed) {
    const Binding* binding = binding_of(keys.bindings, {plain_chord(pressed), 0});
    return binding ? binding->action : Action::none;
}

Action action_of_character(const KeyMap& keys, ImWchar character) {
    const Binding* binding = binding_of(keys.bindings, {0, character});
    return binding ? binding->action : Action::none;
}

std::string keys_of(const KeyMap& keys, Action action) {
    std::string text;
    for (const Binding& binding : keys.bindings) {
        if (binding.action != action) continue;
        if (!text.empty()) text += "  ";
        text += chord_text(binding.chord);
    }
    return text;
}

std::vector<PressedKey> PressedKeys::take() {
    std::vector<PressedKey> pressed;
    for (const ImGuiInputEvent& event : ImGui::GetCurrentContext()->InputEventsTrail) {
        if (event.Type != ImGuiInputEventType_Key) continue;
        const ImGuiKey key = event.Key.Key;
        if ((key & ImGuiMod_Mask_) != 0) {
            modifiers_ = event.Key.Down ? modifiers_ | key : modifiers_ & ~ImGuiKeyChord{key};
        } else if (event.Key.Down && ImGui::IsKeyboardKey(key) && !ImGui::IsLRModKey(key)) {
            pressed.push_back({modifiers_ | key, false});
        }
    }
    for (int key = ImGuiKey_NamedKey_BEGIN; key < ImGuiKey_NamedKey_END; ++key) {
        const auto named = static_cast<ImGuiKey>(key);
        if (!ImGui::IsKeyboardKey(named) || ImGui::IsLRModKey(named) ||
            !ImGui::IsKeyPressed(named, true) || ImGui::IsKeyPressed(named, false))
            continue;
        pressed.push_back({ImGui::GetIO().KeyMods | named, true});
    }
    return pressed;
}

int held(const KeyMap& keys, Action action) {
    const ImGuiKeyChord modifiers = ImGui::GetIO().KeyMods;
    for (const Binding& binding : keys.bindings) {
        if (binding.action != action || binding.chord.key == 0) continue;
        const ImGuiKeyChord wanted = binding.chord.key & ImGuiMod_Mask_;
        const bool same = (modifiers & ~ImGuiMod_Shift) == (wanted & ~ImGuiMod_Shift) &&
                          (modifiers & wanted) == wanted;
        if (same && ImGui::IsKeyDown(static_cast<ImGuiKey>(binding.chord.key & ~ImGuiMod_Mask_)))
            return 1;
    }
    return 0;
}

}  // namespace lanescope
