// Comparison of runs: which functions are matched, how time is divided, and what samples show.
#include "core/insight/compare/compare.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/analysis/statistics/median_bootstrap.h"
#include "core/insight/compare/alignment.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/real_traces.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

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
    // Its launch is not recorded.
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
RunProfile run_of(int steps, const std::function<void(RunMaker&, double, int)>& step) {
    RunMaker run;
    for (int i = 0; i < steps; ++i) {
        const double begin = 1000 * i;
        run.call("user_annotation", fmt::format("ProfilerStep#{}", i), begin, begin + 1000);
        step(run, begin, i);
    }
    return run.profile();
}

// An operator that launches a kernel of `time` at its begin.
void op(RunMaker& run, const std::string& name, double begin, double time,
        const std::string& kernel = "some_kernel", const std::string& shapes = "") {
    run.call("cpu_op", name, begin, begin + 10, shapes);
    run.kernel(kernel, begin + 1, begin + 10, begin + 10 + time);
}

Comparison compared(const RunProfile& a, const RunProfile& b) {
    return compare_runs({&a, 1}, {&b, 1}, {0});
}

const CompareRow* row_named(const Comparison& comparison, std::string_view name) {
    const auto found = std::ranges::find(comparison.rows, name, &CompareRow::name);
    return found == comparison.rows.end() ? nullptr : &*found;
}

void check_sums(const Comparison& comparison) {
    double a = 0;
    double b = 0;
    for (const CompareRow& row : comparison.rows) {
        a += row.a.time;
        b += row.b.time;
    }
    CHECK(a == doctest::Approx(comparison.step.a.time));
    CHECK(b == doctest::Approx(comparison.step.b.time));
}

}  // namespace

