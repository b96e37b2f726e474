// The library that `lanescope record` injects: NVTX loads it at its first call through
// NVTX_INJECTION64_PATH, and CUDA's driver at its start through CUDA_INJECTION64_PATH. It prints
// nothing, and does nothing if there is no spool to write to.
#include "app/inject/cuda.h"
#include "app/inject/nvtx.h"
#include "app/inject/process.h"

using NvtxGetExportTable = const void* (*)(unsigned);

// Called by each copy of NVTX in the program.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTable get_export_table) {
    return lanescope::attach_process() && lanescope::take_nvtx(get_export_table) ? 1 : 0;
}

// Called by the driver in cuInit(), which must not fail because recording does.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
    if (lanescope::attach_process()) lanescope::begin_cuda();
    return 1;
}
