// The pieces that read rocprofv3's texts, at the ends of their windows.
#include <doctest/doctest.h>

#include "core/ingest/rocprofv3/csv_rows.h"
#include "core/ingest/rocprofv3/json_walk.h"
#include "core/ingest/rocprofv3/rocm_events.h"
#include "core/ingest/rocprofv3/rocprofv3_csv_columns.h"
#include "tests/core/memory_file.h"

using namespace lanescope;

namespace {

std::shared_ptr<InputFile> opened(const testing::MemoryFile& file) {
    Result<std::shared_ptr<InputFile>> input = InputFile::open(file.path());
    REQUIRE(input);
    return *input;
}

struct CsvRow {
    CsvRead state = CsvRead::row;
    std::vector<std::string> fields;
};

std::vector<CsvRow> rows_of(const std::string& text) {
    const testing::MemoryFile file(text);
    CsvRows rows(opened(file), Compression::none);
    std::vector<CsvRow> all;
    while (rows.next()) all.push_back({rows.state(), rows.fields()});
    CHECK(rows.outcome());
    return all;
}

}  // namespace

TEST_CASE("rows of CSV end with their line, unless it is quoted") {
    const std::vector<CsvRow> rows = rows_of("a,b\r\n\"x\"\"y\",\"1\n2\"\n\n,\n");
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].fields == std::vector<std::string>{"a", "b"});
    CHECK(rows[1].fields == std::vector<std::string>{"x\"y", "1\n2"});
    CHECK(rows[2].fields == std::vector<std::string>{"", ""});
}

TEST_CASE("a last row of CSV without an end is whole only with a quote") {
    CHECK(rows_of("a\n1,2").back().state == CsvRead::cut);
    CHECK(rows_of("a\n1,\"2\"").back().state == CsvRead::row);
    CHECK(rows_of("a\n1,\"2").back().state == CsvRead::cut);
    CHECK(rows_of("a\n\"1,2\nb\n")[1].state == CsvRead::bad);
}

TEST_CASE("rows of CSV may be longer than what is read at once") {
    for (const std::size_t length : {4090, 4095, 4096, 4097, 70'000, 900'000}) {
        const std::string text = "a,\"" + std::string(length, 'x') + "\"\nb,c\n";
        const std::vector<CsvRow> rows = rows_of(text);
        REQUIRE(rows.size() == 2);
        CHECK(rows[0].fields[1].size() == length);
        CHECK(rows[1].fields[1] == "c");
    }
}

TEST_CASE("a JSON text is walked over the ends of its windows") {
    for (const std::size_t length : {10, 4090, 70'000, 1'048'570, 3'000'000}) {
        const std::string filler(length, 'x');
        const testing::MemoryFile file("{\"a\": [1, {\"b\": \"" + filler + "\"}], \"c\": \"" +
                                       filler + "\", \"d\": 7}");
        JsonWalk text(opened(file), Compression::none, nullptr);
        std::string found;
        const bool is_whole = text.members([&](std::string_view name) {
            std::string_view raw;
            if (name == "a") return text.skip();
            if (!text.value(raw)) return false;
            found += name;
            found += raw.size() < 10 ? std::string(raw) : std::to_string(raw.size());
            return true;
        });
        CHECK(is_whole);
        CHECK((found == "c" + std::to_string(length + 2) + "d7" || length < 10));
    }
}

TEST_CASE("a JSON text that ends early is told from one that is wrong") {
    const auto ends = [](const std::string& content) {
        const testing::MemoryFile file(content);
        JsonWalk text(opened(file), Compression::none, nullptr);
        std::string_view raw;
        CHECK_FALSE(text.members([&](std::string_view) { return text.value(raw); }));
        return text.is_at_end();
    };
    CHECK(ends("{\"a\": 1, \"b"));
    CHECK(ends("{\"a\": {\"b\": 1}"));
    CHECK(ends("{\"a\": {\"b\": 1"));
    CHECK_FALSE(ends("{\"a\": 1, b: 2}"));
    CHECK_FALSE(ends("[1]"));
}

TEST_CASE("names of copies, kernels and processes are those that people read") {
    CHECK(rocm_copy_name("MEMORY_COPY_DEVICE_TO_HOST") == "Memcpy DtoH (Device -> Host)");
    CHECK(rocm_copy_name("HOST_TO_DEVICE") == "Memcpy HtoD (Host -> Device)");
    CHECK(rocm_copy_name("MEMORY_COPY_NONE") == "MEMORY_COPY_NONE");
    CHECK(rocm_copy_name("_TO_") == "_TO_");
    CHECK(rocm_kernel_name("_Z4gemmPf.kd") == "gemm(float*)");
    CHECK(rocm_kernel_name("f(int) [clone .kd]") == "f(int)");
    CHECK(rocm_process_name({"/usr/bin/python3", "-u", "/a/train.py", "--x"}) ==
          "python3 train.py");
    CHECK(rocm_process_name({"./app", "secret"}) == "app");
    CHECK(rocm_process_name({}).empty());
}

TEST_CASE("a grid of work-items becomes one of blocks") {
    const LaunchConfig config = rocm_config({100, 64, -1}, {64, 64, 0});
    CHECK(config.grid[0] == 2);
    CHECK(config.grid[1] == 1);
    CHECK(config.grid[2] == 0);
    CHECK(rocm_config({INT64_MAX, 1, 1}, {1, 1, 1}).grid[0] == UINT32_MAX);
}

TEST_CASE("the prefix of a run is what its files have in common") {
    CHECK(rocm_csv_prefix("/a/run_1_kernel_trace.csv") == "run_1");
    CHECK(rocm_csv_prefix("70_hip_api_trace.csv.gz") == "70");
    CHECK(rocm_csv_prefix("kernel_trace.csv").empty());
    CHECK(rocm_csv_prefix("/a_b/other.csv").empty());
}
