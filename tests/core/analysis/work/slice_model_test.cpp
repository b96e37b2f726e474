#include "core/analysis/work/slice_model.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/analysis/gpu/occupancy_queries.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/work/footprints.h"
#include "core/analysis/work/work_models.h"
#include "core/ingest/load.h"
#include "tests/core/ingest/loaded_text.h"
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

TEST_CASE("a kernel with a part of a wave, or under 5 µs, is bound by latency; others are not") {
    const auto loaded = load_trace(LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz");
    REQUIRE(loaded);
    const TraceContext context(*loaded, some_peaks());
    const Trace& trace = **loaded;
    const WorkModels& models = context.get<WorkModels>();
    Footprints footprints(trace);
    std::size_t long_parts = 0;
    std::size_t short_waves = 0;
    std::size_t others = 0;
    for (uint32_t row = 0; row < models.costs.size(); ++row) {
        const Occupancy* const footprint = footprints.footprint_of(row);
        if (!footprint || std::isnan(models.costs[row].floor_ns)) continue;
        const bool is_short = trace.duration(trace.gpu_activities.slice[row]) < 5'000;
        const bool is_part = footprint->waves < 1;
        CHECK((models.costs[row].bound == WorkBound::latency) == (is_short || is_part));
        long_parts += is_part && !is_short ? 1 : 0;
        short_waves += is_short && !is_part ? 1 : 0;
        others += is_short || is_part ? 0 : 1;
    }
    CHECK(long_parts > 50);
    CHECK(short_waves > 5);
    CHECK(others > 50);
}

TEST_CASE("a kernel's device that the file lacks has the figures of alike devices, or none") {
    const auto name_of = [](std::string_view second) {
        const TracePtr trace = testing::loaded(R"({"deviceProperties": [
            {"id": 3, "name": "NVIDIA H100"}, {"id": 4, "name": ")" +
                                               std::string(second) + R"("}], "traceEvents": [
            {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 0, "dur": 9,
             "args": {"device": 0, "stream": 7, "correlation": 1}}]})");
        const TraceContext context(trace);
        const WorkModels& models = context.get<WorkModels>();
        REQUIRE(models.devices.size() == 1);
        return models.devices.front().name;
    };
    CHECK(name_of("NVIDIA H100") == "NVIDIA H100");
    CHECK(name_of("NVIDIA A100").empty());
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
