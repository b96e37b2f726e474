#include "core/analysis/work/model_warnings.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/kernels/hotspots.h"
#include "core/analysis/modules/modules.h"
#include "core/analysis/work/models.h"
#include "core/analysis/work/roofline_points.h"
#include "core/analysis/work/slice_model.h"
#include "core/analysis/work/work_models.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/some_peaks.h"

using namespace lanescope;

namespace {

// Products with these "Input Dims" in sequence, each with its kernel.
TraceContext products(const std::vector<std::string>& dims) {
    std::string events;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const std::size_t at = 100 * i;
        events += fmt::format(
            R"({}{{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":{},"dur":50,
"args":{{"External id":{},"Input Dims":{},"Input type":["float","float"]}}}},
{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":{},"dur":5,"args":{{"correlation":{}}}}},
{{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{},"dur":20,"args":{{"device":0,"stream":7,"correlation":{}}}}})",
            i == 0 ? "" : ",\n", at, i + 1, dims[i], at + 10, i + 1, at + 20, i + 1);
    }
    return TraceContext(testing::loaded("{\"traceEvents\":[" + events + "]}"),
                        testing::some_peaks());
}

std::string text_of(const Table& table, std::size_t row, std::string_view column) {
    const Cell cell = table.cell(row, *find_column(table.spec(), column));
    const auto* const text = std::get_if<std::string_view>(&cell);
    return text ? std::string(*text) : std::string();
}

}  // namespace

TEST_CASE("arguments that models cannot use are counted, with an example") {
    const TraceContext context = products(
        {"[[4, 8], [8, 16]]", "[[4, 8], [9, 16]]", "[[4, 7], [9, 16]]", "[[\"s0\", 8], [8, 16]]",
         "[[4000000000, 4000000000], [4000000000, 16]]", "[[0, 8], [8, 16]]", "[[4, 8], [9, 16]]"});
    const std::vector<Warning> warnings = model_warnings(context);
    REQUIRE(warnings.size() == 3);
    CHECK(warnings[0].code == "misfit_shapes");
    CHECK(warnings[0].count == 2);  // equal arguments count once
    CHECK(warnings[0].text.find("aten::mm [[4, 8], [9, 16]]: ") == 0);
    CHECK(warnings[1].code == "unreadable_shapes");
    CHECK(warnings[1].count == 1);
    CHECK(warnings[2].code == "work_beyond_64_bits");
    CHECK(warnings[2].count == 1);
    CHECK(model_warnings(products({"[[4, 8], [8, 16]]"})).empty());
}

TEST_CASE("strides that contradict the shapes are ignored and counted") {
    const auto with_strides = [](const std::string& strides) {
        return products({R"([[4, 8], [8, 16]],"Input Strides":)" + strides});
    };
    const auto bytes = [](const TraceContext& context) {
        const Work& work = context.get<WorkModels>().calls[0].modelled.work;
        return (work.bytes_read + work.bytes_written).n;
    };
    constexpr int64_t kAll = 4 * (4 * 8 + 8 * 16 + 4 * 16);
    const TraceContext fitting = with_strides("[[0, 1], [16, 1]]");
    CHECK(model_warnings(fitting).empty());
    CHECK(bytes(fitting) == kAll - 4 * 3 * 8);  // one row of the first input is repeated four times
    for (const char* const strides :
         {"[[0, 1, 1], [16, 1]]", "[[0], [16, 1]]", "[[], [16, 1]]", "[[0, 1]]", "[]",
          "[[0, 1], [16, 1], [1]]", "[[\"s0\", 1], [16, 1]]"}) {
        CAPTURE(strides);
        const TraceContext context = with_strides(strides);
        const std::vector<Warning> warnings = model_warnings(context);
        REQUIRE(warnings.size() == 1);
        CHECK(warnings[0].code == "misfit_strides");
        CHECK(warnings[0].count == 1);
        CHECK(warnings[0].text.find("aten::mm [[4, 8], [8, 16]]: strides ") == 0);
    }
    CHECK(bytes(with_strides("[[0, 1, 1], [16, 1]]")) == kAll);
}

TEST_CASE("work beyond 64 bits has a row and a note, and is left out of all sums") {
    const TraceContext context =
        products({"[[4, 8], [8, 16]]", "[[4000000000, 4000000000], [4000000000, 4000000000]]"});
    const Table table = models_table(context, {});
    REQUIRE(table.row_count() == 2);
    const std::size_t row = text_of(table, 0, "note").empty() ? 1 : 0;
    CHECK(text_of(table, row, "note") == "sizes beyond 64 bits are cut");
    const auto cell = [&](std::string_view column) {
        return table.cell(row, *find_column(table.spec(), column));
    };
    CHECK(std::get<int64_t>(cell("flop")) == INT64_MAX);
    for (const std::string_view column : {"floor_ns", "lost_ns", "tflop_per_s", "gb_per_s"}) {
        CAPTURE(column);
        CHECK(std::holds_alternative<std::monostate>(cell(column)));
    }
    CHECK(roofline_points(context, {}, RooflineOf::operators).points.size() == 1);
    CHECK(roofline_points(context, {}, RooflineOf::kernels).points.size() == 1);
    const WorkModels& models = context.get<WorkModels>();
    REQUIRE(models.instances.size() == 2);
    const auto model = slice_model(context, models.instances[1].slice);
    REQUIRE(model);
    CHECK_FALSE(model->has_work());
    const KernelCost& cost = models.costs[models.kernels[models.instances[1].first]];
    CHECK(cost.why == NoModel::cut);
    CHECK(cost.flop == kNoValue);
    const Table steps = models_by_step_table(context, {});
    CHECK(std::get<int64_t>(steps.cell(0, *find_column(steps.spec(), "flop"))) == 1024);
}
