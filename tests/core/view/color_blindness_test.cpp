// Adjacent colours can also be distinguished by people who are colour-blind.
#include "tests/core/view/color_blindness.h"

#include <doctest/doctest.h>

#include <vector>

#include "core/coloring/color_modes.h"
#include "core/view/palette.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

// In OKLab. Two fills closer than about 0.02 look alike side by side.
constexpr double kBeside = 0.04;  // in one lane
constexpr double kApart = 0.028;  // in different lanes
constexpr double kScale = 0.035;  // neighbours on a scale

constexpr Theme kThemes[] = {Theme::dark, Theme::light};

using enum EventClass;
// Classes on CPU threads, and classes on GPU streams.
const std::vector<EventClass> kOnThreads = {python,  module,        annotation, op,
                                            runtime, communication, sync,       other};
const std::vector<EventClass> kOnStreams = {annotation, kernel, memory, communication, sync, other};

void check_all(Theme theme, const std::vector<EventClass>& classes, double required) {
    for (const EventClass a : classes) {
        for (const EventClass b : classes) {
            if (a >= b) continue;
            CAPTURE(event_class_name(a));
            CAPTURE(event_class_name(b));
            CHECK(min_distance(slice_fill(theme, a), slice_fill(theme, b)) >= required);
        }
    }
}

template <typename Fill>
void check_scale(Theme theme, const Fill& fill, int steps, bool round) {
    const ThemeColors& colors = theme_colors(theme);
    for (int step = 0; step < steps; ++step) {
        CAPTURE(step);
        const Color here = fill(theme, step);
        const double text =
            std::max(contrast(colors.on_slice, here), contrast(colors.on_memory, here));
        CHECK(text >= 4.5);
        if (step + 1 < steps || round)
            CHECK(min_distance(here, fill(theme, (step + 1) % steps)) >= kScale);
    }
}

}  // namespace

TEST_CASE("the simulation of each colour vision has its known results") {
    const Color red = rgb(0xC00000);
    const Color green = rgb(0x5A7A00);
    const Color white = rgb(0xFFFFFF);
    CHECK(distance_seen(kSights[0], white, rgb(0x000000)) == doctest::Approx(1).epsilon(0.001));
    for (const Sight& sight : kSights) {
        CAPTURE(sight.name);
        CHECK(distance_seen(sight, white, rgb(0x000000)) > 0.99);
        CHECK(distance_seen(sight, red, red) == 0);
        const bool red_green = sight.name == "protan" || sight.name == "deutan";
        const double distance = distance_seen(sight, red, green);
        if (red_green) CHECK(distance < distance_seen(kSights[0], red, green) * 0.65);
    }
    // Blue and green look similar without blue cones.
    CHECK(distance_seen(kSights[3], rgb(0x2F6F8F), rgb(0x247A6C)) < 0.02);
    CHECK(distance_seen(kSights[2], rgb(0x9ED9CC), rgb(0xEBB5D3)) < 0.02);
}

TEST_CASE("kinds of work in one lane differ for every colour vision") {
    for (const Theme theme : kThemes) {
        CAPTURE(static_cast<int>(theme));
        check_all(theme, kOnThreads, kBeside);
        check_all(theme, kOnStreams, kBeside);
        std::vector<EventClass> all = kOnThreads;
        all.insert(all.end(), {kernel, memory});
        check_all(theme, all, kApart);
    }
}

TEST_CASE(
    "neighbours on the scales of colour modes differ for every colour vision, and carry text") {
    for (const Theme theme : kThemes) {
        CAPTURE(static_cast<int>(theme));
        check_scale(theme, sequence_fill, kSequence, true);
        check_scale(theme, amount_fill, kAmounts, false);
        check_scale(theme, deviation_fill, kDeviations, false);
        check_scale(theme, heat_fill, kHeats, false);
        // Both ends of "deviation" are clearly distinct.
        CHECK(min_distance(deviation_fill(theme, 0), deviation_fill(theme, kDeviations - 1)) > 0.1);
    }
}

TEST_CASE("classes of hotspot and bound differ for every colour vision") {
    const TraceContext nothing(TraceMaker().finish());
    for (const Theme theme : kThemes) {
        for (const ColorMode mode : {ColorMode::hotspot, ColorMode::bound}) {
            CAPTURE(color_mode_word(mode));
            const auto classes = classify_slices(nothing, mode);
            for (const SliceClass& a : classes->classes) {
                for (const SliceClass& b : classes->classes) {
                    if (&a >= &b) continue;
                    // Entries that are not neighbours on the scale of lost time must be further
                    // apart.
                    const bool steps =
                        a.color.scale == ColorScale::heat && b.color.scale == ColorScale::heat;
                    CAPTURE(a.name);
                    CAPTURE(b.name);
                    CHECK(min_distance(look_of(theme, a.color).fill,
                                       look_of(theme, b.color).fill) >= (steps ? kScale : kApart));
                }
            }
        }
    }
}

TEST_CASE("every look of a palette carries its text, and its mark has enough contrast") {
    std::vector<SliceClass> classes;
    const auto add = [&](ColorScale scale, int steps) {
        for (int step = 0; step < steps; ++step)
            classes.push_back({"", {scale, static_cast<uint8_t>(step)}, 0});
    };
    add(ColorScale::plain, 1);
    add(ColorScale::event_class, kEventClassCount);
    add(ColorScale::hue, kHues);
    add(ColorScale::sequence, kSequence);
    add(ColorScale::amount, kAmounts);
    add(ColorScale::deviation, kDeviations);
    add(ColorScale::heat, kHeats);
    for (const Theme theme : kThemes) {
        CAPTURE(static_cast<int>(theme));
        const Palette palette = build_palette(theme, classes);
        REQUIRE(palette.looks.size() == classes.size());
        for (std::size_t slot = 0; slot < classes.size(); ++slot) {
            CAPTURE(slot);
            const SlotLook& look = palette.looks[slot];
            CHECK(contrast(look.text, look.fill) >= 4.5);
            CHECK(contrast(look.mark, theme_colors(theme).bg) >= 3);
            if (theme == Theme::light) CHECK(contrast(look.edge, theme_colors(theme).bg) >= 3);
        }
    }
}
