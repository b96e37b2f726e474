#include "core/trace/category.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/trace/communication.h"

namespace lanescope {

namespace {

using Entry = std::pair<std::string_view, EventClass>;

// The names of PyTorch's profiler, and the capitalised names that it wrote until May 2022.
constexpr std::array kCategories = {
    Entry{"cpu_op", EventClass::op},
    Entry{"Operator", EventClass::op},
    Entry{"hpu_op", EventClass::op},
    Entry{"user_annotation", EventClass::annotation},
    Entry{"gpu_user_annotation", EventClass::annotation},
    Entry{"python_function", EventClass::python},
    Entry{"Python", EventClass::python},
    Entry{"kernel", EventClass::kernel},
    Entry{"Kernel", EventClass::kernel},
    Entry{"gpu_memcpy", EventClass::memory},
    Entry{"Memcpy", EventClass::memory},
    Entry{"gpu_memset", EventClass::memory},
    Entry{"Memset", EventClass::memory},
    Entry{"cuda_runtime", EventClass::runtime},
    Entry{"cuda_driver", EventClass::runtime},
    Entry{"Runtime", EventClass::runtime},
    Entry{"mtia_runtime", EventClass::runtime},
    Entry{"mtia_ccp_events", EventClass::kernel},
    Entry{"glow_runtime", EventClass::runtime},
    Entry{"xpu_runtime", EventClass::runtime},
    Entry{"xpu_driver", EventClass::runtime},
    Entry{"privateuse1_runtime", EventClass::runtime},
    Entry{"privateuse1_driver", EventClass::runtime},
    Entry{"cuda_sync", EventClass::sync},
    Entry{"xpu_sync", EventClass::sync},
    Entry{"collective_comm", EventClass::communication},
    Entry{"overhead", EventClass::overhead},
    Entry{"Trace", EventClass::annotation},
};

constexpr std::array<std::string_view, kEventClassCount> kClassNames = {
    "Python", "module",        "annotation", "operator", "runtime", "kernel",
    "memory", "communication", "sync",       "overhead", "other",
};

}  // namespace

std::string_view event_class_name(EventClass c) {
    return kClassNames[static_cast<std::size_t>(c)];
}

EventClass classify_category(std::string_view category) {
    const auto* found = std::find_if(kCategories.begin(), kCategories.end(),
                                     [&](const Entry& entry) { return entry.first == category; });
    return found == kCategories.end() ? EventClass::other : found->second;
}

std::string_view sample_kind_name(SampleKind kind) {
    switch (kind) {
        case SampleKind::cpu:
            return "CPU";
        case SampleKind::python:
            return "Python";
        case SampleKind::waiting:
            return "waiting";
    }
    return "";
}

std::optional<SampleKind> sample_kind(std::string_view category) {
    if (category == kSampleCategory) return SampleKind::cpu;
    if (category == kPythonSampleCategory) return SampleKind::python;
    if (category == kOffCpuCategory) return SampleKind::waiting;
    return std::nullopt;
}

bool is_sample_category(std::string_view category) {
    return sample_kind(category).has_value();
}

bool is_gpu_activity_category(std::string_view category) {
    constexpr std::array<std::string_view, 6> names = {"kernel", "gpu_memcpy", "gpu_memset",
                                                       "Kernel", "Memcpy",     "Memset"};
    return std::find(names.begin(), names.end(), category) != names.end();
}

uint8_t traits_of_name(std::string_view name) {
    const auto has = [name](std::string_view part) {
        return name.find(part) != std::string_view::npos;
    };
    uint8_t traits = 0;
    const std::optional<CommunicationKernel> collective = communication_kernel(name);
    if (name.starts_with("nccl") || collective) traits |= kCollectiveKernel;
    if (collective && collective->computes) traits |= kComputingCollective;
    if (name.starts_with("nn.Module: ")) traits |= kModuleFrame;
    if (name.starts_with("nccl:") || name.starts_with("gloo:") || name.starts_with("c10d::"))
        traits |= kCollectiveCall;
    if (has("Synchronize")) traits |= kSyncCall;
    return traits;
}

}  // namespace lanescope
