#include "ui/look/system_fonts.h"

#include <fontconfig/fontconfig.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace lanescope {

namespace {

// Frees fontconfig's objects.
template <auto Free>
struct Freed {
    template <typename T>
    void operator()(T* made) const {
        Free(made);
    }
};
using Pattern = std::unique_ptr<FcPattern, Freed<FcPatternDestroy>>;
using FontSet = std::unique_ptr<FcFontSet, Freed<FcFontSetDestroy>>;
using CharSet = std::unique_ptr<FcCharSet, Freed<FcCharSetDestroy>>;
using Config = std::unique_ptr<FcConfig, Freed<FcConfigDestroy>>;

CharSet set_of(const std::set<uint32_t>& characters) {
    CharSet set(FcCharSetCreate());
    for (const uint32_t character : characters) FcCharSetAddChar(set.get(), character);
    return set;
}

bool is_true(FcPattern* font, const char* what) {
    FcBool value = FcFalse;
    return FcPatternGetBool(font, what, 0, &value) == FcResultMatch && value == FcTrue;
}

// The system's sans-serif fonts, best match for the characters first.
FontSet sorted_fonts(FcConfig* config, const FcCharSet* characters) {
    const Pattern wanted(FcPatternCreate());
    const char* const family = "sans-serif";
    FcPatternAddString(wanted.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
    FcPatternAddCharSet(wanted.get(), FC_CHARSET, characters);
    FcPatternAddBool(wanted.get(), FC_OUTLINE, FcTrue);
    FcPatternAddBool(wanted.get(), FC_COLOR, FcFalse);
    FcConfigSubstitute(config, wanted.get(), FcMatchPattern);
    FcDefaultSubstitute(wanted.get());
    FcResult result = FcResultNoMatch;
    return FontSet(FcFontSort(config, wanted.get(), FcFalse, nullptr, &result));
}

std::shared_ptr<const SystemFont> read_font(FcPattern* font) {
    FcChar8* path = nullptr;
    int index = 0;
    if (FcPatternGetString(font, FC_FILE, 0, &path) != FcResultMatch) return nullptr;
    if (FcPatternGetInteger(font, FC_INDEX, 0, &index) != FcResultMatch) index = 0;
    auto read = std::make_shared<SystemFont>();
    read->path = reinterpret_cast<const char*>(path);
    read->index = index & 0xFFFF;  // the high bits select a named instance of a variable font
    std::ifstream file(read->path, std::ios::binary);
    read->bytes.assign(std::istreambuf_iterator<char>(file), {});
    return has_outlines(read->bytes, read->index) ? read : nullptr;
}

// Removes the characters that the font has; returns whether there were any.
bool take_covered(FcPattern* font, std::set<uint32_t>& characters) {
    FcCharSet* has = nullptr;
    if (FcPatternGetCharSet(font, FC_CHARSET, 0, &has) != FcResultMatch) return false;
    return std::erase_if(characters, [&](uint32_t character) {
               return FcCharSetHasChar(has, character) == FcTrue;
           }) > 0;
}

}  // namespace

std::vector<std::shared_ptr<const SystemFont>> find_system_fonts(
    std::set<uint32_t> characters, const std::set<std::string>& known) {
    std::vector<std::shared_ptr<const SystemFont>> found;
    const Config config(FcInitLoadConfigAndFonts());
    if (!config || characters.empty()) return found;
    const FontSet fonts = sorted_fonts(config.get(), set_of(characters).get());
    if (!fonts) return found;
    for (int i = 0; i < fonts->nfont && !characters.empty(); ++i) {
        FcPattern* const font = fonts->fonts[i];
        if (is_true(font, FC_COLOR) || !is_true(font, FC_OUTLINE)) continue;
        std::set<uint32_t> left = characters;
        if (!take_covered(font, left)) continue;
        FcChar8* path = nullptr;
        if (FcPatternGetString(font, FC_FILE, 0, &path) != FcResultMatch) continue;
        if (!known.contains(reinterpret_cast<const char*>(path))) {
            auto read = read_font(font);
            if (!read) continue;
            found.push_back(std::move(read));
        }
        characters = std::move(left);
    }
    return found;
}

}  // namespace lanescope
