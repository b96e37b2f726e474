// Records of a profiler that cannot be true, and records that are missing.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// Repairs a finished trace, with a warning for each kind, and fills the counts of its facts:
// - Events more than an hour away from all others have no true time if they are at time 0 of the
//   file or, in files with GPU work, if there are at most three: they are removed.
// - A kernel, copy or set that lasts beyond the end of the next two of its stream is shortened: it
//   ends where the next one begins, and the fact `recorded_duration` keeps the file's value. Work
//   whose launch is not known, of graphs, and of collectives may overlap like this, and stays.
// - Before that, launches of kernels, graphs and asynchronous copies whose work is not recorded are
// counted,
//   without those that were captured into a graph. Asynchronous sets are left out: profilers do not
//   record those of no bytes.
void repair_records(Trace& trace);

// Rows of Trace::runtime_calls: the launches of kernels, graphs and asynchronous copies.
std::vector<uint32_t> launches_of(const Trace& trace);
// Rows of Trace::runtime_calls: the launches whose work is not recorded, by time. Empty if the
// trace records no GPU work at all.
std::vector<uint32_t> launches_without_record(const Trace& trace);

}  // namespace lanescope
