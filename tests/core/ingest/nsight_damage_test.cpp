// Nsight Systems' exports that are damaged, cut, compressed, or made to do harm.
#include <fmt/format.h>

#include <fstream>

#include "core/ingest/sqlite_file/sqlite_file.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/ingest/nsight_file.h"
#include "tests/core/ingest/random_events.h"
#include "tests/core/temporary_file.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

constexpr int kManyKernels = 2000;

std::string many_kernels() {
    std::string text = kNsightStart + kNsightKernels;
    for (int i = 0; i < kManyKernels; ++i) text += nsight_kernel(11, 1000 + i * 100, i + 1);
    return sqlite_bytes(text);
}

uint64_t kernels_of(const Trace& trace) {
    return trace.gpu_activities.rows();
}

TracePtr loaded_tables_of(const std::string& statements) {
    return loaded(
        sqlite_bytes(kNsightStart + kNsightKernels + nsight_kernel(11, 100, 1) + statements));
}

// Where the root page of a table begins in the file.
std::size_t page_of(const std::string& bytes, const std::string& table) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(":memory:", &database) == SQLITE_OK);
    auto* const copy = static_cast<unsigned char*>(sqlite3_malloc64(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), copy);
    const auto size = static_cast<sqlite3_int64>(bytes.size());
    REQUIRE(sqlite3_deserialize(database, "main", copy, size, size,
                                SQLITE_DESERIALIZE_FREEONCLOSE) == SQLITE_OK);
    sqlite3_stmt* statement = nullptr;
    const std::string text = "SELECT rootpage FROM sqlite_master WHERE name='" + table + "'";
    REQUIRE(sqlite3_prepare_v2(database, text.c_str(), -1, &statement, nullptr) == SQLITE_OK);
    REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
    const int page = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return static_cast<std::size_t>(page - 1) * 4096;
}

}  // namespace

TEST_CASE("Nsight: values of other types, huge and negative ones") {
    const TracePtr trace = loaded_tables_of(
        kNsightCalls + kNsightRanges +
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start,end,mangledName) VALUES('soon','later',2),"
        "(NULL,NULL,2),(9223372036854775807,9223372036854775807,2),"
        "(-9223372036854775808,1,2),(x'00',5,2),(1e300,1e300,2);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start,end,deviceId,streamId,globalPid,gridX,blockX,"
        "mangledName,correlationId) VALUES(500,400,-5,-9,-1,-3,99999999999,'text',x'01'),"
        "(600.0,650.0,9223372036854775807,4294967295,9223372036854775807,1,1,NULL,NULL);"
        "INSERT INTO NVTX_EVENTS(start,end,eventType,text,globalTid) VALUES(700,710,59,x'414243',"
        "11<<24|11),(720,730,59,CAST(x'ff41' AS TEXT),11<<24|11);");
    CHECK(warned(*trace, "unreadable_time") == 6);
    CHECK(warned(*trace, "negative_duration") == 1);
    CHECK(kernels_of(*trace) == 3);
}

TEST_CASE("Nsight: views, triggers and virtual tables are not used") {
    const TracePtr trace = loaded_tables_of(
        "CREATE VIEW CUPTI_ACTIVITY_KIND_RUNTIME AS WITH RECURSIVE endless(start) AS (SELECT 1 "
        "UNION ALL SELECT start FROM endless) SELECT * FROM endless;"
        "CREATE TABLE NVTX_EVENTS(start, end AS (start + 5), eventType);"
        "INSERT INTO NVTX_EVENTS(start, eventType) VALUES(1,59);"
        "CREATE TRIGGER harm INSERT ON StringIds BEGIN DELETE FROM StringIds; END;"
        "CREATE TABLE \"quote\"\"d' name\"(start); INSERT INTO \"quote\"\"d' name\" VALUES(1);"
        "CREATE TABLE PROCESSES(globalPid PRIMARY KEY, name) WITHOUT ROWID;"
        "INSERT INTO PROCESSES VALUES(11<<24,'run');");
    CHECK(kernels_of(*trace) == 1);
    CHECK(trace->runtime_calls.rows() == 0);
    CHECK(find_warning(*trace, "unknown_tables")->text.ends_with("quote\"d' name (1)"));
    // The range's end is a column that the file computes: it counts as missing.
    CHECK(warned(*trace, "unclosed_begin") == 1);
    CHECK(trace->strings[trace->processes.back().name] == "run");
}

TEST_CASE("Nsight: texts whose table has no key") {
    const TracePtr trace =
        loaded(sqlite_bytes("CREATE TABLE StringIds(id, value); INSERT INTO StringIds "
                            "VALUES(8,'first'),(2,'_Z4gemmPf');" +
                            kNsightKernels + nsight_kernel(11, 100, 1)));
    REQUIRE(trace->lanes.size() == 1);
    CHECK(trace->name({0, 0}) == "gemm(float*)");
}

TEST_CASE("Nsight: a database may be compressed") {
    const std::string bytes = many_kernels();
    for (const std::string& packed : {gzip(bytes), zstd(bytes)}) {
        const TracePtr trace = loaded(packed);
        CHECK(kernels_of(*trace) == kManyKernels);
        const auto read = open_arguments(trace)->read(trace->lanes[0].chunks[0]->source[0]);
        REQUIRE(read);
        CHECK(read->size() > 10);
    }
}

