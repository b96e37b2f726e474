#include "core/trace/kernel_family.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace lanescope;

TEST_CASE("a kernel's family follows from its name") {
    const std::vector<std::pair<const char*, std::string_view>> cases = {
        {"nvjet_tst_64x16_64x16_2x1_v_bz_TNT", "matrix product"},
        {"Cijk_Ailk_Bljk_HHS_BH_MT64x64x64_SN", "matrix product"},
        {"void gemv2T_kernel_val<int, float>(int)", "matrix product"},
        {"cudnn_infer_volta_scudnn_128x64_relu_small_nn_v1", "matrix product"},
        {"void cublasLt::splitKreduce_kernel<32, 16, int, float>(int)", "matrix product"},
        {"fmhaSm100aKernel_QkvE4m3OBfloat16H64Causal", "attention"},
        {"void vllm::reshape_and_cache_flash_kernel<unsigned char>(int)", "attention"},
        {"kernel_unified_attention_2d", "attention"},
        {"void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>(int)", "norm"},
        {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256EEEvPT0_PT_", "norm"},
        {"triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_0", "norm"},
        {"void (anonymous namespace)::softmax_warp_forward<float, float, float, 10>(int)",
         "softmax"},
        {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
         "std::array<char*, 3ul> >(int)",
         "elementwise"},
        {"triton_poi_fused_constant_pad_nd_moe_forward_0", "elementwise"},
        {"void vllm::act_and_mul_kernel<c10::BFloat16>(int)", "elementwise"},
        {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<"
         "float, float>, unsigned int, float, 4> >(int)",
         "reduction"},
        {"void cub::DeviceRadixSortHistogramKernel<P, false, long>(int)", "reduction"},
        {"fused_moe_kernel", "experts"},
        {"bmm_Bfloat16_Bfloat16Bfloat16_Fp32_t128x8x128u2_s5_m128x8x16_rM_BN_dynB_sm100f",
         "experts"},
        {"_matmul_ogs_NNT_bf16xbf16xmxfp4_128x128x128x1", "experts"},
        {"void vllm::scaled_fp8_quant_kernel_strided<c10::BFloat16>(int)", "quantise"},
        {"split_embedding_backward_codegen_rowwise_adagrad_find_long_segments(int)", "embedding"},
        {"_topk_forward", "sampling"},
        {"void vllm::rotary_embedding_kernel<c10::BFloat16, true>(int)", "rope"},
        {"void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float>(int)",
         "optimizer"},
        {"ncclDevKernel_AllGather_RING_LL(int)", "communication"},
        {"Memset (Device)", "copy"},
        {"void "
         "at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::T&)::"
         "{lambda(float)#1}, std::array<char*, 2ul> >(int)",
         "copy"},
        {"triton__0d1d2d", "other"},
        {"saxpy(double*, int)", "other"},
        {"", "other"},
    };
    for (const auto& one : cases) {
        CAPTURE(one.first);
        CHECK(family_name(family_of_kernel(one.first)) == one.second);
    }
}

TEST_CASE("an operator says the family of a kernel whose name does not") {
    CHECK(family_of_operator("aten::layer_norm") == KernelFamily::norm);
    CHECK(family_of_operator("vllm::rotary_embedding") == KernelFamily::rope);
    CHECK(family_of_operator("vllm::moe_forward") == KernelFamily::experts);
    CHECK(family_of_operator("aten::addmm") == KernelFamily::matrix_product);
    CHECK(family_of_operator("aten::embedding") == KernelFamily::embedding);
    CHECK(family_of_operator("CompiledFunction") == KernelFamily::other);
    CHECK(family_of_operator("aten::unknown") == KernelFamily::other);
}

TEST_CASE("each family has a name") {
    CHECK(family_names().size() == kKernelFamilies);
    CHECK(family_name(KernelFamily::matrix_product) == "matrix product");
    CHECK(family_name(KernelFamily::other) == "other");
}

TEST_CASE("a name longer than any compiler's has the family of its function") {
    std::string name = "void at::native::vectorized_elementwise_kernel<4, ";
    for (int i = 0; i < 40000; ++i) name += "gpu_kernel_impl<";
    CHECK(family_of_kernel(name) == KernelFamily::elementwise);
    const std::string functor = "void at::native::softmax<" + std::string(20000, 'x') + ">(int)";
    CHECK(family_of_kernel(functor) == KernelFamily::softmax);
}
