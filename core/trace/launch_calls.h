// Which calls of the CUDA and HIP interfaces launch work on a GPU, by their names.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanescope {

enum class LaunchedWork : uint8_t {
    none,
    kernel,
    copy,  // asynchronous
    set,   // asynchronous
    graph,
};

// Names with a version or variant ("cudaLaunchKernel_v7000", "cuLaunchKernelEx_ptsz") count.
inline LaunchedWork launched_work(std::string_view call) {
    const auto has = [call](std::string_view part) {
        return call.find(part) != std::string_view::npos;
    };
    if (!call.starts_with("cu") && !call.starts_with("hip")) return LaunchedWork::none;
    if (has("GraphLaunch")) return LaunchedWork::graph;
    if (has("LaunchHostFunc")) return LaunchedWork::none;  // runs on the CPU
    if (has("Launch")) return LaunchedWork::kernel;
    if (has("Memcpy") && has("Async")) return LaunchedWork::copy;
    if (has("Memset") && has("Async")) return LaunchedWork::set;
    return LaunchedWork::none;
}

}  // namespace lanescope
