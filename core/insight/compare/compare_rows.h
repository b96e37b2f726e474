// The functions of two programs in rows, with the samples of each. A part of compare_runs().
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "core/insight/compare/alignment.h"
#include "core/insight/compare/compare.h"

namespace lanescope {

// The runs of one side. The functions of the first stand for those of all.
class RunsOfSide {
  public:
    RunsOfSide(std::span<const RunProfile> runs, FunctionLevels levels, bool of_runs);

    const FunctionTree& functions() const { return *trees_.front(); }
    std::size_t samples() const;
    std::vector<double> samples_of_step() const;
    // Sums over functions: a value for each step or, of several runs, the median of each run.
    std::vector<double> samples_of(std::span<const uint32_t> nodes,
                                   double (*value)(const FunctionShare&)) const;

  private:
    std::span<const RunProfile> runs_;
    bool of_runs_;
    std::deque<FunctionTree> merged_;  // those that had to be
    std::vector<const FunctionTree*> trees_;
    // By run and function of the first run: the functions of the run.
    std::vector<std::vector<std::vector<uint32_t>>> nodes_;
};

struct RowsOfFunctions {
    std::vector<CompareRow> rows;
    std::vector<FunctionPlace> places;  // FunctionPlace::function: index in `rows`
    // Functions that are in both runs, without the step itself.
    std::size_t with_shapes = 0;   // whose shapes both runs have
    std::size_t other_shapes = 0;  // of these, whose shapes differ
};
RowsOfFunctions rows_of_functions(const RunsOfSide& a, const RunsOfSide& b);

// Whether a function or kernel has the same name in both; calls of the driver do not count.
bool have_common_names(const FunctionTree& a, const FunctionTree& b);

}  // namespace lanescope
