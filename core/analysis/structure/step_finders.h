// The ways of finding steps; core/analysis/structure/steps.cpp tries them in turn.
#pragma once

#include <vector>

#include "core/analysis/structure/steps.h"
#include "core/trace/trace.h"

namespace lanescope {

bool is_cpu_thread(const Trace& trace, const Lane& lane);

// Steps from the annotations that serving engines put around each batch, such as "step[DECODE
// bs=16]" (core/models/batch_label.h). One annotation is enough. The annotations may cover only the
// dispatch.
std::vector<Step> steps_by_engine(const Trace& trace);
// If annotations of a process only time a dispatch (their median is under half of the median
// distance of their begins; of a single one, of the time until its work has ended), its steps last
// until the GPU work launched from their begin to the next step's begin has ended, or until that
// begin. Returns whether any process's steps do.
bool end_with_work(const Trace& trace, std::vector<Step>& steps);
// The last step of each process ends with its last call, unless the GPU work that it launched ends
// later: then with that work, but it takes no longer than the median of the steps before it.
void end_last_with_work(const Trace& trace, std::vector<Step>& steps);
// From the most frequent outermost user annotation, if it occurs at least three times. If it covers
// less than half of the time, and is no dispatch of GPU work, it only marks where a step begins.
std::vector<Step> steps_by_annotation(const Trace& trace);
// From one call into the data loader to the next.
std::vector<Step> steps_by_data_loader(const Trace& trace);
// From the end of one "Optimizer.step#…" to the end of the next.
std::vector<Step> steps_by_optimizer(const Trace& trace);
// From the shortest repeating sequence of outermost operators. Each step lasts until the next one
// begins; see end_last_with_work().
std::vector<Step> steps_by_operators(const Trace& trace);

}  // namespace lanescope
