#include "core/pictures/traces_picture.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>

#include "core/base/format.h"
#include "core/export/pictures/traces_svg.h"

namespace lanescope {

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

TraceFigures figures(const char* name, uint64_t steps, double time_ns) {
    TraceFigures t;
    t.name = t.file = name;
    t.steps = steps;
    t.time_ns = time_ns;
    t.ci95_ns = t.busy_of_steps = t.busy_of_span = t.flop = t.modelled = t.mfu = t.hfu = kNothing;
    t.steps_per_second = t.kernels = t.top_operator_share = kNothing;
    t.peak_memory = t.batch = kNoValue;
    return t;
}

const TraceBars& column(const std::vector<TraceBars>& all, std::string_view title) {
    const auto found = std::ranges::find(all, title, &TraceBars::title);
    REQUIRE(found != all.end());
    return *found;
}

}  // namespace

TEST_CASE("traces side by side: the longest bar with its margin sets the scale") {
    std::vector<TraceFigures> traces = {figures("a", 3, 75e6), figures("b", 3, 50e6)};
    traces[0].ci95_ns = 25e6;
    traces[0].busy_of_steps = 0.5;
    const auto all = trace_bars(traces);
    const TraceBars& time = column(all, "time");
    CHECK(time.bars[0].text == "75 ms");
    CHECK(time.bars[0].part == doctest::Approx(0.75));
    CHECK(time.bars[0].margin == doctest::Approx(0.25));
    CHECK(time.bars[1].part == doctest::Approx(0.5));
    CHECK(time.bars[1].margin == 0);
    CHECK(column(all, "GPU busy").bars[0].part == 0.5);
    CHECK(column(all, "GPU busy").bars[1].text == kUnknown);
    CHECK(column(all, "GPU busy").bars[1].part == 0);
    CHECK(std::ranges::find(all, "samples/s", &TraceBars::title) == all.end());
    traces[1].batch = 8;
    traces[1].steps_per_second = 20;
    CHECK(column(trace_bars(traces), "samples/s").bars[1].text == "160");
}

TEST_CASE("traces side by side: a whole trace is not compared with steps") {
    std::vector<TraceFigures> traces = {figures("steps", 2, 50e6), figures("none", 0, 4e9)};
    traces[1].busy_of_span = 0.25;
    const auto mixed = trace_bars(traces);
    CHECK(column(mixed, "time").bars[0].part == 1);
    CHECK(column(mixed, "time").bars[1].part == 0);
    CHECK(column(mixed, "time").bars[1].text == "4 s in all");
    CHECK(column(mixed, "GPU busy").bars[1].text == "25.0 % in all");
    traces.erase(traces.begin());
    const auto alone = trace_bars(traces);
    CHECK(column(alone, "time").bars[0].part == 1);
    CHECK(column(alone, "time").bars[0].text == "4 s");
    CHECK(trace_text(traces[0]).find("no steps") != std::string::npos);
}

TEST_CASE("traces side by side: SVG has a row for each") {
    std::vector<TraceFigures> traces = {figures("a<b", 3, 75e6), figures("c", 3, 50e6)};
    traces[0].ci95_ns = 1e6;
    const std::string svg = traces_svg(traces, Theme::light);
    const auto count = [&](std::string_view text) {
        std::size_t found = 0;
        for (std::size_t at = svg.find(text); at != std::string::npos; at = svg.find(text, at + 1))
            ++found;
        return found;
    };
    CHECK(count("<g><title>") == 2);
    CHECK(count("<path ") == 1);
    CHECK(count("a&lt;b") >= 2);
    CHECK(count("75 ms") >= 1);
    CHECK(count("nan") == 0);
}

TEST_CASE("traces side by side: in SVG, a margin lies around the end of its bar") {
    std::vector<TraceFigures> traces = {figures("a", 3, 75e6), figures("b", 3, 50e6)};
    traces[0].ci95_ns = 25e6;
    const std::string svg = traces_svg(traces, Theme::light);
    const std::size_t path = svg.find("<path d=\"M");
    REQUIRE(path != std::string::npos);
    double x = 0;
    double y = 0;
    double width = 0;
    REQUIRE(std::sscanf(&svg[svg.rfind("<rect", path)], "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\"",
                        &x, &y, &width) == 3);
    double from = 0;
    double to = 0;
    REQUIRE(std::sscanf(&svg[path], "<path d=\"M%lf %lfH%lfM", &from, &y, &to) == 3);
    // The bar is three quarters of its column, and its margin a quarter.
    CHECK(from - x == doctest::Approx(width * 2 / 3).epsilon(0.01));
    CHECK(to - x == doctest::Approx(width * 4 / 3).epsilon(0.01));
}

}  // namespace lanescope
