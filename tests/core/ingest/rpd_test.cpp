// Databases of ROCm Profile Data that another program copied: their ids are no numbers of rows.
#include <algorithm>
#include <map>

#include "tests/core/ingest/loaded_text.h"
#include "tests/core/ingest/sqlite_bytes.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

// As the profiler writes it, `key` being "INTEGER PRIMARY KEY".
std::string rpd_tables(const std::string& key) {
    const std::string id = "(id " + key + ", ";
    const std::string call = "(api_ptr_id " + key + ", ";
    return sqlite_bytes(
        "CREATE TABLE rocpd_string" + id + "string TEXT);" +
        "INSERT INTO rocpd_string VALUES(12,'hipMemcpyAsync'),(14,'KernelExecution'),"
        "(13,'_Z4gemmPf'),(11,'hipLaunchKernel'),(15,'CopyDeviceToHost'),(16,'UserMarker'),"
        "(17,'aten::mm'),(18,'');"
        "CREATE TABLE rocpd_api" +
        id + "pid, tid, start, end, apiName_id, args_id);" +
        "INSERT INTO rocpd_api VALUES(103,7,9,4000,5000,12,18),(102,7,9,1200,2000,11,18),"
        "(101,7,9,1100,3000,16,17);"
        "CREATE TABLE rocpd_op" +
        id + "gpuId, queueId, start, end, description_id, opType_id);" +
        "INSERT INTO rocpd_op VALUES(52,2,0,5100,5200,18,15),(51,2,0,2500,2900,13,14);"
        "CREATE TABLE rocpd_api_ops" +
        id + "api_id, op_id);" +
        "INSERT INTO rocpd_api_ops VALUES(1,102,51),(2,103,52);"
        "CREATE TABLE rocpd_kernelapi" +
        call +
        "gridX, gridY, gridZ, workgroupX, workgroupY, workgroupZ, groupSegmentSize);"
        "INSERT INTO rocpd_kernelapi VALUES(102,40,4,1,256,1,1,512);"
        "CREATE TABLE rocpd_copyapi" +
        call +
        "size); INSERT INTO rocpd_copyapi VALUES(103,4096);"
        "CREATE TABLE ext_autogradapi" +
        call + "seq, sizes);" + "INSERT INTO ext_autogradapi VALUES(101,45,'[[2, 3]]');");
}

struct NamedSlice {
    SliceRef slice;
    uint64_t source = 0;
};

std::map<std::string, NamedSlice> slices_by_name(const Trace& trace) {
    std::map<std::string, NamedSlice> all;
    for (LaneId id = 0; id < trace.lanes.size(); ++id)
        for (const auto& chunk : trace.lanes[id].chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i) {
                const SliceRef slice{id, chunk->first + i};
                all[std::string(trace.name(slice))] = {slice, chunk->source[i]};
            }
    return all;
}

std::string argument_of(const TracePtr& trace, uint64_t source, std::string_view name) {
    const auto read = open_arguments(trace)->read(source);
    REQUIRE(read);
    const auto found = std::ranges::find(*read, name, &Argument::name);
    return found == read->end() ? "" : found->value;
}

}  // namespace

TEST_CASE("RPD: names and launches go by ids, in the profiler's file and in a copy") {
    for (const char* key : {"INTEGER PRIMARY KEY", "INTEGER", "INTEGER PRIMARY KEY DESC"}) {
        CAPTURE(key);
        const TracePtr trace = loaded(rpd_tables(key));
        auto slices = slices_by_name(*trace);
        CHECK(slices.size() == 5);
        for (const char* name : {"hipLaunchKernel", "hipMemcpyAsync", "aten::mm", "gemm(float*)",
                                 "Memcpy DtoH (Device -> Host)"})
            REQUIRE(slices.contains(name));
        REQUIRE(trace->links.size() == 2);
        for (const Link& link : trace->links)
            CHECK(trace->start(link.from) == (trace->start(link.to) == 2500 ? 1200 : 4000));
        const GpuActivities& gpu = trace->gpu_activities;
        const uint32_t kernel = find_row(gpu.slice, slices["gemm(float*)"].slice);
        REQUIRE(kernel != kNoRow);
        CHECK(trace->launch_configs[gpu.config[kernel]].grid[0] == 40);
        const uint32_t copy = find_row(gpu.slice, slices["Memcpy DtoH (Device -> Host)"].slice);
        REQUIRE(copy != kNoRow);
        CHECK(gpu.bytes[copy] == 4096);
        const uint32_t row = find_row(trace->operators.slice, slices["aten::mm"].slice);
        REQUIRE(row != kNoRow);
        CHECK(trace->operators.sequence[row] == 45);
        CHECK(argument_of(trace, slices["hipLaunchKernel"].source, "groupSegmentSize") == "512");
        CHECK(argument_of(trace, slices["hipMemcpyAsync"].source, "size") == "4096");
        CHECK(argument_of(trace, slices["aten::mm"].source, "args_id") == "aten::mm");
    }
}
