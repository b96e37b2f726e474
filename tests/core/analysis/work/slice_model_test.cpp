#include "core/analysis/work/slice_model.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/analysis/gpu/occupancy_queries.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/work/work_models.h"
#include "core/ingest/load.h"
#include "tests/core/some_peaks.h"

using namespace lanescope;
using lanescope::testing::some_peaks;

TEST_CASE("a kernel has its share of the work, an operator all of it, other calls none") {
    const auto loaded = load_trace(LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz");
    REQUIRE(loaded);
    const TraceContext context(*loaded, some_peaks());
    const Trace& trace = **loaded;
    const WorkModels& models = context.get<WorkModels>();
    const std::vector<uint8_t> planned = planned_by_query(context);
    std::size_t with_work = 0;
    for (uint32_t row = 0; row < models.costs.size(); ++row) {
        const auto model = slice_model(context, trace.gpu_activities.slice[row]);
        REQUIRE(model);
        const KernelCost& cost = models.costs[row];
        CHECK(model->flop == cost.flop);
        CHECK(model->bytes == cost.bytes);
        CHECK(model->why == cost.why);
        CHECK(std::isnan(model->floor_ns) == std::isnan(cost.floor_ns));
        CHECK(model->planned == (planned[row] != 0));
        if (!model->has_work() || cost.instance == kNoRow) continue;
        ++with_work;
        CHECK(model->in_sheet);
        CHECK(model->memory_bytes_s == 1e12);
    }
    CHECK(with_work > 10);
    REQUIRE(!models.instances.empty());
    for (const ModelledOperator& op : models.instances) {
        const auto model = slice_model(context, op.slice);
        REQUIRE(model);
        CHECK(model->time == op.kernel_time);
        CHECK(model->flop == models.work(op).flops.n);
    }
    std::size_t launches = 0;
    for (const SliceRef call : context.get<Attribution>().launch) {
        if (!call) continue;
        CHECK(!slice_model(context, call));
        ++launches;
    }
    CHECK(launches > 10);
}

TEST_CASE("without a GPU, an operator has work but no floor") {
    const auto loaded = load_trace(LANESCOPE_ROOT
                                   "/assets/samples/torch_cpu/"
                                   "transformer_train_shapes_memory_flops.json.gz");
    REQUIRE(loaded);
    const TraceContext context(*loaded);
    const WorkModels& models = context.get<WorkModels>();
    REQUIRE(!models.instances.empty());
    const auto model = slice_model(context, models.instances.front().slice);
    REQUIRE(model);
    CHECK(model->has_work());
    CHECK(model->time == (*loaded)->duration(model->slice));
    CHECK(std::isnan(model->floor_ns));
    CHECK(!model->in_sheet);
}
