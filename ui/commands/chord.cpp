#include "ui/commands/chord.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace lanescope {

namespace {

struct KeyName {
    std::string_view name;
    ImGuiKey key;
};

// The first name of a key is displayed.
constexpr KeyName kNames[] = {
    {"←", ImGuiKey_LeftArrow},   {"→", ImGuiKey_RightArrow},   {"↑", ImGuiKey_UpArrow},
    {"↓", ImGuiKey_DownArrow},   {"Left", ImGuiKey_LeftArrow}, {"Right", ImGuiKey_RightArrow},
    {"Up", ImGuiKey_UpArrow},    {"Down", ImGuiKey_DownArrow}, {"Home", ImGuiKey_Home},
    {"End", ImGuiKey_End},       {"PageUp", ImGuiKey_PageUp},  {"PageDown", ImGuiKey_PageDown},
    {"Insert", ImGuiKey_Insert}, {"Delete", ImGuiKey_Delete},  {"Esc", ImGuiKey_Escape},
    {"Escape", ImGuiKey_Escape}, {"Enter", ImGuiKey_Enter},    {"Return", ImGuiKey_Enter},
    {"Tab", ImGuiKey_Tab},       {"Space", ImGuiKey_Space},    {"Backspace", ImGuiKey_Backspace},
};

constexpr KeyName kSigns[] = {
    {".", ImGuiKey_Period},       {",", ImGuiKey_Comma},      {"/", ImGuiKey_Slash},
    {";", ImGuiKey_Semicolon},    {"'", ImGuiKey_Apostrophe}, {"[", ImGuiKey_LeftBracket},
    {"]", ImGuiKey_RightBracket}, {"\\", ImGuiKey_Backslash}, {"`", ImGuiKey_GraveAccent},
    {"-", ImGuiKey_Minus},        {"+", ImGuiKey_Equal},      {"=", ImGuiKey_Equal},
};

constexpr std::string_view kFunctionKeys[] = {
    "F1",  "F2",  "F3",  "F4",  "F5",  "F6",  "F7",  "F8",  "F9",  "F10", "F11", "F12",
    "F13", "F14", "F15", "F16", "F17", "F18", "F19", "F20", "F21", "F22", "F23", "F24"};

bool same_word(std::string_view a, std::string_view b) {
    return std::ranges::equal(
        a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

ImGuiKey offset_key(ImGuiKey first, std::ptrdiff_t offset) {
    return static_cast<ImGuiKey>(static_cast<std::ptrdiff_t>(first) + offset);
}

ImGuiKey key_of_name(std::string_view name) {
    if (name.size() == 1) {
        const int c = std::toupper(static_cast<unsigned char>(name.front()));
        if (c >= 'A' && c <= 'Z') return offset_key(ImGuiKey_A, c - 'A');
        if (c >= '0' && c <= '9') return offset_key(ImGuiKey_0, c - '0');
    }
    for (std::size_t i = 0; i < std::size(kFunctionKeys); ++i)
        if (same_word(name, kFunctionKeys[i]))
            return offset_key(ImGuiKey_F1, static_cast<std::ptrdiff_t>(i));
    for (const KeyName& known : kNames)
        if (same_word(name, known.name)) return known.key;
    return ImGuiKey_None;
}

ImGuiKey key_of_sign(std::string_view sign) {
    for (const KeyName& known : kSigns)
        if (sign == known.name) return known.key;
    return ImGuiKey_None;
}

ImGuiKeyChord modifier_of(std::string_view name) {
    if (same_word(name, "Ctrl") || same_word(name, "Control")) return ImGuiMod_Ctrl;
    if (same_word(name, "Shift")) return ImGuiMod_Shift;
    if (same_word(name, "Alt")) return ImGuiMod_Alt;
    if (same_word(name, "Super") || same_word(name, "Meta")) return ImGuiMod_Super;
    return ImGuiMod_None;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

Error unreadable(std::string text) {
    return Error{ErrorCode::usage, Error::no_offset, std::move(text)};
}

bool is_sign(std::string_view name) {
    return name.size() == 1 && std::ispunct(static_cast<unsigned char>(name.front()));
}

}  // namespace

Result<Chord> parse_chord(std::string_view text) {
    ImGuiKeyChord modifiers = 0;
    std::string_view rest = trimmed(text);
    // A plus at the very end is the key itself.
    for (std::size_t plus = rest.find('+');
         plus != std::string_view::npos && plus > 0 && !trimmed(rest.substr(plus + 1)).empty();
         plus = rest.find('+')) {
        const std::string_view name = trimmed(rest.substr(0, plus));
        const ImGuiKeyChord modifier = modifier_of(name);
        if (modifier == 0)
            return unreadable("“" + std::string(name) + "” is not Ctrl, Shift, Alt or Super");
        modifiers |= modifier;
        rest = trimmed(rest.substr(plus + 1));
    }
    if (rest.empty()) return unreadable("no key is named");
    if (is_sign(rest)) {
        if ((modifiers & (ImGuiMod_Ctrl | ImGuiMod_Alt | ImGuiMod_Super)) == 0) {
            if (modifiers != 0) return unreadable("name the sign that Shift makes, without Shift");
            return Chord{0, static_cast<ImWchar>(rest.front())};
        }
        if (const ImGuiKey key = key_of_sign(rest); key != ImGuiKey_None)
            return Chord{plain_chord(modifiers | key), 0};
    }
    const ImGuiKey key = key_of_name(rest);
    if (key == ImGuiKey_None) return unreadable("no key is called “" + std::string(rest) + "”");
    return Chord{modifiers | key, 0};
}

std::string chord_text(Chord chord) {
    if (chord.character != 0) return {static_cast<char>(chord.character)};
    std::string text;
    if (chord.key & ImGuiMod_Ctrl) text += "Ctrl+";
    if (chord.key & ImGuiMod_Alt) text += "Alt+";
    if (chord.key & ImGuiMod_Shift) text += "Shift+";
    if (chord.key & ImGuiMod_Super) text += "Super+";
    const auto key = static_cast<ImGuiKey>(chord.key & ~ImGuiMod_Mask_);
    if (key >= ImGuiKey_A && key <= ImGuiKey_Z)
        return text + static_cast<char>('A' + key - ImGuiKey_A);
    if (key >= ImGuiKey_0 && key <= ImGuiKey_9)
        return text + static_cast<char>('0' + key - ImGuiKey_0);
    if (key >= ImGuiKey_F1 && key <= ImGuiKey_F24)
        return text.append(kFunctionKeys[static_cast<std::size_t>(key - ImGuiKey_F1)]);
    for (const KeyName& known : kNames)
        if (known.key == key) return text.append(known.name);
    for (const KeyName& known : kSigns)
        if (known.key == key) return text.append(known.name);
    return text + ImGui::GetKeyName(key);
}

ImGuiKeyChord plain_chord(ImGuiKeyChord pressed) {
    const ImGuiKeyChord modifiers = pressed & ImGuiMod_Mask_;
    const auto key = static_cast<ImGuiKey>(pressed & ~ImGuiMod_Mask_);
    if (key >= ImGuiKey_Keypad0 && key <= ImGuiKey_Keypad9)
        return modifiers | offset_key(ImGuiKey_0, key - ImGuiKey_Keypad0);
    switch (key) {
        case ImGuiKey_Equal:
            return (modifiers & ~ImGuiMod_Shift) | ImGuiKey_Equal;
        case ImGuiKey_KeypadAdd:
            return modifiers | ImGuiKey_Equal;
        case ImGuiKey_KeypadSubtract:
            return modifiers | ImGuiKey_Minus;
        case ImGuiKey_KeypadEnter:
            return modifiers | ImGuiKey_Enter;
        default:
            return pressed;
    }
}

bool types_a_sign(ImGuiKeyChord pressed) {
    if (pressed & (ImGuiMod_Ctrl | ImGuiMod_Alt | ImGuiMod_Super)) return false;
    const auto key = static_cast<ImGuiKey>(pressed & ~ImGuiMod_Mask_);
    return (key >= ImGuiKey_Apostrophe && key <= ImGuiKey_GraveAccent) ||
           ((pressed & ImGuiMod_Shift) && key >= ImGuiKey_0 && key <= ImGuiKey_9) ||
           key == ImGuiKey_Oem102;
}

bool passes_text_fields(ImGuiKeyChord pressed) {
    const auto key = static_cast<ImGuiKey>(pressed & ~ImGuiMod_Mask_);
    if (key >= ImGuiKey_F1 && key <= ImGuiKey_F24) return true;
    if ((pressed & ImGuiMod_Ctrl) == 0) return false;
    constexpr std::array kEditing = {ImGuiKey_A, ImGuiKey_C, ImGuiKey_V,
                                     ImGuiKey_X, ImGuiKey_Y, ImGuiKey_Z};
    const bool letter = key >= ImGuiKey_A && key <= ImGuiKey_Z;
    return letter && std::ranges::find(kEditing, key) == kEditing.end();
}

}  // namespace lanescope
