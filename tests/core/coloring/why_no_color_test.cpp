#include "core/coloring/why_no_color.h"

#include <doctest/doctest.h>

using namespace lanescope;

TEST_CASE("a colour mode without classes says why, all others say nothing") {
    SliceClasses classes;
    classes.mode = ColorMode::occupancy;
    classes.classes = {
        {"no kernel", {}, 50}, {"under 10 %", {}, 0}, {"unknown", {}, 7, ClassRole::unknown}};
    CHECK(why_no_color(classes).find("No kernel's occupancy") == 0);
    classes.mode = ColorMode::hotspot;
    CHECK(why_no_color(classes).find("record_shapes=True") != std::string_view::npos);
    classes.mode = ColorMode::bound;
    classes.classes.push_back({"step: device", {}, 3, ClassRole::step});
    CHECK(!why_no_color(classes).empty());
    classes.classes[1].count = 1;
    CHECK(why_no_color(classes).empty());
    classes.classes[1].count = 0;
    classes.mode = ColorMode::module;
    CHECK(why_no_color(classes).empty());
    classes.mode = ColorMode::occupancy;
    classes.classes[2].count = 0;
    CHECK(why_no_color(classes).empty());  // nothing ran on a GPU
}
