#include "core/insight/compare/compare_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/format.h"
#include "core/insight/compare/compare_samples.h"

namespace lanescope {

namespace {

// If median batch sizes differ by more than this share, they are not compared.
constexpr double kAlikeBatches = 0.1;

// The steps of one phase in A or B.
struct StepsOfPhase {
    std::vector<double> samples;  // one for each step; of several runs, the median of each run
    std::size_t steps = 0;
    std::vector<double> requests, queries, keys;  // of the steps that state them
};

void add_known(std::vector<double>& to, int64_t value) {
    if (value != kNoValue) to.push_back(static_cast<double>(value));
}

StepsOfPhase steps_of(std::span<const RunProfile> runs, BatchPhase phase, bool of_runs) {
    StepsOfPhase found;
    for (const RunProfile& run : runs) {
        std::vector<double> times;
        for (std::size_t i = 0; i < run.batches.size(); ++i) {
            const BatchLabel& batch = run.batches[i];
            if (batch.phase != phase) continue;
            times.push_back(run.steps[i]);
            add_known(found.requests, batch.all.requests);
            add_known(found.queries, batch.all.queries);
            add_known(found.keys, batch.all.keys);
        }
        found.steps += times.size();
        if (!of_runs)
            found.samples = std::move(times);
        else if (!times.empty())
            found.samples.push_back(median_of_any(std::move(times)));
    }
    return found;
}

std::size_t all_steps(std::span<const RunProfile> runs) {
    std::size_t count = 0;
    for (const RunProfile& run : runs) count += run.steps.size();
    return count;
}

// "4 requests in A and 16 in B", if the medians differ too much; empty: they do not, or one side
// states none.
std::string unlike_medians(const std::vector<double>& a, const std::vector<double>& b,
                           std::string_view what) {
    if (a.empty() || b.empty()) return {};
    const double median_a = median_of_any(a);
    const double median_b = median_of_any(b);
    const double larger = std::max(median_a, median_b);
    if (std::abs(median_a - median_b) <= kAlikeBatches * larger) return {};
    return fmt::format("{} {} in A and {} in B", format_count(std::llround(median_a)), what,
                       format_count(std::llround(median_b)));
}

// How the batches differ, as a clause; empty: they are alike. The work of a decode step grows with
// its requests; the work of a prefill or mixed step grows with its tokens. In a step of unknown
// phase, it may grow with either.
std::string unlike_batches(const StepsOfPhase& a, const StepsOfPhase& b, BatchPhase phase) {
    const bool has_tokens = !a.queries.empty() && !b.queries.empty();
    const bool by_tokens_alone =
        has_tokens && (phase == BatchPhase::prefill || phase == BatchPhase::mixed);
    std::string medians;
    if (!by_tokens_alone) medians = unlike_medians(a.requests, b.requests, "requests");
    if (medians.empty()) medians = unlike_medians(a.queries, b.queries, "tokens");
    return medians.empty() ? medians : "the median batch has " + medians;
}

std::string name_of(BatchPhase phase) {
    return fmt::format("{} step", batch_phase_name(phase));
}

// Adds remarks on batches that affect the times of a phase.
void add_remarks_on_batches(const StepsOfPhase& a, const StepsOfPhase& b, CompareRow& row,
                            Comparison& all) {
    if (!row.why_not_judged.empty()) {
        row.verdict = Verdict::none;
        all.remarks.push_back(
            fmt::format("The {}s are not judged: {}.", row.name, row.why_not_judged));
        return;
    }
    const std::string keys = unlike_medians(a.keys, b.keys, "tokens");
    if (!keys.empty())
        all.remarks.push_back(fmt::format(
            "Attention reads caches of different lengths in the {}s: {}, in the median.", row.name,
            keys));
}

// "decode and mixed steps".
std::string names_of(const std::vector<BatchPhase>& phases) {
    std::string names;
    for (std::size_t i = 0; i < phases.size(); ++i) {
        if (i > 0) names += i + 1 < phases.size() ? ", " : " and ";
        names += batch_phase_name(phases[i]);
    }
    return names + " steps";
}

// Judges the step if no phase occurs on both sides.
void add_steps_without_phase(std::span<const RunProfile> a, std::span<const RunProfile> b,
                             const std::vector<BatchPhase>& only_a,
                             const std::vector<BatchPhase>& only_b, Comparison& all) {
    const StepsOfPhase of_a = steps_of(a, BatchPhase::unknown, all.of_runs());
    const StepsOfPhase of_b = steps_of(b, BatchPhase::unknown, all.of_runs());
    all.step.why_not_judged = only_a.empty() || only_b.empty()
                                  ? unlike_batches(of_a, of_b, BatchPhase::unknown)
                                  : fmt::format("no phase is in both, as A has {} and B has {}",
                                                names_of(only_a), names_of(only_b));
    add_remarks_on_batches(of_a, of_b, all.step, all);
}

}  // namespace

void add_phases(std::span<const RunProfile> a, std::span<const RunProfile> b, Comparison& all) {
    std::vector<BatchPhase> only_a, only_b;
    for (const BatchPhase phase : {BatchPhase::decode, BatchPhase::prefill, BatchPhase::mixed}) {
        const StepsOfPhase of_a = steps_of(a, phase, all.of_runs());
        const StepsOfPhase of_b = steps_of(b, phase, all.of_runs());
        if (of_a.steps == 0 && of_b.steps == 0) continue;
        if (of_a.steps == 0 || of_b.steps == 0) {
            (of_a.steps > 0 ? only_a : only_b).push_back(phase);
            all.remarks.push_back(
                fmt::format("Only {} has {}s.", of_a.steps > 0 ? "A" : "B", name_of(phase)));
            continue;
        }
        const std::string unlike = unlike_batches(of_a, of_b, phase);
        if (of_a.steps == all_steps(a) && of_b.steps == all_steps(b)) {
            all.step.name = name_of(phase);
            all.step.why_not_judged = unlike;
            add_remarks_on_batches(of_a, of_b, all.step, all);
            return;
        }
        CompareRow& row = all.phases.emplace_back();
        row.kind = CompareKind::phase;
        row.name = name_of(phase);
        row.a.samples = of_a.samples;
        row.b.samples = of_b.samples;
        row.a.gpu = row.b.gpu = row.a.calls = row.b.calls =
            std::numeric_limits<double>::quiet_NaN();
        row.why_not_judged = unlike;
        const std::size_t samples_a = row.a.samples.size();
        const std::size_t samples_b = row.b.samples.size();
        RowTester(samples_a, samples_b, kBudgetOfOneTest).measure(all, row);
        judge_row(chance_of(all, row), least_p(samples_a, samples_b), row.a.time, row);
        add_remarks_on_batches(of_a, of_b, row, all);
    }
    if (all.phases.empty()) return add_steps_without_phase(a, b, only_a, only_b, all);
    all.step.verdict = Verdict::none;
    all.step.why_not_judged = "the steps have several phases, whose times differ";
    all.remarks.emplace_back(
        "Steps have several phases, whose times differ: each phase is judged by itself. Functions "
        "are compared over all steps and are not judged; --phase decode compares and judges those "
        "of one phase.");
}

}  // namespace lanescope
