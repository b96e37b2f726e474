#include "ui/commands/chord.h"

#include <doctest/doctest.h>

using namespace lanescope;

namespace {

Chord chord(std::string_view text) {
    const auto parsed = parse_chord(text);
    REQUIRE(parsed);
    return *parsed;
}

std::string complaint(std::string_view text) {
    const auto parsed = parse_chord(text);
    return parsed ? "" : parsed.error().text;
}

}  // namespace

TEST_CASE("Chords are parsed as people write them") {
    CHECK(chord("F").key == ImGuiKey_F);
    CHECK(chord("ctrl+shift+p").key == (ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P));
    CHECK(chord(" Ctrl + O ").key == (ImGuiMod_Ctrl | ImGuiKey_O));
    CHECK(chord("Alt+Left") == chord("Alt+←"));
    CHECK(chord("Escape") == chord("Esc"));
    CHECK(chord("F12").key == ImGuiKey_F12);
    CHECK(chord("7").key == ImGuiKey_7);
}

TEST_CASE("A sign is recognised by the character it types, unless Ctrl or Alt suppresses it") {
    CHECK(chord("/") == Chord{0, '/'});
    CHECK(chord("+") == Chord{0, '+'});
    CHECK(chord("Ctrl++").key == (ImGuiMod_Ctrl | ImGuiKey_Equal));
    CHECK(chord("Ctrl+-").key == (ImGuiMod_Ctrl | ImGuiKey_Minus));
    CHECK(chord("Alt+.").key == (ImGuiMod_Alt | ImGuiKey_Period));
}

TEST_CASE("An unreadable chord is reported with the reason") {
    CHECK(complaint("") == "no key is named");
    CHECK(complaint("Ctrl+") == "no key is called “Ctrl+”");
    CHECK(complaint("Hyper+F") == "“Hyper” is not Ctrl, Shift, Alt or Super");
    CHECK(complaint("Ctrl+Banana") == "no key is called “Banana”");
    CHECK(complaint("Shift+/") == "name the sign that Shift makes, without Shift");
    CHECK(complaint("ßß") == "no key is called “ßß”");
}

TEST_CASE("A chord's text parses to the same chord") {
    for (const char* text : {"F", "Ctrl+Shift+P", "Alt+←", "Ctrl++", "Ctrl+-", "?", "/", "Esc",
                             "PageDown", "Super+F5", "Ctrl+0", "Backspace", "Alt+["}) {
        CAPTURE(text);
        CHECK(chord_text(chord(text)) == chord_text(chord(chord_text(chord(text)))));
        CHECK(chord(chord_text(chord(text))) == chord(text));
    }
    CHECK(chord_text(chord("shift+ctrl+p")) == "Ctrl+Shift+P");
}

TEST_CASE("The keypad's keys equal those of the main block") {
    CHECK(plain_chord(ImGuiMod_Ctrl | ImGuiKey_KeypadAdd) == (ImGuiMod_Ctrl | ImGuiKey_Equal));
    CHECK(plain_chord(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Equal) ==
          (ImGuiMod_Ctrl | ImGuiKey_Equal));
    CHECK(plain_chord(ImGuiKey_Keypad5) == ImGuiKey_5);
    CHECK(plain_chord(ImGuiMod_Shift | ImGuiKey_G) == (ImGuiMod_Shift | ImGuiKey_G));
}

TEST_CASE("A text field keeps the keys for editing") {
    CHECK(passes_text_fields(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P));
    CHECK(passes_text_fields(ImGuiKey_F12));
    CHECK(!passes_text_fields(ImGuiMod_Ctrl | ImGuiKey_A));
    CHECK(!passes_text_fields(ImGuiMod_Ctrl | ImGuiKey_LeftArrow));
    CHECK(!passes_text_fields(ImGuiKey_F));
    CHECK(!passes_text_fields(ImGuiKey_Escape));
}
