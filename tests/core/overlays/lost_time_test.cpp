#include "core/overlays/lost_time.h"

#include <doctest/doctest.h>

#include <numeric>

#include "core/analysis/work/work_models.h"
#include "core/ingest/load.h"
#include "tests/core/some_peaks.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;
using lanescope::testing::some_peaks;

TEST_CASE("columns of lost time add up to the total, for any number of columns") {
    const auto loaded = load_trace(LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz");
    REQUIRE(loaded);
    const auto context = std::make_shared<const TraceContext>(*loaded, some_peaks());
    const Trace& trace = **loaded;
    const WorkModels& models = context->get<WorkModels>();
    double lost = 0;
    for (uint32_t row = 0; row < models.costs.size(); ++row) {
        const double own =
            lost_ns(static_cast<double>(trace.duration(trace.gpu_activities.slice[row])),
                    models.costs[row].floor_ns);
        if (own > 0) lost += own;
    }
    REQUIRE(lost > 0);
    const std::vector<std::shared_ptr<const TraceContext>> parts = {context};
    for (const uint32_t columns : {1U, 37U, 4096U}) {
        const std::vector<float> strip = lost_time(parts, trace.content, columns);
        REQUIRE(strip.size() == columns);
        const double sum = std::accumulate(strip.begin(), strip.end(), 0.0);
        const double nanos = sum / columns * static_cast<double>(trace.content.length());
        // Several streams that lose time at once may fill a column more than once.
        CHECK(nanos * static_cast<double>(models.devices.size()) <= lost * 1.0001);
        CHECK(nanos * static_cast<double>(models.devices.size()) > lost * 0.9);
    }
}

TEST_CASE("without known floors there is no strip") {
    const auto nothing = std::make_shared<const TraceContext>(TraceMaker().finish());
    const std::vector<std::shared_ptr<const TraceContext>> parts = {nothing};
    CHECK(lost_time(parts, {0, 100}, 8).empty());
    const auto loaded = load_trace(LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz");
    REQUIRE(loaded);
    const std::vector<std::shared_ptr<const TraceContext>> unknown = {
        std::make_shared<const TraceContext>(*loaded)};
    CHECK(lost_time(unknown, (*loaded)->content, 8).empty());
}
