// Fuzzes loading of rocprofv3's JSON and CSV files, and of a sound rocpd database in which bytes
// are replaced. Two loads must give the same trace, and the arguments of every event must be
// readable.
#include <cstdint>

#include "tests/fuzz/changed_bytes.h"
#include "tests/fuzz/same_trace.h"

namespace {

// A few rows in each kind of table.
std::string sound_rocpd() {
    return lanescope::testing::database_of(R"(
PRAGMA page_size=512;
CREATE TABLE rocpd_string_1(id INTEGER PRIMARY KEY, string TEXT);
INSERT INTO rocpd_string_1 VALUES(1,'hipLaunchKernel'),(2,'HIP_RUNTIME_API_EXT'),
    (3,'roctxThreadRangeA'),(4,'MARKER_CORE_RANGE_API'),(5,'MEMORY_COPY_HOST_TO_DEVICE');
CREATE TABLE rocpd_info_process_1(id INTEGER PRIMARY KEY, pid INT, command TEXT);
INSERT INTO rocpd_info_process_1 VALUES(1,70,'python3 train.py');
CREATE TABLE rocpd_info_agent_1(id INTEGER PRIMARY KEY, type TEXT, type_index INT, extdata TEXT);
INSERT INTO rocpd_info_agent_1 VALUES(2,'GPU',0,'{"cu_count":4}');
CREATE TABLE rocpd_info_kernel_symbol_1(id INTEGER PRIMARY KEY, display_name TEXT, arch_vgpr_count INT);
INSERT INTO rocpd_info_kernel_symbol_1 VALUES(5,'_Z4gemmPf',32);
CREATE TABLE rocpd_event_1(id INTEGER PRIMARY KEY, category_id INT, stack_id INT, extdata TEXT);
INSERT INTO rocpd_event_1 VALUES(1,2,7,'{}'),(2,0,7,'{}'),(3,4,8,'{"message":"step"}');
CREATE TABLE rocpd_info_pmc_1(id INTEGER PRIMARY KEY, name TEXT, symbol TEXT);
INSERT INTO rocpd_info_pmc_1 VALUES(1,'SQ_WAVES','SQ_WAVES:0');
CREATE TABLE rocpd_pmc_event_1(id INTEGER PRIMARY KEY, event_id INT, pmc_id INT, value REAL);
INSERT INTO rocpd_pmc_event_1 VALUES(1,2,1,4.5);
CREATE TABLE rocpd_timestamp_1(id INTEGER PRIMARY KEY, value INT);
INSERT INTO rocpd_timestamp_1 VALUES(1,30),(2,60);
CREATE TABLE rocpd_region_1(id INTEGER PRIMARY KEY, pid INT, tid INT, start INT, end INT, name_id INT, event_id INT);
INSERT INTO rocpd_region_1 VALUES(1,1,9,10,20,1,1),(2,1,9,5,90,3,3);
CREATE TABLE rocpd_kernel_dispatch_1(id INTEGER PRIMARY KEY, pid INT, tid INT, agent_id INT, queue_id INT,
    kernel_id INT, start INT, end INT, start_id INT, end_id INT, workgroup_size_x INT, grid_size_x INT, event_id INT);
INSERT INTO rocpd_kernel_dispatch_1 VALUES(1,1,9,2,3,5,30,50,NULL,NULL,64,100,2),(2,1,9,2,3,5,NULL,NULL,1,2,64,100,NULL);
CREATE TABLE rocpd_memory_allocate_1(id INTEGER PRIMARY KEY, pid INT, agent_id INT, start INT, end INT,
    type TEXT, level TEXT, address INT, size INT);
INSERT INTO rocpd_memory_allocate_1 VALUES(1,1,2,10,11,'ALLOC','REAL',64,100),(2,1,0,20,21,'FREE','REAL',64,0);
)");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    using namespace lanescope::testing;
    static const std::string sound = sound_rocpd();
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    if (input.starts_with('{') || input.starts_with('"') || input.starts_with('K')) {
        check_same_trace(input);
        return 0;
    }
    check_same_trace(with_replaced_bytes(sound, input));
    return 0;
}
