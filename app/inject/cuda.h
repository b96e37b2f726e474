// Records what the program does with CUDA, by CUPTI's activity records.
#pragma once

namespace lanescope {

// Called in the program when its CUDA driver begins. Where CUPTI cannot be had, the spool says why;
// the program goes on all the same.
void begin_cuda();

}  // namespace lanescope
