// Kernels that communicate by the operators that launch them.
#pragma once

namespace lanescope {

struct Trace;

// Counts kernels as communication whose names say nothing about what they do, and whose recorded
// launches (the first 64 of a name) lie in operators that communicate ("vllm::all_reduce",
// "c10d::…"): sets the traits of their names. A kernel with a known name, such as a copy into a
// buffer, keeps its own kind.
void count_communication_of_operators(Trace& trace);

}  // namespace lanescope
