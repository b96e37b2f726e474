#include "core/analysis/collectives/collective_numbers.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/analysis/collectives/collectives.h"
#include "tests/core/ingest/loaded_text.h"

namespace lanescope {

namespace {

// Events of one program, pid 1, and its GPU, pid 0.
class NumberedCalls {
  public:
    // A call of `name` in a group, which launches a kernel on a stream. `more`: further arguments
    // of the call.
    void call(const std::string& name, const std::string& group, int stream,
              const std::string& more = "", const std::string& of_kernel = "") {
        const std::string arguments = fmt::format(
            R"("Collective name":"{}"{}{})", name,
            group.empty() ? "" : fmt::format(R"(,"Process Group Name":"{}")", group), more);
        event("cpu_op", "record_param_comms", 1, 1, now_, 8, arguments);
        launch(1, stream, of_kernel);
    }
    // A kernel outside of all calls.
    void kernel(int stream, const std::string& of_kernel = "") { launch(1, stream, of_kernel); }
    // A second kernel of the last call.
    void once_more(int stream) { launch(-4, stream, ""); }

    // The numbers by begin, "1 counted".
    std::vector<std::string> numbers() const {
        const TraceContext context(testing::loaded("[" + text_ + "]"));
        std::vector<std::string> all;
        for (const CollectiveRow& row : context.get<AllCollectives>().rows) {
            const CollectiveNumber number = context.get<CollectiveNumbers>().of(row.slice);
            all.push_back(number.number == kNoValue
                              ? "none"
                              : fmt::format("{} {}", number.number,
                                            number.is_recorded ? "recorded" : "counted"));
        }
        return all;
    }

  private:
    void launch(int after, int stream, const std::string& of_kernel) {
        const int at = after > 0 ? now_ + after : now_ - 10 - after;
        const std::string id = fmt::format(R"("correlation":{})", ++correlation_);
        event("cuda_runtime", "cudaLaunchKernel", 1, 1, at, 2, id);
        event("kernel", "ncclDevKernel_Generic(ncclDevComm*)", 0, stream, at + 1000, 2,
              fmt::format(R"({},"device":0,"stream":{}{})", id, stream, of_kernel));
        if (after > 0) now_ += 10;
    }
    void event(const char* category, const char* name, int pid, int tid, int at, int duration,
               const std::string& arguments) {
        text_ += fmt::format(
            R"({}{{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
            text_.empty() ? "" : ",\n", category, name, pid, tid, at, duration, arguments);
    }

    std::string text_;
    int now_ = 100;
    int correlation_ = 0;
};

using Numbers = std::vector<std::string>;

}  // namespace

TEST_CASE("Calls are counted in their group") {
    NumberedCalls calls;
    calls.call("allreduce", "0", 7);
    calls.call("allreduce", "tensor", 8);
    calls.call("broadcast", "0", 7);
    calls.call("allreduce", "0", 7);
    calls.call("allreduce", "tensor", 8);
    CHECK(calls.numbers() ==
          Numbers{"1 counted", "1 counted", "2 counted", "3 counted", "2 counted"});
}

TEST_CASE("Sends and receives have numbers of their own") {
    NumberedCalls calls;
    calls.call("allreduce", "0", 7);
    calls.call("send", "0", 8);
    calls.call("recv", "0", 8);
    calls.call("allreduce", "0", 7);
    CHECK(calls.numbers() == Numbers{"1 counted", "1 counted", "2 counted", "2 counted"});
}

TEST_CASE("Without a recorded group, all calls of a stream are counted together") {
    NumberedCalls calls;
    calls.call("allreduce", "", 7);
    calls.call("allreduce", "", 8);
    calls.call("send", "", 7);
    calls.kernel(8);
    CHECK(calls.numbers() == Numbers{"1 counted", "1 counted", "2 counted", "2 counted"});
}

TEST_CASE("Two kernels of one call have one number") {
    NumberedCalls calls;
    calls.call("alltoall", "0", 7);
    calls.once_more(7);
    calls.call("alltoall", "0", 7);
    CHECK(calls.numbers() == Numbers{"1 counted", "1 counted", "2 counted"});
}

TEST_CASE("Recorded numbers come from the kernel or from the call around its launch") {
    NumberedCalls calls;
    calls.call("allreduce", "0", 7, R"(,"Seq":41)");
    calls.call("allreduce", "0", 7,
               R"(,"Input type":["TensorList","Scalar"],"Concrete Inputs":["","42"])");
    const std::string of_kernel = R"(,"Collective name":"allreduce","Process Group Name":"0")";
    calls.call("allreduce", "0", 7, R"(,"Seq":43)", of_kernel);
    calls.kernel(7, of_kernel + R"(,"Seq":44)");
    CHECK(calls.numbers() == Numbers{"41 recorded", "42 recorded", "43 recorded", "44 recorded"});
}

TEST_CASE("Counted and recorded numbers are not mixed in a group") {
    NumberedCalls calls;
    calls.call("allreduce", "0", 7, R"(,"Seq":41)");
    calls.call("allreduce", "0", 7);
    calls.call("allreduce", "1", 8);
    CHECK(calls.numbers() == Numbers{"41 recorded", "none", "1 counted"});
}

TEST_CASE("The table of a range has the numbers of the whole trace") {
    const TracePtr trace = testing::loaded(R"([
        {"ph":"X","cat":"cpu_op","name":"gloo:all_reduce","pid":1,"tid":1,"ts":10,"dur":2},
        {"ph":"X","cat":"cpu_op","name":"gloo:all_reduce","pid":1,"tid":2,"ts":20,"dur":2},
        {"ph":"X","cat":"cpu_op","name":"gloo:all_reduce","pid":1,"tid":1,"ts":30,"dur":2}])");
    const TraceContext context(trace);
    const TableQuery late{TimeRange{trace->origin + 5'000, trace->end}};
    const Table table = collectives_table(context, late);
    REQUIRE(table.row_count() == 2);
    const std::size_t column = *find_column(table.spec(), "sequence");
    CHECK(std::get<int64_t>(table.cell(0, column)) == 2);
    CHECK(std::get<int64_t>(table.cell(1, column)) == 3);
}

}  // namespace lanescope
