#include "core/export/pictures/timeline_svg.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/core/trace_maker.h"

namespace lanescope {
namespace {

// A note's text, and the width of the box around it.
struct NoteOfSvg {
    std::string text;
    double width = 0;
};

NoteOfSvg note_of(const std::string& svg, std::string_view begin) {
    const std::size_t at = svg.find(">" + std::string(begin));
    REQUIRE(at != std::string::npos);
    const std::size_t box = svg.rfind("<rect", at);
    REQUIRE(box != std::string::npos);
    const std::size_t width = svg.find(" width=\"", box) + 8;
    return {svg.substr(at + 1, svg.find('<', at) - at - 1), std::strtod(&svg[width], nullptr)};
}

double letters_in(std::string_view text) {
    return static_cast<double>(
        std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

TEST_CASE("in SVG, the texts of notes are cut where their boxes end") {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 1000, "work"}}});
    const TracePtr trace = maker.finish();
    SvgOptions options;
    options.range = {0, 1000};
    constexpr double kBoxMargin = 12;
    for (Nanos begin = 800; begin < 960; begin += 7) {
        CAPTURE(begin);
        options.notes = {{{100, 100}, "short"}, {{begin, begin}, "a much longer text, é and more"}};
        const std::string svg =
            timeline_svg(build_view_index(trace), build_layout(*trace, {}, {}), options);
        const NoteOfSvg plain = note_of(svg, "1  ");
        CHECK(plain.text == "1  short");
        const double letter = (plain.width - kBoxMargin) / letters_in(plain.text);
        const NoteOfSvg cut = note_of(svg, "2  ");
        CHECK(cut.text.ends_with("…"));
        CHECK(letters_in(cut.text) * letter <= cut.width - kBoxMargin + 0.1);
        CHECK((letters_in(cut.text) + 1) * letter > cut.width - kBoxMargin - 0.1);
    }
}

}  // namespace lanescope
