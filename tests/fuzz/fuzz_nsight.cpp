// Fuzzes loading of Nsight Systems' exports: of the input as a database, and of a sound database in
// which bytes are replaced. Two loads must give the same trace, and the arguments of every event
// must be readable.
#include <cstdint>

#include "tests/fuzz/changed_bytes.h"
#include "tests/fuzz/same_trace.h"

namespace {

// A few rows in each kind of table.
std::string sound_database() {
    return lanescope::testing::database_of(R"(
PRAGMA page_size=512;
CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_NAME','Nsight'),('EXPORT_SCHEMA_VERSION','3');
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES(1,'cudaLaunchKernel_v7000'),(2,'_Z4gemmPf'),(3,'aten::mul, seq = 4');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT, streamId INT,
    correlationId INT, globalPid INT, mangledName INT, gridX INT, blockX INT);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(30,40,0,1,7,1,1<<24,2,8,64),(50,70,0,1,7,2,1<<24,2,8,64);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INT, end INT, eventClass INT, globalTid INT,
    correlationId INT, nameId INT, returnValue INT);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(10,20,0,1<<24|1,1,1,0),(21,22,1,1<<24|1,2,1,5);
CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, text TEXT, textId INT, globalTid INT, domainId INT);
INSERT INTO NVTX_EVENTS VALUES(5,90,59,'step',NULL,1<<24|1,0),(6,NULL,59,NULL,3,1<<24|1,1),
    (7,80,60,'load',NULL,1<<24|1,0),(8,NULL,34,'mark',NULL,1<<24|1,0);
CREATE TABLE COMPOSITE_EVENTS(id INT, start INT, globalTid INT);
INSERT INTO COMPOSITE_EVENTS VALUES(1,10,1<<24|1),(2,20,1<<24|1);
CREATE TABLE SAMPLING_CALLCHAINS(id INT, symbol INT, module INT, stackDepth INT);
INSERT INTO SAMPLING_CALLCHAINS VALUES(1,2,1,0),(2,2,1,0),(2,3,1,1);
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start INT, globalPid INT, bytes INT, memKind INT);
INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES(10,1<<24,100,2);
)");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    using namespace lanescope::testing;
    static const std::string sound = sound_database();
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    if (input.starts_with("SQLite format 3")) {
        check_same_trace(input);
        return 0;
    }
    check_same_trace(with_replaced_bytes(sound, input));
    return 0;
}
