// Records the program's use of CUDA through CUPTI's activity records.
#pragma once

namespace lanescope {

// Called in the program when its CUDA driver starts. If CUPTI is not available, the spool says why;
// the program continues either way.
void begin_cuda();

}  // namespace lanescope
