#include "ui/look/font_fallback.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <utility>

namespace lanescope {

namespace {

// Joiners, direction marks and variant selectors: they have no width and no shape.
bool is_invisible(uint32_t c) {
    return (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x2060 && c <= 0x2064) || (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF ||
           (c >= 0x1F3FB && c <= 0x1F3FF) || (c >= 0xE0000 && c <= 0xE01EF);
}

// Private-use characters are icons, and Dear ImGui itself looks up the last two.
bool may_be_found(uint32_t c) {
    return c >= 0xA0 && !(c >= 0xE000 && c <= 0xF8FF) && c < 0xF0000 && c != 0xFFFD && c != 0x2026;
}

constexpr int kInvisible = 1;  // the only glyph of the listening source

// The last of a font's built-in sources: it has a single empty glyph, and records the characters
// that it is asked for.
const ImFontLoader& listening_loader() {
    static const ImFontLoader loader = [] {
        ImFontLoader made;
        made.Name = "missed characters";
        made.FontSrcGetGlyphIndexFromCodepoint = [](ImFontAtlas* atlas, ImFontConfig*,
                                                    ImWchar character) {
            if (is_invisible(character)) return kInvisible;
            auto* const missed = static_cast<MissedCharacters*>(atlas->UserData);
            if (missed && may_be_found(character) && !missed->looked_for.contains(character))
                missed->fresh.insert(character);
            return 0;
        };
        made.FontBakedLoadGlyph = [](ImFontAtlas*, ImFontConfig*, ImFontBaked*, void*, int,
                                     ImFontGlyph* glyph, float* advance) {
            if (advance) *advance = 0;
            if (glyph) glyph->AdvanceX = 0;
            return true;
        };
        return made;
    }();
    return loader;
}

void add_source(ImFont* font, const SystemFont& source) {
    ImFontConfig config;
    config.MergeMode = true;
    config.DstFont = font;
    config.FontDataOwnedByAtlas = false;
    config.FontNo = static_cast<ImU32>(source.index);
    // Dear ImGui takes a non-const pointer, but only reads bytes that it does not own.
    void* bytes = const_cast<unsigned char*>(source.bytes.data());
    ImGui::GetIO().Fonts->AddFontFromMemoryTTF(bytes, static_cast<int>(source.bytes.size()), 0,
                                               &config);
}

}  // namespace

FontFallback::FontFallback(std::vector<ImFont*> fonts)
    : fonts_(std::move(fonts)), missed_(std::make_unique<MissedCharacters>()) {
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    atlas.UserData = missed_.get();
    for (ImFont* font : fonts_) {
        ImFontConfig config;
        config.MergeMode = true;
        config.DstFont = font;
        config.FontLoader = &listening_loader();
        atlas.AddFont(&config);
    }
}

FontFallback::~FontFallback() {
    ImGui::GetIO().Fonts->UserData = nullptr;
}

FontFallback::Job FontFallback::job() {
    if (looking_ || missed_->fresh.empty()) return {};
    looking_ = true;
    std::set<uint32_t> wanted = std::exchange(missed_->fresh, {});
    missed_->looked_for.insert(wanted.begin(), wanted.end());
    std::set<std::string> known;
    for (const auto& font : taken_) known.insert(font->path);
    for (const auto& font : found_) known.insert(font->path);
    return [this, wanted = std::move(wanted), known = std::move(known)] {
        auto fonts = find_system_fonts(wanted, known);
        return [this, fonts = std::move(fonts)] {
            looking_ = false;
            found_.insert(found_.end(), fonts.begin(), fonts.end());
        };
    };
}

bool FontFallback::take_in() {
    if (found_.empty()) return false;
    for (auto& found : std::exchange(found_, {})) {
        for (ImFont* font : fonts_) add_source(font, *found);
        taken_.push_back(std::move(found));
    }
    return true;
}

}  // namespace lanescope
