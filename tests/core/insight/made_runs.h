// Runs made for tests of comparisons.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/insight/compare/compare.h"
#include "tests/core/ingest/loaded_text.h"

namespace lanescope::testing {

// Events of a process and a GPU, in microseconds.
class RunMaker {
  public:
    RunMaker& call(std::string_view category, const std::string& name, double begin, double end,
                   const std::string& shapes = "") {
        return add(category, name, 100, 1, begin, end,
                   shapes.empty() ? "" : "\"Input Dims\":" + shapes);
    }
    // Launched at `launch`, in the call around it.
    RunMaker& kernel(const std::string& name, double launch, double begin, double end,
                     std::string_view category = "kernel", int stream = 7) {
        const int id = ++correlation_;
        add("cuda_runtime", "cudaLaunchKernel", 100, 1, launch, launch + 1,
            fmt::format("\"correlation\":{}", id));
        return add(category, name, 0, stream, begin, end,
                   fmt::format("\"correlation\":{},\"device\":0,\"stream\":{}", id, stream));
    }
    // The launch of this work is not recorded.
    RunMaker& work(const std::string& name, double begin, double end) {
        return add("kernel", name, 0, 7, begin, end, R"("device":0,"stream":7)");
    }
    TracePtr load() const { return loaded("{\"traceEvents\":[" + text_ + "]}"); }
    RunProfile profile() const { return profile_run(TraceContext(load()), {}); }

  private:
    RunMaker& add(std::string_view category, const std::string& name, int pid, int tid,
                  double begin, double end, const std::string& arguments) {
        text_ += fmt::format(
            R"({}{{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})",
            text_.empty() ? "" : ",", category, name, pid, tid, begin, end - begin, arguments);
        return *this;
    }

    std::string text_;
    int correlation_ = 0;
};

// Steps of a millisecond; `step(run, begin, i)` makes what they consist of.
inline RunProfile run_of(int steps, const std::function<void(RunMaker&, double, int)>& step) {
    RunMaker run;
    for (int i = 0; i < steps; ++i) {
        const double begin = 1000 * i;
        run.call("user_annotation", fmt::format("ProfilerStep#{}", i), begin, begin + 1000);
        step(run, begin, i);
    }
    return run.profile();
}

// An operator that launches a kernel of `time` at its begin.
inline void op(RunMaker& run, const std::string& name, double begin, double time,
               const std::string& kernel = "some_kernel", const std::string& shapes = "") {
    run.call("cpu_op", name, begin, begin + 10, shapes);
    run.kernel(kernel, begin + 1, begin + 10, begin + 10 + time);
}

inline Comparison compared(const RunProfile& a, const RunProfile& b) {
    return compare_runs({&a, 1}, {&b, 1}, {0});
}

inline const CompareRow* row_named(const Comparison& comparison, std::string_view name) {
    const auto found = std::ranges::find(comparison.rows, name, &CompareRow::name);
    return found == comparison.rows.end() ? nullptr : &*found;
}

inline void check_sums(const Comparison& comparison) {
    double a = 0;
    double b = 0;
    for (const CompareRow& row : comparison.rows) {
        a += row.a.time;
        b += row.b.time;
    }
    CHECK(a == doctest::Approx(comparison.step.a.time));
    CHECK(b == doctest::Approx(comparison.step.b.time));
}

}  // namespace lanescope::testing
