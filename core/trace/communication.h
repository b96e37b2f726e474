// Kernels that move data between devices, recognised by their names.
#pragma once

#include <optional>
#include <string_view>

namespace lanescope {

struct CommunicationKernel {
    std::string_view library;    // "NCCL", "DeepEP", …; "other": only the operation is known
    std::string_view operation;  // "all_reduce", "all_to_all", …; empty: not in the name
    bool computes = false;       // also: a norm or a matrix product in the same kernel
};

// Recognises a kernel by its plain or mangled name; empty if the kernel does not communicate.
// Template arguments and parameters are ignored. communication.cpp has the source of each name.
std::optional<CommunicationKernel> communication_kernel(std::string_view name);

}  // namespace lanescope
