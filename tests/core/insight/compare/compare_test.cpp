// Comparison of runs: which functions are matched, and how time is divided.
#include "core/insight/compare/compare.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/insight/compare/alignment.h"
#include "tests/core/insight/made_runs.h"
#include "tests/core/real_traces.h"

using namespace lanescope;
using namespace lanescope::testing;

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

TEST_CASE("compare: runs with little in common are said to be perhaps of different programs") {
    const auto run = [](const std::string& name, double common) {
        return run_of(5, [=](RunMaker& maker, double begin, int) {
            maker.call("cpu_op", name, begin, begin + 999 - common);
            maker.call("cpu_op", "aten::add", begin + 999 - common, begin + 999);
        });
    };
    const auto said = [&](double common) {
        const Comparison all = compared(run("aten::a", common), run("aten::b", common));
        return std::ranges::any_of(all.remarks, [](const std::string& remark) {
            return remark.starts_with("Less than a tenth");
        });
    };
    CHECK(said(50));
    CHECK(!said(150));
}

TEST_CASE("compare: a compiled backward pass stands for all of its functions") {
    const std::string engine = "autograd::engine::evaluate_function: ";
    const auto run = [&](const std::vector<std::string>& names) {
        return run_of(5, [=](RunMaker& maker, double begin, int) {
            double at = begin;
            for (const std::string& name : names) op(maker, engine + name, at += 80, 50);
            op(maker, "aten::add_", at + 80, 50);
        });
    };
    const RunProfile eager = run({"MmBackward0", "AccumulateGrad", "GeluBackward0", "TBackward0"});
    const Comparison all = compared(eager, run({"CompiledFunctionBackward", "AccumulateGrad"}));
    check_sums(all);
    const CompareRow* const row =
        row_named(all, engine + "MmBackward0 + " + engine + "GeluBackward0 + " + engine +
                           "TBackward0 → " + engine + "CompiledFunctionBackward");
    REQUIRE(row);
    CHECK(row->verdict == Verdict::fused);
    CHECK(row_named(all, engine + "AccumulateGrad")->difference == 0);
    CHECK(std::ranges::count(all.rows, Verdict::gone, &CompareRow::verdict) == 0);
    // Without a compiled one, each stands in its own place.
    const Comparison other = compared(eager, run({"BmmBackward0", "AccumulateGrad"}));
    CHECK(row_named(other, engine + "MmBackward0 → " + engine + "BmmBackward0")->verdict ==
          Verdict::replaced);
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

TEST_CASE("compare: files with other units of time are said to be so") {
    const auto run_in = [](double unit, double norm) {
        RunMaker maker;
        for (int i = 0; i < 5; ++i) {
            const double begin = 1000 * i * unit;
            maker.call("user_annotation", fmt::format("ProfilerStep#{}", i), begin,
                       begin + 1000 * unit);
            maker.call("cpu_op", "aten::mm", begin + 100 * unit, begin + 600 * unit);
            maker.call("cpu_op", "aten::norm", begin + 700 * unit, begin + (700 + norm) * unit);
        }
        return maker.profile();
    };
    const auto remark = [](const Comparison& all) {
        const auto found = std::ranges::find_if(all.remarks, [](const std::string& text) {
            return text.find("another unit") != std::string::npos;
        });
        return found == all.remarks.end() ? std::string() : *found;
    };
    const RunProfile run = run_in(1, 100);
    CHECK(remark(compared(run, run_in(1000, 100))).starts_with("The times in B are 1"));
    CHECK(remark(compared(run_in(1000, 100), run)).starts_with("The times in A are 1"));
    // Differences between programs: the ratio is that of no unit, or functions have other ratios.
    CHECK(remark(compared(run, run)).empty());
    CHECK(remark(compared(run, run_in(900, 100))).empty());
    CHECK(remark(compared(run, run_in(1000, 10))).empty());
    CHECK_FALSE(remark(compared(run, run_in(1000, 98))).empty());

    RunMaker far;
    far.call("cpu_op", "aten::mm", 1e300, 2e300);
    const Comparison unreadable = compared(run, far.profile());
    CHECK_FALSE(unreadable.comparable);
    REQUIRE(unreadable.remarks.size() == 2);
    CHECK(unreadable.remarks.front().find("None of 1 complete event has a time") !=
          std::string::npos);
}

TEST_CASE("compare: what medians leave is a row") {
    // Two functions that are slow in other steps: their medians do not add up.
    const RunProfile run = run_of(5, [](RunMaker& maker, double begin, int i) {
        op(maker, "aten::mm", begin + 10, i < 2 ? 400 : 100);
        op(maker, "aten::relu", begin + 500, i > 2 ? 300 : 100);
    });
    const Comparison all = compared(run, run);
    // The rest of each step is 480, 480, 780, 580 and 580 µs.
    CHECK(row_named(all, "(outside of functions)")->a.time == 580'000);
    CHECK(all.rows.back().name == "not attributed");
    CHECK(all.rows.back().a.time == 200'000);
    CHECK(std::ranges::any_of(all.notes, [](const std::string& note) {
        return note.find("much is not attributed") != std::string::npos;
    }));
    check_sums(all);
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
