// The operators table in the text layout of torch.profiler's key_averages().table(): columns,
// widths, units and footer, so that both can be compared by eye or by diff.
#pragma once

#include <cstddef>
#include <string>

#include "core/analysis/table.h"
#include "core/trace/trace.h"

namespace lanescope {

inline constexpr std::size_t kTorchRowLimit = 100;

// `table`: a form of the operators table, sorted. Widths, shares and sums are of all its rows;
// the first `row_limit` are printed. A table without rows is an empty text.
std::string write_torch_table(const Table& table, const Trace& trace,
                              std::size_t row_limit = kTorchRowLimit);

}  // namespace lanescope
