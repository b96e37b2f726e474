// Launches in files with several processes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/ingest/load.h"
#include "core/trace/trace.h"
#include "tests/core/ingest/loaded_text.h"

using namespace lanescope;

namespace {

// Two processes with the same correlations; kernels of process 100 + r are on GPU r, and named "k0"
// or "k1". Times in µs.
class TwoRanks {
  public:
    TwoRanks& launch(int rank, int correlation, int call, int work, int id = -1) {
        const std::string external = id < 0 ? "" : fmt::format(",\"External id\":{}", id);
        add(fmt::format(R"({{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":{},)"
                        R"("tid":1,"ts":{},"dur":5,"args":{{"correlation":{}{}}}}})",
                        100 + rank, call, correlation, external));
        add(fmt::format(R"({{"ph":"X","cat":"kernel","name":"k{0}","pid":{0},"tid":7,"ts":{1},)"
                        R"("dur":40,"args":{{"device":{0},"stream":7,"correlation":{2}{3}}}}})",
                        rank, work, correlation, external));
        return *this;
    }
    TwoRanks& name(int pid, std::string_view text) {
        add(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"{}"}}}})",
                        pid, text));
        return *this;
    }
    TracePtr load() const { return testing::loaded("[" + events_ + "]"); }

  private:
    void add(const std::string& event) { events_ += (events_.empty() ? "" : ",") + event; }
    std::string events_;
};

struct Linked {
    int right = 0, wrong = 0;
};

Linked linked(const Trace& trace) {
    Linked count;
    for (const Link& link : trace.links) {
        const std::string_view pid =
            trace.strings[trace.processes[trace.lanes[link.from.lane].process].pid];
        ++(pid.substr(2) == trace.name(link.to).substr(1) ? count.right : count.wrong);
    }
    return count;
}

std::uint64_t warned(const Trace& trace) {
    const auto found = std::ranges::find(trace.warnings, "ambiguous_launch", &Warning::code);
    return found == trace.warnings.end() ? 0 : found->count;
}

}  // namespace

TEST_CASE("the order of calls and work tells processes with the same correlations apart") {
    TwoRanks ranks;
    for (int i = 0; i < 100; ++i)
        ranks.launch(0, i + 1, 100 * i, 100 * i + 30).launch(1, i + 1, 100 * i + 7, 100 * i + 37);
    const TracePtr trace = ranks.load();
    CHECK(linked(*trace).right == 200);
    CHECK(linked(*trace).wrong == 0);
    CHECK(warned(*trace) == 0);
}

TEST_CASE("a correlation of only one process decides for the rest of its GPU") {
    TwoRanks ranks;
    ranks.launch(0, 900, 1, 20).launch(1, 901, 1, 20);
    // The order alternates, so it says nothing.
    for (int i = 0; i < 20; ++i)
        ranks.launch(0, i + 1, 100 * i + 50 + i % 2, 100 * i + 80)
            .launch(1, i + 1, 100 * i + 51 - i % 2, 100 * i + 80);
    CHECK(linked(*ranks.load()).right == 42);
}

TEST_CASE("names of processes and external ids decide, too") {
    TwoRanks named;
    named.name(100, "RANK 0 - CPU").name(0, "RANK 0 - GPU").name(101, "RANK 1 - CPU");
    named.name(1, "RANK 1 - GPU");
    TwoRanks with_ids;
    for (int i = 0; i < 20; ++i) {
        // The work of the second process begins first, although its calls come last.
        named.launch(0, i + 1, 100 * i, 100 * i + 40).launch(1, i + 1, 100 * i + 7, 100 * i + 30);
        with_ids.launch(0, i + 1, 100 * i, 100 * i + 40, 1000 + i)
            .launch(1, i + 1, 100 * i + 7, 100 * i + 30, 2000 + i);
    }
    CHECK(linked(*named.load()).right == 40);
    CHECK(linked(*with_ids.load()).right == 40);
}

TEST_CASE("without evidence a launch is left open, and counted") {
    TwoRanks ranks;
    for (int i = 0; i < 20; ++i)
        ranks.launch(0, i + 1, 100 * i + i % 2, 100 * i + 30)
            .launch(1, i + 1, 100 * i + 1 - i % 2, 100 * i + 30);
    const TracePtr trace = ranks.load();
    CHECK(linked(*trace).right + linked(*trace).wrong == 0);
    CHECK(warned(*trace) == 40);
}

TEST_CASE("one process may use its correlations again, in another recorded window") {
    TwoRanks ranks;
    ranks.launch(0, 1, 0, 30).launch(0, 1, 1000, 1030);
    const TracePtr trace = ranks.load();
    REQUIRE(trace->links.size() == 2);
    for (const Link& link : trace->links)
        CHECK(trace->start(link.to) - trace->start(link.from) == 30'000);
}
