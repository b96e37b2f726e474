// Records the program's use of CUDA through CUPTI's activity records.
#pragma once

namespace lanescope {

// Called in the program when its CUDA driver starts. If CUPTI is not available, the spool says why;
// the program continues either way.
void begin_cuda();

// Recording begins or pauses by a call of the program: activities that begin earlier or later are
// left out. Both do nothing while CUDA is not recorded.
void record_cuda_from_now();
void leave_out_cuda_from_now();

}  // namespace lanescope
