#include "core/analysis/work/roofline_points.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "core/analysis/work/roofline.h"
#include "core/analysis/work/work_models.h"
#include "core/export/pictures/roofline_svg.h"
#include "core/ingest/load.h"
#include "core/pictures/roofline_picture.h"
#include "tests/core/some_peaks.h"

using namespace lanescope;
using lanescope::testing::some_peaks;

namespace {

const TraceContext& sample() {
    static const TraceContext context = [] {
        const auto loaded = load_trace(LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz");
        REQUIRE(loaded);
        return TraceContext(*loaded, some_peaks());
    }();
    return context;
}

double number(const Table& table, std::size_t row, std::string_view column) {
    const Cell cell = table.cell(row, *find_column(table.spec(), column));
    if (const auto* n = std::get_if<int64_t>(&cell)) return static_cast<double>(*n);
    const auto* const x = std::get_if<double>(&cell);
    return x ? *x : std::nan("");
}

}  // namespace

TEST_CASE("points of operators are the table's rows with operations") {
    const RooflinePoints points = roofline_points(sample(), {}, RooflineOf::operators);
    const Table table = roofline_table(sample(), {});
    std::size_t next = 0;
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        const double rate = number(table, row, "tflop_per_s");
        if (!(rate > 0) || !(number(table, row, "intensity") > 0)) continue;
        REQUIRE(next < points.points.size());
        const RooflinePoint& point = points.points[next++];
        CHECK(point.flop_per_s / 1e12 == doctest::Approx(rate));
        CHECK(point.intensity == doctest::Approx(number(table, row, "intensity")));
        CHECK(static_cast<double>(point.time) == number(table, row, "kernel_ns"));
        REQUIRE(point.roof != kNoRow);
        CHECK(roof_at(points, points.roofs[point.roof], point.intensity) / 1e12 ==
              doctest::Approx(number(table, row, "roof_tflop_per_s")));
        CHECK(point.longest == table.target(row).slice);
    }
    CHECK(next == points.points.size());
    CHECK(next > 5);
    CHECK(points.roofs.size() > 1);
    CHECK(std::ranges::is_sorted(points.roofs, std::greater(), &Roof::flop_per_s));
}

TEST_CASE("points of kernels sum the operations and times of all with a model") {
    const RooflinePoints points = roofline_points(sample(), {}, RooflineOf::kernels);
    const Trace& trace = sample().trace();
    const WorkModels& models = sample().get<WorkModels>();
    double flop = 0;
    Nanos time = 0;
    int64_t calls = 0;
    for (uint32_t row = 0; row < models.costs.size(); ++row) {
        const KernelCost& cost = models.costs[row];
        if (cost.flop == kNoValue || cost.flop == 0) continue;
        flop += static_cast<double>(cost.flop);
        time += trace.duration(trace.gpu_activities.slice[row]);
        ++calls;
    }
    double sum = 0;
    for (const RooflinePoint& point : points.points) {
        sum += point.flop_per_s * static_cast<double>(point.time) / 1e9;
        calls -= point.calls;
        CHECK(trace.name_id(point.longest) == point.name);
    }
    CHECK(sum == doctest::Approx(flop));
    CHECK(calls == 0);
    CHECK(time_of_points(points) == time);
    CHECK(points.all_time >= time);
}

TEST_CASE("a range holds the calls that begin in it") {
    const TimeRange all = sample().trace().content;
    const RooflinePoints none =
        roofline_points(sample(), {TimeRange{all.end + 1, all.end + 2}}, RooflineOf::kernels);
    CHECK(none.points.empty());
    CHECK(none.all_time == 0);
    CHECK(!none.devices.empty());
}

TEST_CASE("the picture has room for all points, and areas are proportional to times") {
    const RooflinePoints points = roofline_points(sample(), {}, RooflineOf::operators);
    const RooflineFrame frame = fit_roofline(points);
    for (const RooflinePoint& point : points.points) {
        CHECK((point.intensity > frame.intensity_min && point.intensity < frame.intensity_max));
        CHECK((point.flop_per_s > frame.rate_min && point.flop_per_s < frame.rate_max));
        // The right sixth is reserved for the names of roofs.
        const double place = std::log(point.intensity / frame.intensity_min) /
                             std::log(frame.intensity_max / frame.intensity_min);
        CHECK(place < 1 - 1.0 / 6);
    }
    for (const Roof& roof : points.roofs) {
        const auto line = roof_line(points, roof, frame);
        REQUIRE(line.size() == 3);  // a slope, the ridge, and the flat part
        CHECK(line[1].rate == doctest::Approx(roof.flop_per_s));
        CHECK(line[0].rate < line[1].rate);
        CHECK(line[2].rate == line[1].rate);
    }
    CHECK(roofline_radius(400, 1000) / roofline_radius(100, 1000) == doctest::Approx(2));
    CHECK(roofline_radius(0, 1000) > 0);
    const RooflineFrame nothing = fit_roofline({});
    CHECK(nothing.intensity_min > 0);
    CHECK(nothing.rate_max > nothing.rate_min);
}

TEST_CASE("labels of roofs are beside their lines and overlap neither lines nor labels") {
    using Places = std::vector<double>;
    CHECK(label_tops(Places{100}, 0, 15) == Places{84});
    CHECK(label_tops(Places{10}, 0, 15) == Places{12});  // no room above
    CHECK(label_tops(Places{100, 200}, 0, 15) == Places{84, 184});
    // The second line is where the first label would be.
    CHECK(label_tops(Places{3, 14}, 0, 15) == Places{16, 31});
    CHECK(label_tops(Places{100, 110}, 0, 15) == Places{84, 112});
    CHECK(label_tops({}, 0, 15).empty());
}

TEST_CASE("in SVG, all texts begin or end inside the picture") {
    const RooflinePoints points = roofline_points(sample(), {}, RooflineOf::operators);
    const RooflineSvgOptions options;
    const std::string svg = roofline_svg(sample().trace(), points, fit_roofline(points), options);
    std::size_t texts = 0;
    constexpr std::string_view kText = "<text x=\"";
    for (std::size_t at = svg.find(kText); at != std::string::npos; at = svg.find(kText, at + 1)) {
        double x = -1;
        double y = -1;
        REQUIRE(std::sscanf(svg.c_str() + at, "<text x=\"%lf\" y=\"%lf\"", &x, &y) == 2);
        CHECK((x >= 0 && x <= options.width));
        CHECK((y >= 0 && y <= options.height));
        ++texts;
    }
    CHECK(texts > points.roofs.size());
}

TEST_CASE("in SVG, each point is a circle with its figures and each roof has its name") {
    const RooflinePoints points = roofline_points(sample(), {}, RooflineOf::operators);
    RooflineSvgOptions options;
    options.title = "a < b & c";
    const std::string svg = roofline_svg(sample().trace(), points, fit_roofline(points), options);
    const auto count = [&](std::string_view part) {
        std::size_t n = 0;
        for (std::size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1))
            ++n;
        return n;
    };
    CHECK(count("fill-opacity") == points.points.size());
    CHECK(count("</title></circle>") == points.points.size());
    CHECK(count("a &lt; b &amp; c") == 2);
    for (const Roof& roof : points.roofs) CHECK(count(roof_label(points, roof)) == 1);
    CHECK(svg.ends_with("</svg>\n"));
    const std::string text = roofline_point_text(sample().trace(), points, points.points.front());
    CHECK(text.starts_with(sample().trace().strings[points.points.front().name]));
    CHECK(text.find(" of the ") != std::string::npos);
}
