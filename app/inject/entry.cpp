// The library that `lanescope record` has programs load: NVTX loads it at its first call, by
// NVTX_INJECTION64_PATH, and CUDA's driver when it begins, by CUDA_INJECTION64_PATH. It prints
// nothing, and when it finds no spool to write to, it does nothing.
#include "app/inject/cuda.h"
#include "app/inject/nvtx.h"
#include "app/inject/process.h"

using NvtxGetExportTable = const void* (*)(unsigned);

// Called by each copy of NVTX in the program.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTable get_export_table) {
    return lanescope::attach_process() && lanescope::take_nvtx(get_export_table) ? 1 : 0;
}

// Called by the driver in cuInit(). What is not recorded is no reason for that to fail.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
    if (lanescope::attach_process()) lanescope::begin_cuda();
    return 1;
}
