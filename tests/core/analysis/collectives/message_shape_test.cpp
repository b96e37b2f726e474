#include "core/analysis/collectives/message_shape.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/collectives/collectives.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/real_traces.h"

namespace lanescope {

namespace {

// An all-reduce of 5 × 40 floats. Only the shapes of its call tell so, which an older PyTorch
// recorded.
TracePtr all_reduce_with_shapes(int ranks) {
    return testing::loaded(R"({"distributedInfo": {"rank": 0, "world_size": )" +
                           std::to_string(ranks) + R"(}, "traceEvents": [
{"ph":"X","cat":"cpu_op","name":"nccl:all_reduce","pid":1,"tid":1,"ts":0,"dur":9,"args":{"External id":1,"Input Dims":[[5,40]],"Input type":["float"]}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":3,"args":{"correlation":7}},
{"ph":"X","cat":"kernel","name":"ncclKernel_AllReduce_RING_LL_Sum_float","pid":0,"tid":20,"ts":8,"dur":4,"args":{
    "device" : 0, "stream" : 20, "correlation" : 7}}
]
})");
}

// Two all-reduces of Gloo, which run on the CPU: of 6 doubles and of one 16-bit number.
TracePtr all_reduces_of_gloo() {
    return testing::loaded(R"({"distributedInfo": {"rank": 0, "world_size": 2}, "traceEvents": [
{"ph":"X","cat":"cpu_op","name":"gloo:all_reduce","pid":1,"tid":1,"ts":5,"dur":30,"args":{"External id":1,"Input Dims":[[3,2]],"Input type":["double"]}},
{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":40,"dur":8,"args":{"External id":2,"Input Dims":[[3,2]],"Input type":["double"]}},
{"ph":"X","cat":"cpu_op","name":"gloo:all_reduce","pid":1,"tid":2,"ts":50,"dur":12,"args":{"External id":3,"Input Dims":[[]],"Input type":["c10::Half"]}}
]})");
}

// An all-reduce and a broadcast of four ranks, by kernels whose names do not tell what they do.
TracePtr collectives_of_rccl() {
    constexpr std::string_view kKernel =
        R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":{},"ts":{},"dur":30,"args":)"
        R"({{"device":0,"stream":{},"correlation":{}{}}}}})";
    constexpr std::string_view kMessage =
        R"(,"Collective name":"{}","In msg nelems":100,"Out msg nelems":100,"Group size":4,"dtype":"BFloat16")";
    const char* const generic = "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)";
    return testing::loaded(
        R"({"distributedInfo":{"rank":0,"world_size":8},"traceEvents":[)" +
        fmt::format(kKernel, generic, 7, 5, 7, 1, fmt::format(kMessage, "allreduce")) + "," +
        fmt::format(kKernel, "Cijk_Ailk_Bljk", 8, 20, 8, 2, "") + "," +
        fmt::format(kKernel, generic, 7, 40, 7, 3, fmt::format(kMessage, "broadcast")) + "]}");
}

// The made trace, and the real trace if there is one.
std::vector<TracePtr> with_real_trace(TracePtr made, std::string_view name) {
    std::vector<TracePtr> traces = {std::move(made)};
    for (const std::string& real : testing::traces_here({name}))
        traces.push_back(testing::load_real_trace(real));
    return traces;
}

}  // namespace

TEST_CASE("a message has the elements of the call's tensors") {
    const auto message = message_shape("[[8, 1024, 8816]]", "[\"float\"]");
    REQUIRE(message);
    CHECK(message->elements == int64_t{8} * 1024 * 8816);
    CHECK(message->dtype == "float");
    CHECK(message_shape("[[3], [], [5]]", "[\"c10::Half\", \"Scalar\", \"c10::Half\"]")->elements ==
          8);
    CHECK(message_shape("[[]]", "[\"double\"]")->elements == 1);
    CHECK_FALSE(message_shape("[[3], [5]]", "[\"float\", \"int\"]"));
    CHECK_FALSE(message_shape("[[[53120]], []]", "[\"TensorList\", \"Scalar\"]"));
    CHECK_FALSE(message_shape("[[-1]]", "[\"float\"]"));
    CHECK_FALSE(message_shape("[[4294967296, 4294967296]]", "[\"float\"]"));
    CHECK_FALSE(message_shape("[[3]", "[\"float\"]"));
    CHECK_FALSE(message_shape("", ""));
    CHECK_FALSE(message_shape("[]", "[]"));
}

