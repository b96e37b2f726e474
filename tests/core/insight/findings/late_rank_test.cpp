// late-rank over two files: the clocks of ranks in several files need not agree.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/ingest/load.h"
#include "core/insight/findings/rule.h"
#include "core/trace/join.h"
#include "tests/core/memory_file.h"

using namespace lanescope;

namespace {

// Four steps of 1 ms with an all-reduce each, which begins at `arrives` and ends at 900 µs; `calls`
// of them are in the file.
std::string rank_file(int rank, double arrives, int calls = 4) {
    std::string text =
        fmt::format(R"({{"distributedInfo":{{"rank":{},"world_size":2}},"traceEvents":[)", rank);
    const auto add = [&](std::string_view category, std::string_view name, int tid, double begin,
                         double end, int id) {
        text +=
            fmt::format(R"({}{{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},)"
                        R"("args":{{"correlation":{},"device":0,"stream":7}}}})",
                        id == 1 && category == "user_annotation" ? "" : ",", category, name,
                        category == "kernel" ? 0 : 100, tid, begin, end - begin, id);
    };
    for (int i = 0; i < 4; ++i) {
        const double begin = 1000.0 * i;
        add("user_annotation", fmt::format("ProfilerStep#{}", i), 1, begin, begin + 1000, i + 1);
        add("cuda_runtime", "cudaLaunchKernel", 1, begin + 5, begin + 8, 10 + i);
        add("kernel", "work", 7, begin + 10, begin + arrives, 10 + i);
        if (i >= calls) continue;
        add("cuda_runtime", "cudaLaunchKernel", 1, begin + 9, begin + 12, 20 + i);
        add("kernel", "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", 7, begin + arrives,
            begin + 900, 20 + i);
    }
    return text + "]}";
}

std::vector<Finding> late_ranks(const std::string& first, const std::string& second, Nanos offset) {
    const testing::MemoryFile first_file(first);
    const testing::MemoryFile second_file(second);
    std::vector<JoinPart> parts;
    LoadOptions options;
    for (const std::string& path : {first_file.path(), second_file.path()}) {
        const auto trace = load_trace(path, options);
        REQUIRE(trace);
        options.vocabulary = *trace;
        parts.push_back({*trace, parts.empty() ? 0 : offset, fmt::format("rank {}", parts.size())});
    }
    const auto joined = join_traces(parts);
    REQUIRE(joined);
    std::vector<Finding> found = find_all(TraceContext(joined->whole), {}, {}).all;
    std::erase_if(found, [](const Finding& one) { return one.rule != "late-rank"; });
    return found;
}

}  // namespace

TEST_CASE("the early rank waits for the one in the other file, whatever the clocks say") {
    for (const Nanos offset : {Nanos{0}, Nanos{300'000}, Nanos{50'000'000}}) {
        const auto found = late_ranks(rank_file(0, 300), rank_file(1, 700), offset);
        REQUIRE(found.size() == 1);
        CHECK(found[0].device == 0);
        CHECK(*found[0].cost == 4 * 400'000);
        CHECK(found[0].title.find("GPU 0 of rank 1") != std::string::npos);
        CHECK(found[0].title.starts_with("In 4 collectives"));
    }
}

TEST_CASE("ranks that arrive together, or whose calls do not match, are no finding") {
    CHECK(late_ranks(rank_file(0, 300), rank_file(1, 300), 0).empty());
    // If the ranks make different numbers of calls in a step, nothing shows which calls belong
    // together.
    CHECK(late_ranks(rank_file(0, 300, 0), rank_file(1, 700), 0).empty());
}
