// What changed between runs of a program: first whether they are comparable, then the step, then
// its functions, whose times add up to the step.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/insight/compare/compiled_changes.h"
#include "core/insight/compare/run_profile.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct CompareTableRow> kCompareTable;
extern const TableOf<struct CompareFactTableRow> kCompareFactsTable;

enum class Verdict : uint8_t {
    same,    // shown to be, or too small to matter
    slower,  // more time in the second, beyond chance
    faster,
    unclear,   // the difference may be chance
    too_few,   // there are too few samples to show any difference
    added,     // only in the second
    gone,      // only in the first
    split,     // several functions of the second in place of one
    fused,     // one in place of several
    replaced,  // other functions in their place
    none,      // not tested, or not judged
};
std::string_view verdict_name(Verdict verdict);  // "new" for added; empty for none

enum class CompareKind : uint8_t { step, phase, function, others, remainder };
std::string_view compare_kind_name(CompareKind kind);

// Unknown numbers are NaN.
struct CompareSide {
    double time = 0;                   // median of the samples, ns
    double gpu = 0;                    // the part of it in which GPU work ran
    double calls = 0;                  // median number of calls in a step
    std::vector<FunctionPart> inside;  // kernels, runtime calls, Python functions; longest first
    std::string shapes;
    SliceRef longest;  // of the first run
    std::vector<double> samples;
};

struct CompareRow {
    CompareKind kind = CompareKind::function;
    Verdict verdict = Verdict::none;
    std::string name;
    // Why times of the two sides are not comparable, as a clause: "the median batch has 4 requests
    // in A and 16 in B". That of Comparison::step holds for functions too. Empty: they are.
    std::string why_not_judged;
    std::string path;             // of the functions around it; empty: none
    bool by_kernel_name = false;  // matched without a call stack
    uint64_t places = 1;          // functions in this row
    CompareSide a, b;
    double difference = 0;  // of the medians
    double ratio = 0;
    double ratio_low = 0;  // 95 % interval
    double ratio_high = 0;
    double p = 0;
    double p_holm = 0;
    // Indices in Comparison::all_functions of the functions that this row adds up.
    std::vector<uint32_t> functions;
};

// A function of either run, or functions that stand for each other, in the calls of the step.
struct FunctionPlace {
    static constexpr uint32_t none = ~uint32_t{0};
    std::string name;
    uint32_t around = none;    // the place that contains it; none: this is the step
    uint32_t function = none;  // in Comparison::all_functions; none: it takes no time itself
    SliceRef longest_a, longest_b;
};

// The first few names, short.
std::string names_inside(const CompareSide& side);

// A fact with its values on both sides.
struct CompareFact {
    std::string_view key;
    std::string a, b;
    bool differs = false;
};

struct CompareOptions {
    std::size_t top = 20;  // functions in rows of their own; 0: all
};

struct Comparison {
    std::string name_a, name_b;
    // The number of runs on each side; samples are steps if both are 1, else medians of runs.
    std::size_t runs_a = 1, runs_b = 1;
    std::vector<CompareFact> facts;
    std::vector<std::string> remarks;  // what a reader must know before the numbers
    bool comparable = true;            // false: there are no rows, and `remarks` says why
    CompiledChanges compiled;          // compares the first run of each side
    CompareRow step;
    // The steps of servers by phase, if there are several phases: "decode step", "prefill step".
    std::vector<CompareRow> phases;
    // By difference, the largest first; then other functions, and what medians leave. Their times
    // add up to those of the step.
    std::vector<CompareRow> rows;
    std::vector<CompareRow> all_functions;  // tested or not, as --row finds them; with the verdict
                                            // of the row that they are part of
    std::vector<FunctionPlace> places;      // the tree of all functions; [0] is the step
    std::vector<std::string> notes;         // what a reader must know after the numbers
    std::size_t tested = 0;                 // functions that Holm's method corrects for
    // The smallest p_holm that samples of these sizes can have.
    double least_p_holm = 0;
    bool of_runs() const { return runs_a > 1 || runs_b > 1; }
};

// At least one run on each side.
Comparison compare_runs(std::span<const RunProfile> a, std::span<const RunProfile> b,
                        const CompareOptions& options = {});

// Lists each comparison's row of the step, those of its phases, then those of its functions.
Table compare_table(std::span<const Comparison> comparisons);
Table compare_facts_table(const Comparison& comparison);

// Whether one function, or the step, is slower beyond a threshold.
struct GateResult {
    enum class Outcome : uint8_t { passed, failed, not_judged } outcome = Outcome::passed;
    CompareRow row;  // what was tested
    double threshold = 0;
    std::string text;  // a sentence
};
// `row`: the name or path of a function, or the name of a phase; empty: the step or, if steps have
// several phases, each phase, of which the slowest is in the result. Rows of functions of the same
// name are added up; they are not judged if Comparison::step::why_not_judged says why.
// Errors: no function has that name.
Result<GateResult> judge(const Comparison& comparison, double threshold, std::string_view row);

}  // namespace lanescope
