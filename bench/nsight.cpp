// How soon an export of Nsight Systems is loaded, as a ratio within one run: the load of a database
// with kernels, calls and ranges, against SQLite alone stepping through the same columns of the
// same rows.
//   bench_nsight [ROWS] [ROUNDS]
// Makes its input in the temporary folder.
#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "core/ingest/load.h"

namespace {

using namespace lanescope::bench;

class Database {
  public:
    explicit Database(const std::string& path) {
        if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK)
            throw std::runtime_error("cannot open " + path);
    }
    ~Database() { sqlite3_close(database_); }
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    void run(const std::string& statements) {
        if (sqlite3_exec(database_, statements.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
            throw std::runtime_error(sqlite3_errmsg(database_));
    }
    // Takes each value of each row; returns a sum, so that nothing is left out.
    int64_t scan(const std::string& query) {
        sqlite3_stmt* statement = nullptr;
        if (sqlite3_prepare_v2(database_, query.c_str(), -1, &statement, nullptr) != SQLITE_OK)
            throw std::runtime_error(sqlite3_errmsg(database_));
        int64_t sum = 0;
        const int columns = sqlite3_column_count(statement);
        while (sqlite3_step(statement) == SQLITE_ROW)
            for (int i = 0; i < columns; ++i) {
                const int type = sqlite3_column_type(statement, i);
                if (type == SQLITE_INTEGER) sum += sqlite3_column_int64(statement, i);
                if (type == SQLITE_TEXT) sum += sqlite3_column_text(statement, i)[0];
            }
        sqlite3_finalize(statement);
        return sum;
    }

  private:
    sqlite3* database_ = nullptr;
};

const std::string kWorkColumns =
    "start, end, deviceId, contextId, streamId, correlationId, globalPid, graphNodeId, "
    "mangledName, demangledName, shortName, registersPerThread, gridX, gridY, gridZ, blockX, "
    "blockY, blockZ, staticSharedMemory, dynamicSharedMemory";
const std::string kCallColumns =
    "start, end, eventClass, globalTid, correlationId, nameId, returnValue";
const std::string kRangeColumns = "start, end, eventType, text, globalTid, textId, domainId";

// Each launch makes four rows: a kernel, its launch call, and two ranges around the call.
void make_database(const std::string& path, uint64_t rows) {
    Database database(path);
    database.run(
        "PRAGMA journal_mode=off; PRAGMA synchronous=off;"
        "CREATE TABLE META_DATA_EXPORT(name, value);"
        "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
        "INSERT INTO StringIds VALUES(1,'cudaLaunchKernel_v7000'),(2,'_Z4gemmPf');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(" +
        kWorkColumns + "); CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(" + kCallColumns +
        "); CREATE TABLE NVTX_EVENTS(" + kRangeColumns + ");");
    const std::string launches =
        fmt::format("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {}) ",
                    rows / 4 - 1);
    const std::string thread = "11 << 24 | 11";
    database.run("BEGIN;" + launches +
                 "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 60000000000 + i * 10000, "
                 "60000000000 + i * 10000 + 7000, 0, 1, 7, i + 1, 11 << 24, NULL, 2, 2, 2, 32, "
                 "1024, 1, 1, 256, 1, 1, 0, 4096 FROM n;" +
                 launches +
                 "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 60000000000 + i * 10000 - 5000, "
                 "60000000000 + i * 10000 - 1000, 0, " +
                 thread + ", i + 1, 1, 0 FROM n;" + launches +
                 "INSERT INTO NVTX_EVENTS SELECT 60000000000 + i * 10000 - 7000, 60000000000 + "
                 "i * 10000 + 500, 59, 'aten::linear, op_id = ' || (2 * i), " +
                 thread + ", NULL, 0 FROM n;" + launches +
                 "INSERT INTO NVTX_EVENTS SELECT 60000000000 + i * 10000 - 6000, 60000000000 + "
                 "i * 10000, 59, 'aten::addmm, seq = ' || i || ', op_id = ' || (2 * i + 1), " +
                 thread + ", NULL, 0 FROM n; COMMIT;");
}

void scan_alone(const std::string& path) {
    Database database(path);
    const int64_t sum =
        database.scan("SELECT " + kWorkColumns + " FROM CUPTI_ACTIVITY_KIND_KERNEL") +
        database.scan("SELECT " + kCallColumns + " FROM CUPTI_ACTIVITY_KIND_RUNTIME") +
        database.scan("SELECT " + kRangeColumns + " FROM NVTX_EVENTS");
    if (sum == 0) throw std::runtime_error("no rows");
}

void measure(uint64_t rows, uint64_t rounds) {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / "lanescope-bench.sqlite";
    std::filesystem::remove(path);
    make_database(path, rows);
    std::vector<double> scans, loads;
    for (uint64_t round = 0; round < rounds; ++round) {
        scans.push_back(seconds_of([&] { scan_alone(path); }));
        loads.push_back(seconds_of([&] {
            const auto trace = lanescope::load_trace(path);
            if (!trace) throw std::runtime_error(trace.error().text);
        }));
    }
    fmt::print("{}, {} rows, {} MB\n", machine(), rows,
               std::filesystem::file_size(path) / 1'000'000);
    fmt::print("SQLite alone  {}\nload          {}\nratio         {:.2f}\n", spread(scans),
               spread(loads), median(loads) / median(scans));
    std::filesystem::remove(path);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        measure(argc > 1 ? positive_argument(argv[1]) : 1'000'000,
                argc > 2 ? positive_argument(argv[2]) : 5);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_nsight: {}\n", error.what());
        return 1;
    }
    return 0;
}
