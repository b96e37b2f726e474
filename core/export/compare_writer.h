// Comparisons of runs as text for people, Markdown for a pull request, JSON and CSV for scripts.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/export/table_writer.h"
#include "core/insight/compare/compare.h"

namespace lanescope {

struct ComparedRuns {
    Comparison comparison;
    std::optional<GateResult> gate;
};

// What differs comes before all numbers. CSV has the rows alone.
std::string write_comparisons(std::span<const ComparedRuns> all, TableFormat format,
                              const TextStyle& style = {});

// The differences, remarks and gates in lines, for stderr beside CSV.
std::string compare_notes(std::span<const ComparedRuns> all);

}  // namespace lanescope