TEST_CASE("Nsight: the readable rows of a cut file are kept") {
    const std::string bytes = many_kernels();
    const TracePtr trace = loaded(bytes.substr(0, bytes.size() / 2 + 100));
    CHECK(warned(*trace, "truncated_file") == 1);
    CHECK(warned(*trace, "damaged_table") == 1);
    CHECK(kernels_of(*trace) > kManyKernels / 4);
    CHECK(kernels_of(*trace) < kManyKernels);
}

TEST_CASE("Nsight: rows behind a damaged page are kept") {
    std::string bytes = many_kernels();
    // A page in the middle of the table.
    const std::size_t page = bytes.size() / 2 / 4096 * 4096;
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page), 4096, '\x77');
    const TracePtr trace = loaded(bytes);
    CHECK(find_warning(*trace, "damaged_table")->text.ends_with("CUPTI_ACTIVITY_KIND_KERNEL"));
    CHECK(kernels_of(*trace) > kManyKernels - 100);
    CHECK(kernels_of(*trace) < kManyKernels);
}

TEST_CASE("Nsight: a table without any readable page is named") {
    std::string bytes = many_kernels();
    const std::size_t page = page_of(bytes, "CUPTI_ACTIVITY_KIND_KERNEL");
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page), 4096, '\0');
    const Result<TracePtr> trace = load_bytes(bytes);
    REQUIRE_FALSE(trace);
    CHECK(trace.error().code == ErrorCode::empty);
}

TEST_CASE("Nsight: a write-ahead log beside the file is named") {
    const TemporaryFile file(many_kernels(), "x.sqlite");
    std::ofstream(file.path() + "-wal") << "changes";
    const Result<TracePtr> trace = load_trace(file.path());
    REQUIRE(trace);
    CHECK(kernels_of(**trace) == kManyKernels);
    CHECK(find_warning(**trace, "unread_changes")->text.find("x.sqlite-wal") != std::string::npos);
}

TEST_CASE("Nsight: equal messages count once, and only the first ones are shown") {
    const TracePtr trace = loaded_tables_of(
        "CREATE TABLE DIAGNOSTIC_EVENT(severity, text);"
        "WITH RECURSIVE many(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM many WHERE i<19999) "
        "INSERT INTO DIAGNOSTIC_EVENT SELECT 2,'message '||(i%10000) FROM many;");
    CHECK(find_warning(*trace, "profiler_warning")->text ==
          "Nsight Systems says: message 0; message 1; message 2; message 3; message 4; message 5; "
          "message 6; message 7; and 9992 more");
}

TEST_CASE("Nsight: all files of changes are named in one warning") {
    const TemporaryFile file(many_kernels(), "x.sqlite");
    std::ofstream(file.path() + "-wal") << "changes";
    std::ofstream(file.path() + "-journal") << "changes";
    const Result<TracePtr> trace = load_trace(file.path());
    REQUIRE(trace);
    const std::string& text = find_warning(**trace, "unread_changes")->text;
    CHECK(text.find("x.sqlite-wal and ") != std::string::npos);
    CHECK(text.find("x.sqlite-journal have changes") != std::string::npos);
}

TEST_CASE("Nsight: a load can be stopped, and a changed file is not read again") {
    const std::string bytes = many_kernels();
    const MemoryFile file(bytes);
    LoadProgress progress;
    progress.cancel = true;
    LoadOptions options;
    options.progress = &progress;
    const Result<TracePtr> stopped = load_trace(file.path(), options);
    REQUIRE_FALSE(stopped);
    CHECK(stopped.error().code == ErrorCode::cancelled);
    const Result<TracePtr> trace = load_trace(file.path());
    REQUIRE(trace);
    REQUIRE(ftruncate(file.fd(), 5000) == 0);
    CHECK_FALSE(open_arguments(*trace)->read((*trace)->lanes[0].chunks[0]->source[0]));
}

TEST_CASE("a damaged list of tables is an error that names the file") {
    std::string bytes = many_kernels();
    std::fill(bytes.begin() + 100, bytes.begin() + 4096, '\x55');
    const Result<TracePtr> trace = load_bytes(bytes);
    REQUIRE_FALSE(trace);
    CHECK(trace.error().code == ErrorCode::damaged);
    CHECK(trace.error().text.find("damaged") != std::string::npos);
}

TEST_CASE("other SQLite databases are refused by name") {
    const auto refusal = [](const std::string& tables) {
        const Result<TracePtr> trace = load_bytes(sqlite_bytes(tables));
        REQUIRE_FALSE(trace);
        CHECK(trace.error().code == ErrorCode::unsupported);
        return trace.error().text;
    };
    CHECK(refusal("CREATE TABLE StringTable(_id_, value); CREATE TABLE "
                  "CUPTI_ACTIVITY_KIND_KERNEL(_id_);")
              .find("nvprof") != std::string::npos);
    CHECK(refusal("CREATE TABLE compute_workload(workload_id);").find("rocprof-compute") !=
          std::string::npos);
    CHECK(refusal("CREATE TABLE moz_places(id);").find("not known here") != std::string::npos);
}
