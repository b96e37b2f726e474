// Comparisons of runs as text for people, Markdown for a pull request, JSON and CSV for scripts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/export/tables/table_writer.h"
#include "core/insight/compare/compare.h"

namespace lanescope {

// The texts of a comparison without its table, shared by the command line and the window.
struct ComparisonText {
    std::vector<std::string> sides;        // "A: before.json.gz (30 steady steps)"
    std::string comparability;             // "They differ in", followed by …
    std::vector<std::string> differences;  // … "device: NVIDIA A100 → Tesla V100"
    std::vector<std::string> remarks;      // what a reader must know before the numbers
    std::vector<std::string> compiled;     // sentences on differences in compiled code
    std::string step;                      // sentences; empty: they are not comparable
    std::vector<std::string> notes;        // what a reader must know after the numbers
};
ComparisonText comparison_text(const Comparison& comparison);

struct ComparedRuns {
    Comparison comparison;
    std::optional<GateResult> gate;
};

// Differences between the runs come before all numbers. CSV has only the rows.
std::string write_comparisons(std::span<const ComparedRuns> all, TableFormat format,
                              const TextStyle& style = {});

// The differences, remarks and gates, one per line. CSV lacks them, so they go to stderr.
std::string compare_notes(std::span<const ComparedRuns> all);

}  // namespace lanescope