TEST_CASE("compare: one operator is one function, whatever its kernels are called") {
    const auto run = [](const std::string& kernel, double time) {
        return run_of(6, [=](RunMaker& maker, double begin, int i) {
            op(maker, "aten::mm", begin + 10, time + i, kernel);
            op(maker, "aten::relu", begin + 500, 100, "relu_kernel");
        });
    };
    const Comparison all = compared(run("Cijk_Alik", 100), run("sm90_xmma_gemm", 300));
    REQUIRE(all.comparable);
    const CompareRow* const mm = row_named(all, "aten::mm");
    REQUIRE(mm);
    // 10 µs on the host before the kernel, then the kernel.
    CHECK(mm->a.time == 112'500);
    CHECK(mm->b.time == 312'500);
    CHECK(mm->a.gpu == 102'500);
    CHECK(mm->a.calls == 1);
    CHECK(mm->path.empty());
    CHECK(names_inside(mm->a) == "Cijk_Alik, cudaLaunchKernel");
    CHECK(names_inside(mm->b) == "sm90_xmma_gemm, cudaLaunchKernel");
    CHECK(mm->p == doctest::Approx(2.0 / 924));
    CHECK(mm->verdict == Verdict::slower);
    CHECK(all.step.verdict == Verdict::same);
    const CompareRow* const relu = row_named(all, "aten::relu");
    REQUIRE(relu);
    CHECK(relu->verdict == Verdict::same);
    CHECK(row_named(all, "(outside of functions)")->difference == -200'000);
    check_sums(all);
}

TEST_CASE("compare: each moment of a step counts once") {
    const RunProfile run = run_of(5, [](RunMaker& maker, double begin, int) {
        maker.call("cpu_op", "aten::mm", begin + 100, begin + 400);
        maker.kernel("gemm", begin + 110, begin + 200, begin + 300);
        // Beside the product, and 50 µs longer.
        maker.call("cpu_op", "aten::copy_", begin + 410, begin + 500);
        maker.kernel("Memcpy HtoD", begin + 420, begin + 250, begin + 350, "gpu_memcpy", 9);
    });
    const Comparison all = compared(run, run);
    CHECK(row_named(all, "aten::mm")->a.time == 250'000);  // [100, 300) and [350, 400)
    CHECK(row_named(all, "aten::mm")->a.gpu == 100'000);
    CHECK(row_named(all, "aten::copy_")->a.time == 140'000);  // [300, 350) and [410, 500)
    CHECK(row_named(all, "aten::copy_")->a.gpu == 50'000);
    CHECK(row_named(all, "(outside of functions)")->a.time == 610'000);
    CHECK(all.rows.back().kind == CompareKind::remainder);
    CHECK(all.rows.back().a.time == 0);
    check_sums(all);
}

TEST_CASE("compare: new, gone, fused, split and replaced functions") {
    const auto run = [](const std::vector<std::string>& names) {
        return run_of(5, [=](RunMaker& maker, double begin, int) {
            double at = begin;
            for (const std::string& name : names) op(maker, name, at += 80, 50);
        });
    };
    const auto verdict = [&](const std::vector<std::string>& a, const std::vector<std::string>& b,
                             std::string_view name) {
        const Comparison all = compared(run(a), run(b));
        check_sums(all);
        const CompareRow* const row = row_named(all, name);
        REQUIRE_MESSAGE(row, name);
        return row->verdict;
    };
    const std::vector<std::string> base = {"aten::a", "aten::b", "aten::z"};
    CHECK(verdict(base, {"aten::a", "aten::z"}, "aten::b") == Verdict::gone);
    CHECK(verdict({"aten::a", "aten::z"}, base, "aten::b") == Verdict::added);
    CHECK(verdict({"aten::a", "aten::b", "aten::c", "aten::z"}, {"aten::a", "triton", "aten::z"},
                  "aten::b + aten::c → triton") == Verdict::fused);
    CHECK(verdict({"aten::a", "aten::b", "aten::z"}, {"aten::a", "aten::c", "aten::d", "aten::z"},
                  "aten::b → aten::c + aten::d") == Verdict::split);
    CHECK(verdict(base, {"aten::a", "other", "aten::z"}, "aten::b → other") == Verdict::replaced);
    // In another order, all are still there.
    CHECK(verdict(base, {"aten::z", "aten::b", "aten::a"}, "aten::b") == Verdict::same);
}

TEST_CASE("compare: a wrapper around a function is opened") {
    const auto run = [](bool wrapped) {
        return run_of(5, [=](RunMaker& maker, double begin, int) {
            if (wrapped)
                maker.call("python_function", "nn.Module: DataParallel_0", begin + 50, begin + 500);
            maker.call("python_function", "nn.Module: Net_0", begin + 100, begin + 400);
            op(maker, "aten::mm", begin + 150, 100);
            op(maker, "aten::relu", begin + 300, 20);
        });
    };
    const Comparison all = compared(run(false), run(true));
    const CompareRow* const wrapper = row_named(all, "nn.Module: DataParallel_0");
    REQUIRE(wrapper);
    CHECK(wrapper->verdict == Verdict::added);
    CHECK(wrapper->b.time == 150'000);
    const CompareRow* const mm = row_named(all, "aten::mm");
    REQUIRE(mm);
    CHECK(mm->path == "nn.Module: Net_0");
    CHECK(mm->difference == 0);
    check_sums(all);
}

TEST_CASE("compare: another number of a module, and a renamed function, are still the same") {
    const auto run = [](const std::string& around, const std::string& module) {
        return run_of(5, [=](RunMaker& maker, double begin, int) {
            maker.call("user_annotation", around, begin + 20, begin + 900);
            maker.call("python_function", "nn.Module: " + module, begin + 100, begin + 400);
            op(maker, "aten::mm", begin + 150, 100);
        });
    };
    const Comparison all =
        compared(run("forward of v1", "Linear_3"), run("forward of v2", "Linear_7"));
    const CompareRow* const mm = row_named(all, "aten::mm");
    REQUIRE(mm);
    CHECK(mm->a.time == mm->b.time);
    CHECK(row_named(all, "nn.Module: Linear_3 → nn.Module: Linear_7"));
    CHECK(row_named(all, "forward of v1 → forward of v2"));
}

TEST_CASE("compare: shapes tell functions apart, unless they change from step to step") {
    const auto run = [](bool changing, const std::string& batch) {
        return run_of(5, [=](RunMaker& maker, double begin, int i) {
            const std::string first = changing ? std::to_string(i) : batch;
            op(maker, "aten::mm", begin + 100, 100, "gemm", "[[" + first + ",4],[4,4]]");
            op(maker, "aten::mm", begin + 300, 50, "gemm", "[[" + first + ",8],[8,8]]");
        });
    };
    const Comparison steady = compared(run(false, "16"), run(false, "32"));
    CHECK(std::ranges::count(steady.rows, "aten::mm", &CompareRow::name) == 2);
    const auto shapes =
        std::ranges::find(steady.facts, "functions with other input shapes", &CompareFact::key);
    REQUIRE(shapes != steady.facts.end());
    CHECK(shapes->differs);
    CHECK(shapes->b == "2 of 2");
    const Comparison changing = compared(run(true, ""), run(true, ""));
    REQUIRE(std::ranges::count(changing.rows, "aten::mm", &CompareRow::name) == 1);
    CHECK(row_named(changing, "aten::mm")->a.time == 170'000);
}

TEST_CASE("compare: work without a launch is matched by the name of its kernel") {
    const auto run = [](const std::string& kernel) {
        return run_of(5, [=](RunMaker& maker, double begin, int) {
            op(maker, "aten::mm", begin + 10, 20);
            maker.work("shared_kernel", begin + 100, begin + 200)
                .work(kernel, begin + 300, begin + 340);
        });
    };
    const Comparison all = compared(run("old_kernel"), run("new_kernel"));
    CHECK_FALSE(row_named(all, "aten::mm")->by_kernel_name);
    REQUIRE(row_named(all, "shared_kernel"));
    CHECK(row_named(all, "shared_kernel")->by_kernel_name);
    CHECK(row_named(all, "shared_kernel")->verdict == Verdict::same);
    CHECK(row_named(all, "shared_kernel")->a.time == 100'000);
    REQUIRE(row_named(all, "old_kernel"));
    CHECK(row_named(all, "old_kernel")->verdict == Verdict::gone);
    CHECK(row_named(all, "new_kernel")->verdict == Verdict::added);
    check_sums(all);
}

TEST_CASE("compare: what cannot be compared has no figures") {
    const RunProfile torch = run_of(
        5, [](RunMaker& maker, double begin, int) { op(maker, "aten::mm", begin + 100, 100); });
    const RunProfile other = run_of(5, [](RunMaker& maker, double begin, int) {
        op(maker, "compile", begin + 100, 100, "unknown_kernel");
    });
    RunMaker whole;
    op(whole, "aten::mm", 100, 100);
    const auto check = [](const Comparison& all, std::string_view why) {
        CHECK_FALSE(all.comparable);
        CHECK(all.rows.empty());
        REQUIRE(!all.remarks.empty());
        CHECK(all.remarks.back().find(why) != std::string::npos);
        const auto gate = judge(all, 0.05, "");
        REQUIRE(gate);
        CHECK(gate->outcome == GateResult::Outcome::not_judged);
    };
    check(compared(torch, other), "share no function");
    check(compared(torch, whole.profile()), "has steps");
    RunProfile empty = torch;
    empty.functions.nodes.resize(1);
    check(compared(torch, empty), "nothing to compare");
}

TEST_CASE("compare: fewer than five steps show nothing, and the gate says so") {
    const auto run = [](int steps, double time) {
        RunMaker maker;
        for (int i = 0; i < steps; ++i) {
            const double begin = 5000 * i;
            maker.call("user_annotation", fmt::format("ProfilerStep#{}", i), begin,
                       begin + time + i);
            op(maker, "aten::mm", begin + 10, time - 100);
        }
        return maker.profile();
    };
    const Comparison few = compared(run(4, 1000), run(9, 2000));
    CHECK(few.step.verdict == Verdict::too_few);
    CHECK(std::isnan(few.step.p));
    CHECK(judge(few, 0.05, "")->outcome == GateResult::Outcome::not_judged);
    const Comparison enough = compared(run(5, 1000), run(9, 2000));
    CHECK(enough.step.verdict == Verdict::slower);
    CHECK(enough.step.p == doctest::Approx(2.0 / 2002));
    CHECK(judge(enough, 0.05, "")->outcome == GateResult::Outcome::failed);
    CHECK(judge(enough, 1.5, "")->outcome == GateResult::Outcome::passed);
    CHECK(judge(enough, 0.05, "aten::mm")->outcome == GateResult::Outcome::failed);
    CHECK_FALSE(judge(enough, 0.05, "aten::nothing"));
    // The other way round it is faster.
    CHECK(judge(compared(run(9, 2000), run(5, 1000)), 0, "")->outcome ==
          GateResult::Outcome::passed);
}

TEST_CASE("compare: a drift is no change, but a distance beyond the drift is") {
    const auto run = [](double time, double drift) {
        return run_of(12, [=](RunMaker& maker, double begin, int i) {
            op(maker, "aten::mm", begin + 10, time + drift * i);
        });
    };
    const auto verdict = [](const Comparison& all) { return row_named(all, "aten::mm")->verdict; };
    // Twelve steps that get slower, and twelve that continue the drift: p is below 1e-5.
    const Comparison drifting = compared(run(300, 5), run(360, 5));
    CHECK(row_named(drifting, "aten::mm")->p < 1e-5);
    CHECK(verdict(drifting) == Verdict::unclear);
    CHECK(verdict(compared(run(300, 5), run(500, 5))) == Verdict::slower);
    CHECK(verdict(compared(run(500, 5), run(300, 5))) == Verdict::faster);
}

TEST_CASE("compare: a new run is judged by how others vary") {
    const auto run = [](double time) {
        return run_of(3, [=](RunMaker& maker, double begin, int) {
            op(maker, "aten::mm", begin + 10, time);
            maker.call("cpu_op", "aten::item", begin + 10 + time, begin + 900);
        });
    };
    std::vector<RunProfile> runs;
    for (const double time : {300.0, 302.0, 298.0, 301.0, 299.0}) runs.push_back(run(time));
    const std::vector<RunProfile> usual = {run(301)};
    const std::vector<RunProfile> slow = {run(350)};
    const Comparison same = compare_runs(runs, usual);
    CHECK(same.of_runs());
    CHECK(same.step.a.samples.size() == 5);
    CHECK(judge(same, 0, "aten::mm")->outcome == GateResult::Outcome::passed);
    const Comparison slower = compare_runs(runs, slow);
    const auto gate = judge(slower, 0.05, "aten::mm");
    REQUIRE(gate);
    CHECK(gate->outcome == GateResult::Outcome::failed);
    // 50 µs more, with a deviation of 1.581 µs: t = 50 / (1.581 × sqrt(1.2)) with 4 degrees.
    CHECK(gate->row.a.time == 310'000);
    CHECK(gate->row.b.time == 360'000);
    CHECK(gate->row.p < 1e-5);
}

TEST_CASE("compare: a trace does not differ from itself") {
    for (const std::string& path : torch_traces_and_samples()) {
        CAPTURE(path);
        const TracePtr trace = load_real_trace(path);
        if (!trace) return;
        const RunProfile run = profile_run(TraceContext(trace), {});
        const Comparison all = compared(run, run);
        CHECK(all.comparable);
        check_sums(all);
        CHECK(all.step.difference == 0);
        for (const CompareFact& fact : all.facts) CHECK_FALSE(fact.differs);
        for (const CompareRow& row : all.rows) {
            CAPTURE(row.name);
            CHECK(row.difference == 0);
            CHECK((row.verdict == Verdict::same || row.verdict == Verdict::none));
        }
        // Functions divide each step without a remainder.
        for (std::size_t step = 0; step < run.steps.size(); ++step) {
            double sum = 0;
            for (const FunctionShare& share : run.functions.shares)
                if (share.step == step) sum += static_cast<double>(share.time());
            CHECK(sum == run.steps[step]);
        }
    }
}

// Halves of one run, drawn as circular blocks of consecutive steps so that slow drifts stay in
// them: no alarm is justified.
TEST_CASE("compare: at most 2 % false alarms between halves of one run") {
    // A run of 60 steps with noise that lasts for a few steps, in one function.
    FixedRandom random(42);
    double drift = 0;
    const RunProfile run = run_of(60, [&](RunMaker& maker, double begin, int) {
        drift = 0.6 * drift + static_cast<double>(random.below(20)) - 10;
        op(maker, "aten::mm", begin + 10, 400 + drift);
        op(maker, "aten::relu", begin + 600, 50 + static_cast<double>(random.below(10)));
    });
    constexpr std::size_t kBlock = 6;
    const auto half = [&] {
        RunProfile drawn = run;
        const std::size_t count = run.steps.size();
        std::vector<std::size_t> steps;
        while (steps.size() < count / 2) {
            const std::size_t begin = random.below(count);
            for (std::size_t i = 0; i < kBlock; ++i) steps.push_back((begin + i) % count);
        }
        drawn.steps.clear();
        for (const std::size_t step : steps) drawn.steps.push_back(run.steps[step]);
        drawn.functions.shares.clear();
        for (uint32_t node = 0; node < run.functions.nodes.size(); ++node) {
            drawn.functions.first_share[node] =
                static_cast<uint32_t>(drawn.functions.shares.size());
            for (uint32_t place = 0; place < steps.size(); ++place)
                for (const FunctionShare& share : run.functions.shares_of(node))
                    if (share.step == steps[place]) {
                        drawn.functions.shares.push_back(share);
                        drawn.functions.shares.back().step = place;
                    }
        }
        drawn.functions.first_share.back() = static_cast<uint32_t>(drawn.functions.shares.size());
        return drawn;
    };
    int gates = 0;
    int verdicts = 0;
    for (int pair = 0; pair < 200; ++pair) {
        const Comparison all = compared(half(), half());
        gates += judge(all, 0.01, "")->outcome == GateResult::Outcome::failed ? 1 : 0;
        verdicts += std::ranges::any_of(all.rows, [](const CompareRow& row) {
            return row.verdict == Verdict::slower || row.verdict == Verdict::faster;
        });
    }
    CHECK(gates <= 4);
    CHECK(verdicts <= 4);
}
