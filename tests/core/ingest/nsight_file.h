// Databases as Nsight Systems exports them, made from the statements of the tables that a test
// needs.
#pragma once

#include <string>

#include "tests/core/ingest/sqlite_bytes.h"

namespace lanescope::testing {

// Every export has these.
inline const std::string kNsightStart = R"(
CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_NAME','NVIDIA Nsight Systems'),
    ('EXPORT_PRODUCT_VERSION','2026.2.1'),('EXPORT_SCHEMA_VERSION','3.25.0');
CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES(1,'cudaLaunchKernel_v7000'),(2,'_Z4gemmPf'),(3,'gemm(float *)'),
    (4,'gemm'),(5,'cuLaunchKernel'),(6,'registered'),(7,'main'),(8,'libc.so'),(9,'work');
)";
inline const std::string kNsightKernels = R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER,
    contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
    demangledName INTEGER, shortName INTEGER, mangledName INTEGER, registersPerThread INTEGER,
    gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,
    staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, graphNodeId INTEGER,
    launchType INTEGER);
)";
inline const std::string kNsightCalls = R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, eventClass INTEGER,
    globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER,
    callchainId INTEGER);
)";
inline const std::string kNsightRanges = R"(
CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER,
    category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER,
    textId INTEGER, domainId INTEGER, uint64Value INTEGER);
)";

// The number of a process, and of its first thread, as SQL.
inline std::string nsight_pid_text(int pid) {
    return "(" + std::to_string(pid) + "<<24)";
}
inline std::string nsight_tid_text(int pid) {
    return "(" + std::to_string(pid) + "<<24|" + std::to_string(pid) + ")";
}

// A kernel of 50 ns on stream 7 that a call of the process launched.
inline std::string nsight_kernel(int pid, int start, int correlation, int device = 0) {
    return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(" + std::to_string(start) + "," +
           std::to_string(start + 50) + "," + std::to_string(device) + ",1,7," +
           std::to_string(correlation) + "," + nsight_pid_text(pid) +
           ",3,4,2,32,10,2,1,128,1,1,1024,2048,NULL,1);\n";
}
// A call of 20 ns; `kind`: 0 of the runtime, 1 of the driver.
inline std::string nsight_call(int pid, int start, int correlation, int kind = 0, int name = 1,
                               int length = 20) {
    return "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(" + std::to_string(start) + "," +
           std::to_string(start + length) + "," + std::to_string(kind) + "," +
           nsight_tid_text(pid) + "," + std::to_string(correlation) + "," + std::to_string(name) +
           ",0,NULL);\n";
}

}  // namespace lanescope::testing
