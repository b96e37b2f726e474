// Calls of the CUDA and HIP runtimes and drivers that wait, or make a stream wait.
#pragma once

#include <string_view>

namespace lanescope {

// Returns whether the flow of a call leads to a synchronisation, as the flows of
// cudaStreamSynchronize and cudaStreamWaitEvent do. Correlations link calls to GPU activities only,
// so this flow is the only link from the call.
inline bool may_lead_to_synchronisation(std::string_view call) {
    return call.find("Synchronize") != std::string_view::npos ||
           call.find("WaitEvent") != std::string_view::npos;
}

}  // namespace lanescope
