#include "core/trace/communication.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "core/trace/demangle.h"

namespace lanescope {

namespace {

// The path of a function, "ns::class::function", in lower case, without "_", template arguments and
// parameters.
std::string path_of(std::string_view name) {
    constexpr std::string_view kNoName = "(anonymous namespace)";
    std::string path;
    int depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (depth == 0 && name.substr(i).starts_with(kNoName)) {
            i += kNoName.size() - 1;
            continue;
        }
        const char c = name[i];
        if (c == '<') {
            ++depth;
        } else if (c == '>') {
            --depth;
        } else if (depth == 0 && c == '(') {
            break;
        } else if (depth == 0 && c == ' ') {
            path.clear();  // it was the return type
        } else if (depth == 0 && c != '_') {
            path += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
    }
    return path;
}

struct Family {
    std::string_view library;
    std::string_view operation;
    std::string_view place;  // in the path; empty: anywhere
    std::string_view word;   // in the path, after the place
};

// Places and words are written as path_of() writes them. The first family that fits counts, so the
// narrow ones come first.
constexpr std::array kFamilies = {
    // github.com/NVIDIA/nccl (src/device, symmetric kernels "ncclSymk…") and ROCm/rccl, which have
    // the same names.
    Family{"NCCL", "", "", "nccldevkernel"},
    Family{"NCCL", "", "", "ncclkernel"},
    Family{"NCCL", "", "", "ncclsym"},
    Family{"RCCL", "", "", "rcclgenerickernel"},
    // deepseek-ai/DeepEP csrc/kernels and forks of it with the namespace "ep". The layout of a
    // dispatch is computed locally.
    Family{"DeepEP", "all_to_all", "internode", "dispatch"},
    Family{"DeepEP", "all_to_all", "internode", "combine"},
    Family{"DeepEP", "all_to_all", "intranode", "dispatch"},
    Family{"DeepEP", "all_to_all", "intranode", "combine"},
    Family{"DeepEP", "all_to_all", "internode", "notify"},
    Family{"DeepEP", "all_to_all", "intranode", "notify"},
    // ROCm/mori src/ops/dispatch_combine: EpDispatchIntraNodeKernel, EpCombineInterNodeKernel.
    Family{"MORI", "all_to_all", "", "epdispatch"},
    Family{"MORI", "all_to_all", "", "epcombine"},
    // vllm-project/vllm csrc/custom_all_reduce.cuh and csrc/quickreduce; the same in SGLang and
    // ROCm/aiter.
    Family{"custom all-reduce", "all_reduce", "", "crossdevicereduce"},
    Family{"quick-reduce", "all_reduce", "quickreduce", "allreduce"},
    Family{"quick-reduce", "all_reduce", "", "allreduceprototype"},
    // NVIDIA/TensorRT-LLM cpp/tensorrt_llm/kernels (customAllReduceKernels, communicationKernels)
    // and flashinfer-ai/flashinfer include/flashinfer/comm.
    Family{"TensorRT-LLM", "all_reduce", "tensorrtllm", "allreduce"},
    Family{"TensorRT-LLM", "all_to_all", "moe", "alltoall"},
    Family{"TensorRT-LLM", "all_to_all", "", "moea2a"},
    Family{"FlashInfer", "all_reduce", "flashinfer", "allreduce"},
    Family{"TensorRT-LLM", "all_reduce", "", "allreducefusionkernel"},
    // pytorch/pytorch torch/csrc/distributed/c10d/symm_mem/CUDASymmetricMemoryOps.cu.
    Family{"symmetric memory", "all_gather", "multimem", "allgather"},
    Family{"symmetric memory", "all_reduce", "multimem", "reduce"},
    Family{"symmetric memory", "all_reduce", "oneshot", "allreducekernel"},
    Family{"symmetric memory", "all_reduce", "twoshot", "allreducekernel"},
    // NVIDIA/nvshmem and ROCm/rocSHMEM: collectives on a stream, "nvshmemi_…_kernel".
    Family{"NVSHMEM", "", "", "nvshmem"},
    Family{"rocSHMEM", "", "", "rocshmem"},
    // microsoft/mscclpp: apps/nccl and Python's kernels.
    Family{"MSCCL++", "", "mscclpp", "allreduce"},
    Family{"MSCCL++", "", "mscclpp", "allgather"},
    Family{"MSCCL++", "", "mscclpp", "alltoall"},
    Family{"MSCCL++", "", "mscclpp", "reducescatter"},
    // NVIDIA/TransformerEngine comm_gemm_overlap/userbuffers: the end of a name tells the
    // operation.
    Family{"userbuffers", "all_gather", "userbuffersfp16suminplacegpu", "ag"},
    Family{"userbuffers", "reduce_scatter", "userbuffersfp16suminplacegpu", "rs"},
    Family{"userbuffers", "all_reduce", "", "userbuffersfp16suminplacegpu"},
    Family{"userbuffers", "send_receive", "", "kuserbuffers"},
    // uxlfoundation/oneCCL, Huawei's HCCL.
    Family{"oneCCL", "", "", "oneccl"},
    Family{"HCCL", "", "", "hccl"},
    // Other libraries: the path of the kernel names a collective operation.
    Family{"other", "all_reduce", "", "allreduce"},
    Family{"other", "all_gather", "", "allgather"},
    Family{"other", "reduce_scatter", "", "reducescatter"},
    Family{"other", "all_to_all", "", "alltoall"},
};

bool fits(const Family& family, std::string_view path) {
    const std::size_t place = path.find(family.place);
    return place != std::string_view::npos &&
           path.find(family.word, place + family.place.size()) != std::string_view::npos;
}

// False for most names that fit no family: they contain no part of any family's words. Looking for
// these parts is much faster than path_of().
bool may_fit(std::string_view name) {
    constexpr std::array<std::string_view, 14> kParts = {
        "ccl",   "educe", "ather", "ispatch", "ombine", "otify", "to_all",
        "toall", "ToAll", "Toall", "a2a",     "A2A",    "shmem", "userbuffers"};
    return std::ranges::any_of(
        kParts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

// Whether a collective kernel also computes: its path names a norm or a matrix product, or it is a
// fusion of TensorRT-LLM or FlashInfer other than the first pattern, which adds nothing.
bool computes(std::string_view path, std::string_view name) {
    constexpr std::array<std::string_view, 4> kWork = {"norm", "rms", "gemm", "matmul"};
    if (std::ranges::any_of(kWork, [&](std::string_view part) {
            return path.find(part) != std::string_view::npos;
        }))
        return true;
    return path.find("fusion") != std::string_view::npos &&
           name.find("FusionPattern)0") == std::string_view::npos;
}

}  // namespace

std::optional<CommunicationKernel> communication_kernel(std::string_view name) {
    // Inductor names a fused kernel after all operators around it. The kernel
    // "triton_poi_fused_all_reduce_wait_tensor_0" copies the result of an all-reduce.
    if (name.starts_with("triton_") || !may_fit(name)) return std::nullopt;
    const std::string plain = demangled(name);
    const std::string path = path_of(plain);
    const auto found =
        std::ranges::find_if(kFamilies, [&](const Family& family) { return fits(family, path); });
    if (found == kFamilies.end()) return std::nullopt;
    return CommunicationKernel{found->library, found->operation, computes(path, plain)};
}

}  // namespace lanescope
