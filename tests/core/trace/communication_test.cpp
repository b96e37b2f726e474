#include "core/trace/communication.h"

#include <doctest/doctest.h>

#include <array>
#include <string_view>

#include "core/analysis/collectives/collectives.h"

namespace lanescope {

namespace {

struct Named {
    std::string_view name;
    std::string_view library;
    CollectiveType type;
};

constexpr auto kAllReduce = CollectiveType::all_reduce;
constexpr auto kAllToAll = CollectiveType::all_to_all;

constexpr std::array kNamed = {
    Named{"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "NCCL",
          kAllReduce},
    Named{"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", "NCCL",
          CollectiveType::send_receive},
    Named{"ncclSymkDevKernel_AllReduce_RSxLD_AGxST_sum_f32", "NCCL", kAllReduce},
    Named{"ncclDevKernel_Generic(ncclDevComm*, channelMasks, ncclWork*)", "NCCL",
          CollectiveType::unknown},
    Named{"void deep_ep::internode::dispatch<false, 8, false, 8>(int4*, float*)", "DeepEP",
          kAllToAll},
    Named{"void deep_ep::intranode::combine<__nv_bfloat16, 8, 768>(int4*)", "DeepEP", kAllToAll},
    Named{"void uccl::ep::internode_ll::dispatch<true, 7168>(void*)", "DeepEP", kAllToAll},
    Named{"void deep_ep::intranode::cached_notify_dispatch<8>(int const*)", "DeepEP", kAllToAll},
    Named{
        "void mori::moe::EpDispatchIntraNodeKernel<hip_bfloat16>(mori::moe::EpDispatchCombineArgs)",
        "MORI", kAllToAll},
    Named{"void vllm::cross_device_reduce_2stage<__nv_bfloat16, 8>(vllm::RankData*)",
          "custom all-reduce", kAllReduce},
    Named{"_ZN4vllm26cross_device_reduce_1stageIfLi8EEEvPNS_8RankDataE", "custom all-reduce",
          kAllReduce},
    Named{"void quickreduce::allreduce_prototype_twoshot<int>()", "quick-reduce", kAllReduce},
    Named{
        "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)",
        "symmetric memory", kAllReduce},
    Named{"void (anonymous namespace)::two_shot_all_reduce_kernel<c10::BFloat16, 16, 8>()",
          "symmetric memory", kAllReduce},
    Named{"void tensorrt_llm::kernels::ar_fusion::allreduce_fusion_kernel_oneshot_lamport<0, "
          "__nv_bfloat16, 8>(int)",
          "TensorRT-LLM", kAllReduce},
    Named{"void tensorrt_llm::kernels::moe_comm::moeA2ADispatchKernel<8>(int)", "TensorRT-LLM",
          kAllToAll},
    Named{"void flashinfer::trtllm_allreduce::oneShotAllReduceKernel<half>(int)", "FlashInfer",
          kAllReduce},
    Named{"nvshmem_alltoall_kernel", "NVSHMEM", kAllToAll},
    Named{"mscclpp::allreduce6<half>()", "MSCCL++", kAllReduce},
    Named{"void userbuffers_fp16_sum_inplace_gpu_rr_ag<8>()", "userbuffers",
          CollectiveType::all_gather},
    Named{"void userbuffers_fp16_sum_inplace_gpu_rr_rs<8>()", "userbuffers",
          CollectiveType::reduce_scatter},
    Named{"void userbuffers_fp16_sum_inplace_gpu_mc<8>()", "userbuffers", kAllReduce},
    Named{"my_all_to_all_kernel(float*)", "other", kAllToAll},
};

}  // namespace

TEST_CASE("kernels of communication have a library and an operation") {
    for (const Named& one : kNamed) {
        CAPTURE(one.name);
        const auto kernel = communication_kernel(one.name);
        REQUIRE(kernel);
        CHECK(kernel->library == one.library);
        CHECK(collective_type_of(one.name) == one.type);
    }
}

TEST_CASE("kernels that communicate and compute are told apart from pure communication") {
    const auto computes = [](std::string_view name) {
        const auto kernel = communication_kernel(name);
        REQUIRE(kernel);
        return kernel->computes;
    };
    CHECK(computes("void aiter::allreduce_fusion_kernel_2stage<__hip_bfloat16, 8>(int)"));
    CHECK(
        computes("void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_twoshot_sync<"
                 "(flashinfer::trtllm_allreduce_fusion::AllReduceFusionPattern)1, half, 8>(int)"));
    CHECK(computes("void fused_allreduce_rmsnorm<float>(float*)"));
    CHECK(computes("gemm_reduce_scatter_kernel"));
    CHECK_FALSE(
        computes("void tensorrt_llm::kernels::ar_fusion::allreduce_fusion_kernel_oneshot_lamport<"
                 "(tensorrt_llm::kernels::ar_fusion::AllReduceFusionPattern)0, half>(int)"));
    CHECK_FALSE(
        computes("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"));
}

TEST_CASE("kernels that compute are no communication") {
    for (const std::string_view name :
         {"ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_64x3_tn",
          "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(int)",
          "void cutlass::device_kernel<cutlass::gemm::GemmUniversal<AllReduceEpilogue>>(int)",
          "void gemm<float>(all_reduce::Params)", "triton_poi_fused_all_reduce_wait_tensor_0",
          "void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long const*)",
          "void at::native::vectorized_gather_kernel<16, long>(char*)", "_combined_routing_compute",
          "void vllm::moe::moe_align_block_size_kernel<int>(int*)", "dispatch_kernel", "",
          "void softmax_warp_forward<float, float, float, 8, false, false>(float*)", "(", "<",
          ">>("}) {
        CAPTURE(name);
        CHECK_FALSE(communication_kernel(name));
    }
}

}  // namespace lanescope
