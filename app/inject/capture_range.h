// Records only while a range that the user named is open (`lanescope record --capture-range`): an
// NVTX range, or the time between cudaProfilerStart() and cudaProfilerStop().
#pragma once

#include "app/inject/nvtx_names.h"

namespace lanescope {

// Reads the name from the environment. False: recording does not depend on a range.
bool has_capture_range();
bool is_cuda_capture();

// Counts the open ranges of all processes; the first one lets the recording begin or go on, the
// last one to end pauses it. Both do nothing once the recording has stopped.
void begin_capture();
void end_capture();
// Ends the capture that this thread opened by a push and did not close, when the thread ends.
void end_capture_of_thread();

// Replaces NVTX's functions by those that look for the range. Other programs run without them, so
// that the look costs nothing there. Call it after the functions are in their slots.
void watch_core(NvtxFunctionTable slots, unsigned size);
void watch_core2(NvtxFunctionTable slots, unsigned size);

}  // namespace lanescope