TEST_CASE("in an all-to-all, the rank's own part is not sent") {
    CHECK(*sent_share("[10, 30, 60]", "[4, 5, 6]", 5) == doctest::Approx(0.7));
    CHECK_FALSE(sent_share("[10, 30, 60]", "[4, 5, 6]", 7));
    CHECK_FALSE(sent_share("[]", "[4, 5, 6]", 5));
    CHECK_FALSE(sent_share("[1, 2]", "[4, 5, 6]", 5));
    CHECK_FALSE(sent_share("[0, 0, 0]", "[4, 5, 6]", 5));
    CHECK_FALSE(sent_share("x", "y", 0));
}

TEST_CASE("NCCL's kernel names contain algorithm and protocol") {
    const auto variant = [](std::string_view kernel) {
        const KernelVariant v = kernel_variant(kernel);
        return std::string(v.algorithm) + "/" + std::string(v.protocol);
    };
    CHECK(variant("ncclDevKernel_AllReduce_Sum_f32_RING_LL128(ncclDevKernelArgsStorage<4096ul>)") ==
          "RING/LL128");
    CHECK(variant("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)") == "RING/LL");
    CHECK(variant("ncclDevKernel_AllReduce_Sum_bf16_NVLS_TREE_SIMPLE()") == "NVLS_TREE/SIMPLE");
    CHECK(variant("ncclDevKernel_AllGather_NVLS(ncclDevComm*)") == "NVLS/");
    CHECK(variant("ncclDevKernel_Generic(ncclDevComm*, channelMasks, ncclWork*)") == "/");
    CHECK(variant("my_kernel_RING_LL") == "/");
}

// Two ranks with uneven parts: this one (rank 3) keeps 1 of its 4 rows and receives 5 of 6 from the
// other.
TEST_CASE("the bus bandwidth of an uneven all-to-all counts the bytes that move") {
    const TracePtr trace = testing::loaded(R"({"distributedInfo": {"rank": 3, "world_size": 4},
        "traceEvents": [{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_SendRecv", "pid": 0,
        "tid": 7, "ts": 1, "dur": 2, "args": {"device": 0, "stream": 7, "correlation": 1,
        "Collective name": "all_to_allv", "In msg nelems": 400, "Out msg nelems": 600,
        "Group size": 2, "dtype": "Float", "In split size": "[3, 1]", "Out split size": "[5, 1]",
        "Process Group Name": "7", "Process Group Description": "experts",
        "Process Group Ranks": "[2, 3]"}}]})");
    const TraceContext context(trace);
    const auto rows = collective_rows(context, {});
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].type == CollectiveType::all_to_all);
    CHECK(rows[0].bytes == 1600);
    // The 500 elements received exceed the 300 sent.
    CHECK(rows[0].bus_factor == doctest::Approx(500.0 / 400));
    const Table table = collectives_table(context, {});
    const auto cell = [&](std::string_view column) {
        return table.cell(0, *find_column(table.spec(), column));
    };
    CHECK(std::get<double>(cell("bus_gb_per_s")) == doctest::Approx(0.8 * 1.25));
    CHECK(std::get<std::string_view>(cell("process_group")) == "7");
    CHECK(std::get<std::string_view>(cell("group_description")) == "experts");
    CHECK(std::get<std::string_view>(cell("group_ranks")) == "[2, 3]");
}

