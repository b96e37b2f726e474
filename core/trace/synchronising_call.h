// Calls of the CUDA and HIP runtimes and drivers that wait, or make a stream wait.
#pragma once

#include <string_view>

namespace lanescope {

// Whether a call's flow leads to a synchronisation rather than to a GPU activity, as those of
// cudaStreamSynchronize and cudaStreamWaitEvent do. No correlation says what such a flow says.
inline bool may_lead_to_synchronisation(std::string_view call) {
    return call.find("Synchronize") != std::string_view::npos ||
           call.find("WaitEvent") != std::string_view::npos;
}

}  // namespace lanescope
