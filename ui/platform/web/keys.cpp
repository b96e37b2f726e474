#include "ui/platform/web/keys.h"

#include <algorithm>
#include <iterator>

namespace lanescope {

namespace {

struct NamedKey {
    std::string_view code;
    ImGuiKey key;
};

constexpr NamedKey kNamedKeys[] = {
    {"ArrowLeft", ImGuiKey_LeftArrow},
    {"ArrowRight", ImGuiKey_RightArrow},
    {"ArrowUp", ImGuiKey_UpArrow},
    {"ArrowDown", ImGuiKey_DownArrow},
    {"Tab", ImGuiKey_Tab},
    {"PageUp", ImGuiKey_PageUp},
    {"PageDown", ImGuiKey_PageDown},
    {"Home", ImGuiKey_Home},
    {"End", ImGuiKey_End},
    {"Insert", ImGuiKey_Insert},
    {"Delete", ImGuiKey_Delete},
    {"Backspace", ImGuiKey_Backspace},
    {"Space", ImGuiKey_Space},
    {"Enter", ImGuiKey_Enter},
    {"NumpadEnter", ImGuiKey_KeypadEnter},
    {"Escape", ImGuiKey_Escape},
    {"ShiftLeft", ImGuiKey_LeftShift},
    {"ShiftRight", ImGuiKey_RightShift},
    {"ControlLeft", ImGuiKey_LeftCtrl},
    {"ControlRight", ImGuiKey_RightCtrl},
    {"AltLeft", ImGuiKey_LeftAlt},
    {"AltRight", ImGuiKey_RightAlt},
    {"MetaLeft", ImGuiKey_LeftSuper},
    {"MetaRight", ImGuiKey_RightSuper},
    {"ContextMenu", ImGuiKey_Menu},
    {"Quote", ImGuiKey_Apostrophe},
    {"Comma", ImGuiKey_Comma},
    {"Minus", ImGuiKey_Minus},
    {"Period", ImGuiKey_Period},
    {"Slash", ImGuiKey_Slash},
    {"Semicolon", ImGuiKey_Semicolon},
    {"Equal", ImGuiKey_Equal},
    {"BracketLeft", ImGuiKey_LeftBracket},
    {"Backslash", ImGuiKey_Backslash},
    {"BracketRight", ImGuiKey_RightBracket},
    {"Backquote", ImGuiKey_GraveAccent},
    {"IntlBackslash", ImGuiKey_Oem102},
    {"NumpadDecimal", ImGuiKey_KeypadDecimal},
    {"NumpadDivide", ImGuiKey_KeypadDivide},
    {"NumpadMultiply", ImGuiKey_KeypadMultiply},
    {"NumpadSubtract", ImGuiKey_KeypadSubtract},
    {"NumpadAdd", ImGuiKey_KeypadAdd},
};

ImGuiKey after(ImGuiKey first, int steps) {
    return static_cast<ImGuiKey>(static_cast<int>(first) + steps);
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace

ImGuiKey imgui_key(std::string_view code, std::string_view key) {
    if (key.size() == 1) {
        const char lower = key[0] >= 'A' && key[0] <= 'Z' ? static_cast<char>(key[0] + 32) : key[0];
        if (lower >= 'a' && lower <= 'z') return after(ImGuiKey_A, lower - 'a');
    }
    if (code.size() == 6 && code.starts_with("Digit") && is_digit(code[5]))
        return after(ImGuiKey_0, code[5] - '0');
    if (code.size() == 7 && code.starts_with("Numpad") && is_digit(code[6]))
        return after(ImGuiKey_Keypad0, code[6] - '0');
    if (code.size() == 4 && code.starts_with("Key")) return after(ImGuiKey_A, code[3] - 'A');
    if (code.size() >= 2 && code.size() <= 3 && code[0] == 'F' && is_digit(code[1])) {
        const int number = code.size() == 2 ? code[1] - '0' : (code[1] - '0') * 10 + code[2] - '0';
        if (number >= 1 && number <= 24) return after(ImGuiKey_F1, number - 1);
    }
    const auto* const found = std::ranges::find(kNamedKeys, code, &NamedKey::code);
    return found == std::end(kNamedKeys) ? ImGuiKey_None : found->key;
}

}  // namespace lanescope
