#include "ui/look/label_sheet.h"

#include <doctest/doctest.h>
#include <imgui.h>

#include <cstdint>
#include <string>

using namespace lanescope;

namespace {

// Dear ImGui in a frame, with fonts and no OpenGL.
class Frame {
  public:
    Frame() {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
        io.DisplaySize = {800, 600};
        io.DeltaTime = 1;
        look.fonts = load_fonts();
        ImGui::NewFrame();
    }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;
    ~Frame() {
        ImGui::EndFrame();
        ImGui::DestroyContext();
    }

    Look look;
};

// The sum of coverage in columns [from, to) of a picture.
int ink(const LabelSheet& sheet, LabelSheet::Place at, int from, int to) {
    int sum = 0;
    for (int y = at.y; y < at.y + at.height; ++y) {
        for (int x = at.x + from; x < at.x + to; ++x)
            sum += sheet.texels()[y * LabelSheet::kSide + x];
    }
    return sum;
}

}  // namespace

TEST_CASE("A label is drawn once, in free space") {
    const Frame frame;
    LabelSheet sheet;
    sheet.begin(frame.look, frame.look.fonts.regular, type::kTable);
    const auto* const first = sheet.place("aten::addmm");
    const auto* const second = sheet.place("aten::bmm");
    REQUIRE(first);
    REQUIRE(second);
    CHECK(ink(sheet, *first, 0, first->width) > 5000);
    CHECK(second->x >= first->x + first->width);
    const auto changed = sheet.take_changed();
    CHECK(changed.from == 0);
    CHECK(changed.to == first->height);

    sheet.begin(frame.look, frame.look.fonts.regular, type::kTable);
    CHECK(sheet.place("aten::addmm") == first);
    const auto unchanged = sheet.take_changed();
    CHECK(unchanged.from == unchanged.to);
}

TEST_CASE("A picture of a text begins like the picture of its first letters") {
    const Frame frame;
    LabelSheet sheet;
    sheet.begin(frame.look, frame.look.fonts.regular, type::kTable);
    const auto* const part = sheet.place("ll");
    const auto* const whole = sheet.place("llm");
    REQUIRE(part);
    REQUIRE(whole);
    CHECK(whole->width > part->width);
    CHECK(ink(sheet, *whole, 0, part->width - 2) == ink(sheet, *part, 0, part->width - 2));
    CHECK(ink(sheet, *whole, part->width, whole->width) > 1000);
    // A space has a width but no ink.
    const auto* const blank = sheet.place("   ");
    REQUIRE(blank);
    CHECK(blank->width > 3);
    CHECK(ink(sheet, *blank, 0, blank->width) == 0);
}

TEST_CASE("A full sheet says so, and the next frame starts with an empty one") {
    const Frame frame;
    LabelSheet sheet;
    sheet.begin(frame.look, frame.look.fonts.regular, type::kTable);
    int placed = 0;
    while (placed < 100'000 && sheet.place("a label with the number " + std::to_string(placed)))
        ++placed;
    CHECK(placed > 1000);
    CHECK(placed < 100'000);
    CHECK(sheet.take_changed().to <= LabelSheet::kSide);

    sheet.begin(frame.look, frame.look.fonts.regular, type::kTable);
    const auto* const again = sheet.place("a label with the number 77");
    REQUIRE(again);
    CHECK(again->x == 0);
    CHECK(again->y == 0);
    CHECK(ink(sheet, *again, 0, again->width) > 5000);
    CHECK(ink(sheet, *again, again->width, again->width + 100) == 0);
    CHECK(!sheet.place(std::string(5000, 'm')));
}

TEST_CASE("Another scale draws the labels again") {
    Frame frame;
    LabelSheet sheet;
    sheet.begin(frame.look, frame.look.fonts.regular, type::kTable);
    const auto* const small = sheet.place("mm");
    REQUIRE(small);
    const LabelSheet::Place before = *small;
    frame.look.scale = 2;
    sheet.begin(frame.look, frame.look.fonts.regular, type::kTable);
    const auto* const large = sheet.place("mm");
    REQUIRE(large);
    CHECK(large->height == 2 * before.height);
    CHECK(large->width > before.width * 3 / 2);
}

TEST_CASE("A label of a size between two whole ones is complete") {
    Frame frame;
    LabelSheet sheet;
    for (const float scale : {1.0f, 1.2f, 1.4f, 1.75f}) {
        CAPTURE(scale);
        frame.look.scale = scale;
        sheet.begin(frame.look, frame.look.fonts.regular, type::kTable);
        // The last letter of a long label is as complete as that letter alone.
        const auto* const letter = sheet.place("W");
        REQUIRE(letter);
        const auto* const label = sheet.place(std::string(200, ' ') + "W");
        REQUIRE(label);
        const int alone = ink(sheet, *letter, 0, letter->width);
        const int last = ink(sheet, *label, 0, label->width);
        CHECK(last > alone * 9 / 10);
        CHECK(last < alone * 11 / 10);
    }
}