// The files have no keys of collectives. The real one has nccl:all_reduce with Input Dims
// [[45310188]] of float, and two ranks in the world.
TEST_CASE("sizes come from shapes where the file has no other source") {
    for (const TracePtr& trace :
         with_real_trace(all_reduce_with_shapes(2), "torch/v100_train_after.json.gz")) {
        REQUIRE(trace);
        int found = 0;
        for (const CollectiveRow& row : collective_rows(TraceContext(trace), {})) {
            CHECK(row.group_size == 2);
            if (row.in_elements != 200 && row.in_elements != 45'310'188) continue;
            ++found;
            CHECK(row.type == CollectiveType::all_reduce);
            CHECK(row.bytes == (row.in_elements == 200 ? 800 : 181'240'752));
            CHECK(row.bus_factor == doctest::Approx(1));
        }
        CHECK(found > 0);
    }
}

TEST_CASE("a gather has the size of its result; other collectives have that of their input") {
    const auto bytes_of = [](std::string_view type) {
        const TracePtr trace = testing::loaded(
            R"({"distributedInfo": {"rank": 0, "world_size": 2}, "traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "gloo:)" +
            std::string(type) +
            R"(", "pid": 1, "tid": 1, "ts": 1, "dur": 2,
            "args": {"Input Dims": [[100]], "Input type": ["float"]}}]})");
        const auto rows = collective_rows(TraceContext(trace), {});
        REQUIRE(rows.size() == 1);
        return rows[0].bytes;
    };
    CHECK(bytes_of("gather") == 2 * 400);
    CHECK(bytes_of("all_gather") == 2 * 400);
    CHECK(bytes_of("all_reduce") == 400);
    CHECK(bytes_of("broadcast") == 400);
}

TEST_CASE("with eight ranks the group is unknown") {
    const std::vector<TracePtr> traces =
        with_real_trace(all_reduce_with_shapes(8), "torch/a100_train_before.json.gz");
    for (const TracePtr& trace : traces) {
        REQUIRE(trace);
        const auto rows = collective_rows(TraceContext(trace), {});
        CHECK(rows.size() == (trace == traces.front() ? 1 : 60));
        for (const CollectiveRow& row : rows) {
            CHECK(row.group_size == kNoValue);
            CHECK(row.bytes > 0);
            CHECK(std::isnan(row.bus_factor));
        }
    }
}

TEST_CASE("Gloo's calls are collectives on the CPU") {
    const std::vector<TracePtr> traces =
        with_real_trace(all_reduces_of_gloo(), "torch/cpu_only.json.gz");
    for (const TracePtr& trace : traces) {
        REQUIRE(trace);
        const bool made = trace == traces.front();
        const TraceContext context(trace);
        const auto rows = collective_rows(context, {});
        REQUIRE(rows.size() == (made ? 2 : 10));
        Nanos total = 0;
        for (const CollectiveRow& row : rows) {
            CHECK(row.type == CollectiveType::all_reduce);
            CHECK(row.exposed == kNoValue);
            total += trace->duration(row.slice);
        }
        CHECK(static_cast<double>(total) / 1e3 ==
              doctest::Approx(made ? 42 : 2'135'455.6).epsilon(1e-6));
        CHECK(rows.front().bytes == (made ? 8 * 6 : 4 * 321'271));
        if (made) CHECK(rows.back().bytes == 2);
        const Table table = collectives_table(context, {});
        CHECK(std::holds_alternative<std::monostate>(
            table.cell(0, *find_column(table.spec(), "exposed_ns"))));
    }
}

TEST_CASE("RCCL's collectives have names, groups and rates") {
    const std::vector<TracePtr> traces =
        with_real_trace(collectives_of_rccl(), "torch/mi300_rccl_merged_ranks_140mb.json.gz");
    for (const TracePtr& trace : traces) {
        REQUIRE(trace);
        int reduces = 0;
        for (const CollectiveRow& row : collective_rows(TraceContext(trace), {})) {
            CHECK(row.group_size == 4);
            CHECK(row.bytes > 0);
            CHECK(row.exposed >= 0);
            CHECK(row.exposed <= trace->duration(row.slice));
            reduces += row.type == CollectiveType::all_reduce ? 1 : 0;
            CHECK(row.bus_factor == (row.type == CollectiveType::all_reduce ? 1.5 : 1));
        }
        CHECK(reduces == (trace == traces.front() ? 1 : 60));
    }
}

}  // namespace lanescope
