// Recognises communication kernels by the operators that launch them.
#pragma once

namespace lanescope {

struct Trace;

// Marks kernel names as communication if the name does not show what the kernel does, and its
// recorded launches (the first 64 of each name) lie in operators that communicate
// ("vllm::all_reduce", "c10d::…"). A kernel with a telling name, such as a copy into a buffer,
// keeps its kind.
void count_communication_of_operators(Trace& trace);

}  // namespace lanescope
