// Kernels that move data between devices, recognised by their names.
#pragma once

#include <optional>
#include <string_view>

namespace lanescope {

struct CommunicationKernel {
    std::string_view library;    // "NCCL", "DeepEP", …; "other": only the operation is known
    std::string_view operation;  // "all_reduce", "all_to_all", …; empty: not in the name
    bool computes = false;       // the kernel also computes a norm or a matrix product
};

// Recognises a kernel by its plain or mangled name; empty: the kernel does not communicate. Ignores
// template arguments and parameters. communication.cpp lists the source of each name.
std::optional<CommunicationKernel> communication_kernel(std::string_view name);

}  // namespace lanescope
