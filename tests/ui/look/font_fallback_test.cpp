#include "ui/look/font_fallback.h"

#include <doctest/doctest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <string>

#include "tests/skip.h"
#include "ui/look/fonts.h"
#include "ui/look/label_sheet.h"
#include "ui/look/theme.h"

using namespace lanescope;

namespace {

constexpr uint32_t kChinese = 0x6838;   // 核, of "kernel"
constexpr uint32_t kArabic = 0x646;     // ن
constexpr uint32_t kEmoji = 0x1F60E;    // a face with sunglasses
constexpr uint32_t kNobodys = 0x1FFFE;  // never a character

// Dear ImGui without a window, whose textures are not uploaded.
class Page {
  public:
    Page() {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.DisplaySize = {640, 480};
        io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
        look_.fonts = load_fonts();
    }
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;
    ~Page() {
        for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) texture->SetTexID(0);
        for (ImTextureData* texture : ImGui::GetPlatformIO().Textures)
            texture->SetStatus(ImTextureStatus_Destroyed);
        ImGui::DestroyContext();
    }
    std::vector<ImFont*> fonts() const {
        return {look_.fonts.regular, look_.fonts.medium, look_.fonts.mono};
    }
    float width(const std::string& text) {
        ImGui::NewFrame();
        const float width = text_width(look_, look_.fonts.regular, type::kText, text);
        draw_text(*ImGui::GetBackgroundDrawList(), look_, look_.fonts.regular, type::kText, {0, 0},
                  0xFFFFFFFF, text);
        ImGui::Render();
        upload();
        return width;
    }
    // Marks them as uploaded.
    void upload() const {
        for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
            texture->SetTexID(1);
            texture->SetStatus(ImTextureStatus_OK);
        }
    }
    const Look& look() const { return look_; }
    bool has(uint32_t character) const {
        ImFontBaked* baked = look_.fonts.regular->GetFontBaked(type::kText);
        return baked->FindGlyphNoFallback(static_cast<ImWchar>(character)) != nullptr;
    }

  private:
    Look look_;
};

std::string utf8(uint32_t character) {
    char text[5];
    const int length = ImTextCharToUtf8(text, character);
    return {text, static_cast<std::size_t>(length)};
}

bool installed(uint32_t character) {
    return !find_system_fonts({character}, {}).empty();
}

}  // namespace

TEST_CASE("characters in the window's fonts need no system font") {
    Page page;
    FontFallback fallback(page.fonts());
    page.width("aten::mm µs – … → Кириллица ελληνικά");
    CHECK(!fallback.job());
    CHECK(!fallback.take_in());
}

TEST_CASE("characters of an installed font are shown after it was searched") {
    for (const uint32_t character : {kArabic, kChinese, kEmoji}) {
        CAPTURE(character);
        if (!installed(character)) {
            testing::skip_test("no font with character " + std::to_string(character) +
                               " is installed");
            return;
        }
        Page page;
        FontFallback fallback(page.fonts());
        page.width(utf8(character));
        CHECK(!page.has(character));
        const FontFallback::Job job = fallback.job();
        REQUIRE(job);
        job()();
        CHECK(fallback.pending());
        CHECK(fallback.take_in());
        CHECK(page.width(utf8(character)) > 5);
        CHECK(page.has(character));
        CHECK(!fallback.job());
    }
}

TEST_CASE("cached labels are drawn again when a font arrives") {
    if (!installed(kArabic)) {
        testing::skip_test("no font with Arabic is installed");
        return;
    }
    Page page;
    FontFallback fallback(page.fonts());
    LabelSheet sheet;
    const auto draws_again = [&] {
        ImGui::NewFrame();
        sheet.begin(page.look(), page.look().fonts.regular, type::kText);
        sheet.place(utf8(kArabic));
        const auto changed = sheet.take_changed();
        ImGui::Render();
        page.upload();
        return changed.to > changed.from;
    };
    CHECK(draws_again());
    CHECK(!draws_again());
    const FontFallback::Job job = fallback.job();
    REQUIRE(job);
    job()();
    REQUIRE(fallback.take_in());
    CHECK(draws_again());
}

TEST_CASE("a character without a font is searched once and shown as a box") {
    Page page;
    FontFallback fallback(page.fonts());
    const float box = page.width(utf8(kNobodys));
    CHECK(box > 0);
    const FontFallback::Job job = fallback.job();
    REQUIRE(job);
    job()();
    CHECK(!fallback.take_in());
    CHECK(page.width(utf8(kNobodys)) == box);
    CHECK(!fallback.job());
}

TEST_CASE("joiners and selectors take no room") {
    Page page;
    FontFallback fallback(page.fonts());
    CHECK(page.width("ab") == page.width("a\u200D\uFE0Fb"));
    CHECK(!fallback.job());
}

TEST_CASE("fonts without outlines and invalid files are refused") {
    const FontBytes roboto = roboto_regular();
    std::vector<unsigned char> bytes(roboto.begin(), roboto.end());
    CHECK(has_outlines(bytes, 0));
    for (std::size_t at = 12; at < 12 + 16 * 40u; at += 16) {
        if (std::string(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                        bytes.begin() + static_cast<std::ptrdiff_t>(at) + 4) == "glyf")
            bytes[at] = 'x';
    }
    CHECK(!has_outlines(bytes, 0));
    bytes.assign(roboto.begin(), roboto.begin() + static_cast<std::ptrdiff_t>(roboto.size() / 2));
    CHECK(!has_outlines(bytes, 0));
    CHECK(!has_outlines({}, 0));
    const std::string text = "ttcf and then nothing that counts";
    CHECK(!has_outlines({text.begin(), text.end()}, 0));
    CHECK(!has_outlines({text.begin(), text.end()}, 7));
}
