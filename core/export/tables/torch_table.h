// Writes the operators table in the layout of torch.profiler's key_averages().table(): the same
// columns, widths, units and footer, so that both can be compared by eye or diff.
#pragma once

#include <cstddef>
#include <string>

#include "core/table/table.h"
#include "core/trace/trace.h"

namespace lanescope {

inline constexpr std::size_t kTorchRowLimit = 100;

// `table`: a form of the operators table, sorted. Widths, shares and sums cover all rows; the first
// `row_limit` rows are printed. Empty for a table without rows.
std::string write_torch_table(const Table& table, const Trace& trace,
                              std::size_t row_limit = kTorchRowLimit);

}  // namespace lanescope
