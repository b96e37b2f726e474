#include "core/trace/kernel_label.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/trace/cpp_name.h"

using namespace lanescope;

namespace {

using LabelCases = std::vector<std::pair<const char*, const char*>>;

void check_labels(const LabelCases& cases) {
    for (const auto& [name, label] : cases) CHECK(kernel_label(name) == label);
}

}  // namespace

TEST_CASE("a matrix product is labelled with tile, types, order of operands and epilogue") {
    check_labels({
        {"ampere_sgemm_128x64_nn", "GEMM 128×64 f32 NN ampere"},
        {"ampere_bf16_s16816gemm_bf16_64x64_sliced1x2_ldg8_f2f_stages_64x5_tn",
         "GEMM 64×64×64 bf16 TN sliced1x2 ldg8 f2f 5-stage ampere"},
        {"volta_h884gemm_64x64_ldg8_nn", "GEMM 64×64 f16 NN ldg8 volta"},
        {"ampere_gcgemm_64x64_nt", "GEMM 64×64 c64 NT gauss ampere"},
        {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_"
         "segment_k_off_kernel__5x_cublas",
         "GEMM 128×128×64 bf16 TN warpgroupsize1x1x1 sm90 cublas"},
        {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_f32_64x64_64x6_tn_align8>("
         "cutlass_80_tensorop_bf16_s16816gemm_relu_f32_64x64_64x6_tn_align8::Params)",
         "GEMM 64×64×64 bf16→f32 TN relu 6-stage align8 cutlass sm80"},
        {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x128_16x4_nn_align4>(int)",
         "GEMM 128×128×16 tf32 NN 4-stage align4 cutlass sm80"},
        {"nvjet_tst_144x128_64x6_2x1_v_bz_bias_TNN",
         "GEMM 144×128×64 bf16 TNN bias 6-stage cluster 2×1 nvjet v bz"},
        {"nvjet_sm103_tst_32x64_64x16_4x1_v_bz_splitK_TNN",
         "GEMM 32×64×64 bf16 TNN splitK 16-stage cluster 4×1 nvjet v"},
        {"nvjet_qqtst_128x256_128x4_2x1_v_bz_NTN",
         "GEMM 128×256×128 fp8→bf16 NTN 4-stage cluster 2×1 nvjet v bz"},
        {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x48x64_MI16x16x1_SN_SK3_WG16",
         "GEMM 256×48×64 bf16 TN bias SK3 Tensile"},
        {"Cijk_Ailk_Bjlk_HHS_BH_MT128x64x32_MI16x16x16x1_SN_GSU4_GSUASB",
         "GEMM 128×64×32 f16 NT GSU4 Tensile"},
        {"bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_rM_TN_dynBatch_"
         "sm100f",
         "BMM 128×16×256 mxe2m1/mxe4m3→bf16 TN dynBatch 3-stage sm100f"},
        {"void ck::kernel_gemm_xdl_cshuffle_v3<ck::GridwiseGemm_xdl_cshuffle_v3<ck::tensor_layout::"
         "gemm::RowMajor, ck::tensor_layout::gemm::ColumnMajor, ck::tensor_layout::gemm::RowMajor, "
         "ck::bhalf_t, ck::bhalf_t, float, (ck::Specialization)7, 256, 128, 64, 32, 8>, true>("
         "int)",
         "GEMM 128×64×32 bf16 TN ck"},
    });
}

TEST_CASE("a product of CUTLASS 3 is labelled from the arguments of its templates") {
    const std::string universal =
        "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int>, "
        "cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized"
        "<4, cute::tuple<cute::C<2>, cute::C<1>, cute::C<1> >, cutlass::gemm::"
        "KernelTmaWarpSpecializedPingpong>, cute::tuple<cute::C<128>, cute::C<256>, cute::C<64> >, "
        "cutlass::bfloat16_t, cute::tuple<long, cute::C<1>, long> >, "
        "cutlass::epilogue::collective::"
        "CollectiveEpilogue<cutlass::epilogue::Sm90TmaWarpSpecialized<4, 2>, cute::tuple<cute::C<"
        "128>, cute::C<256>, cute::C<64> >, float, cute::tuple<long, cute::C<1>, long> > > >(P)";
    CHECK(kernel_label(universal) == "GEMM 128×256×64 bf16→f32 4-stage cluster 2×1 pingpong");
    CHECK(kernel_label("_ZN13cutlass_cudnn6KernelINS_4conv23ImplicitGemmConvolutionINS_9GemmShapeI"
                       "Li64ELi128ELi32EEENS4_11Conv2dWgradINS_10tfloat32_t") ==
          "conv wgrad 64×128×32 tf32 cutlass");
}

TEST_CASE("a convolution is labelled with its direction") {
    check_labels({
        {"sm80_xmma_dgrad_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x16_"
         "stage4_"
         "warpsize2x2x1_g1_tensor16x8x8_execute_kernel_cudnn",
         "conv dgrad 128×128×16 tf32 nhwckrsc nhwc 4-stage sm80 cudnn"},
        {"void cutlass_cudnn_infer::Kernel<cutlass_tensorop_s1688fprop_optimized_tf32_128x128_16x4_"
         "nhwc_align4>(int)",
         "conv fprop 128×128×16 tf32 optimized 4-stage nhwc align4"},
        {"volta_scudnn_128x64_relu_small_nn_v1", "conv 128×64 f32 NN relu small volta"},
        {"igemm_wrw_gtcx3_nhwc_fp16_bx0_ex1_bt64x32x32_wt16x16x16_gkgs",
         "conv wgrad 64×32×32 f16 gtcx3 nhwc bx0 ex1 wt16x16x16 gkgs"},
    });
}

TEST_CASE("attention is labelled with direction, head size and mask") {
    check_labels({
        {"void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 64, 4, false, false, cutlass::"
         "bfloat16_t, Flash_kernel_traits<64, 128> >, false, true, false, false>(int)",
         "attention fwd d64 causal bf16 128×64 flash"},
        {"void flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4, false, false, "
         "cutlass::half_t, Flash_kernel_traits<128> >, false, true, false>(int)",
         "attention fwd d128 f16 64×128 splitkv local flash"},
        {"void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<64, 128, 128, "
         "8, 4, 4, 4, false, false, cutlass::half_t, X<64> >, true, false, false, false>(int)",
         "attention bwd d64 f16 128×128 dq_dk_dv dropout flash"},
        {"void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<flash::"
         "CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<1>, cute::C<1>, cute::C<1> >, cute::"
         "tuple<cute::C<128>, cute::C<176>, cute::C<128> >, 128, cutlass::bfloat16_t, float, "
         "cutlass::arch::Sm90, true, false, false, true> > > >(int)",
         "attention fwd d128 causal bf16 128×176 varlen flash3"},
        {"fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::AttentionKernel<int>)",
         "attention fwd bf16 64×128 aligned rf sm80 mem-efficient"},
        {"fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext",
         "attention prefill d64 causal e4m3→bf16 128×128 paged trtllm"},
        {"fmhaSm100fKernel_QkvBfloat16OBfloat16H128PagedKvCausalP64MultiCtasKvVarSeqQ8Kv128ForGen",
         "attention decode d128 causal bf16 8×128 paged split-kv"},
        {"cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_64x64x128_1x1x1",
         "attention bwd f16 64×64×128 sm90 wgmma 1×1×1 cudnn"},
    });
}

TEST_CASE("an elementwise kernel is labelled with its functor") {
    check_labels({
        {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::"
         "BFloat16>, std::array<char*, 3ul> >(int)",
         "elementwise<add, bf16, vec4>"},
        {"void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::"
         "TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda(long)#1}, std::array<"
         "char*, 2ul>, 4, at::native::memory::LoadWithCast<1> >(int)",
         "elementwise<direct_copy, i64, unrolled cast>"},
        {"void at::native::elementwise_kernel<(int)128, (int)2, void at::native::"
         "gpu_kernel_impl_nocast<at::native::BinaryFunctor<float, float, float, at::native::"
         "binary_internal::MulFunctor<float>>>(at::TensorIteratorBase &, const T1 &)::[lambda(int) "
         "(instance 1)]>(int, T3)",
         "elementwise<mul, f32, strided>"},
        {"void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<long, long, "
         "bool, at::native::(anonymous namespace)::CompareEqFunctor<long> >, std::array<char*, "
         "2ul> >(int)",
         "elementwise<scalar_compare_eq, i64, vec4>"},
        {"void at::native::index_elementwise_kernel<128, 4, at::native::gpu_index_kernel<at::"
         "native::index_kernel_impl<at::native::OpaqueType<2> >(at::TensorIteratorBase&)::{lambda("
         "char*, char const*, long)#1}>(at::TensorIteratorBase&)::{lambda(int)#1}>(long)",
         "elementwise<index, 2B, by index>"},
        {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::ArgMaxOps<"
         "float>, unsigned int, long, 4> >(int)",
         "reduce<arg_max, f32→i64, 512×1>"},
        {"void at::native::reduce_kernel<128, 4, at::native::ReduceOp<c10::Half, at::native::"
         "func_wrapper_t<c10::Half, at::native::sum_functor<c10::Half, float, c10::Half>::operator("
         ")(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, c10::Half, 4> >(int)",
         "reduce<sum, f16, 128×4>"},
        {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::TensorList"
         "Metadata<2>, at::native::BinaryOpListAlphaFunctor<float, 2, 2, 0>, std::plus<float>, "
         "float>(int)",
         "multi_tensor<binary_op_list_alpha plus, f32, 2 lists>"},
        {"void at::native::_scatter_gather_elementwise_kernel<128, 8, at::native::"
         "_cuda_scatter_gather_internal_kernel<true, float>::operator()<at::native::ReduceAdd>(at::"
         "TensorIterator&)::{lambda(int)#1}>(int)",
         "scatter<reduce_add, f32>"},
    });
}

TEST_CASE("other kernels are labelled with their function and the arguments of its template") {
    check_labels({
        {"void deep_ep::internode_ll::combine<false, 8, 7168>(void*)",
         "internode_ll::combine<false, 8, 7168>"},
        {"void gemv2T<int, int, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, 128>(int)",
         "gemv2T<i32×2, bf16×3, f32, 128>"},
        {"void moe::finalizeKernel<moe::KernelParams<cutlass::bfloat16_t, float, 4, true> >(int)",
         "finalizeKernel<KernelParams<bf16, f32, 4, true>>"},
        {"_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256EEEvPT0_PT_",
         "add_rmsnorm_quant_kernel<bf16×2, 256>"},
        {"std::enable_if<(((8)>(0)))&&vllm::_typeConvert<c10::BFloat16>::exists, void>::type vllm::"
         "fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*)",
         "fused_add_rms_norm_kernel<bf16, 8>"},
        {"triton_poi_fused_add_mul_3", "triton_poi_fused_add_mul_3"},
        {"Memcpy HtoD (Pinned -> Device)", "Memcpy HtoD (Pinned -> Device)"},
        {"ncclDevKernel_Generic(ncclDevComm*, channelMasks, ncclWork*)", "ncclDevKernel_Generic"},
    });
    for (const char* const odd : {"", "<", "((((", "a::", ">", "x<", "f<>(", "&", "void ", "::"})
        CHECK(characters_of(kernel_label(odd)) <= kLongestLabel);
}

TEST_CASE("a label has at most sixty characters") {
    CHECK(kernel_label("triton_red_fused__to_copy_add_addmm_mean_mul_pow_rsqrt_slice_2") ==
          "triton_red_fused__to_copy_add_addmm_mean…l_pow_rsqrt_slice_2");
    const std::string nested(300, '<');
    CHECK(characters_of(kernel_label("void f" + nested)) <= kLongestLabel);
    CHECK(cut_in_middle("××××××", 5) == "×××…×");
    CHECK(cut_in_middle("abc", 3) == "abc");
}

TEST_CASE("a symbol that is cut within its tile has a label") {
    CHECK(kernel_label("_ZN7cutlass6KernelINS_4gemm9GemmShapeILi128") == "GEMM cutlass");
    CHECK(kernel_label("_ZN7cutlass6KernelINS_4gemm9GemmShapeILi128ELi64") == "GEMM 128 cutlass");
    CHECK(kernel_label("_ZN7cutlass6KernelINS_4gemm9GemmShapeILi128ELi64E") ==
          "GEMM 128×64 cutlass");
}

TEST_CASE("a wrapper with an empty argument is labelled with its next one") {
    CHECK(kernel_label("void cutlass::Kernel2<, x>(int)") == "x");
    CHECK(kernel_label("void cutlass::Kernel2<,>(int)") == "Kernel2");
}

TEST_CASE("wrappers of a functor are followed for a few levels only") {
    const auto wrapped = [](int levels) {
        std::string name = "void at::native::vectorized_elementwise_kernel<4, ";
        for (int i = 0; i < levels; ++i) name += "at::native::gpu_kernel_impl<";
        return name + "at::native::CUDAFunctor_add<float>" + std::string(levels, '>') + ">(int)";
    };
    CHECK(kernel_label(wrapped(8)) == "elementwise<add, f32, vec4>");
    CHECK(kernel_label(wrapped(9)) == "elementwise<gpu, vec4>");
}

TEST_CASE("a name longer than any compiler's is only cut") {
    std::string name = "void at::native::vectorized_elementwise_kernel<4, ";
    for (int i = 0; i < 40000; ++i) name += "gpu_kernel_impl<";
    CHECK(kernel_label(name) == cut_in_middle(name, kLongestLabel));
    const std::string words = "bmm_Bfloat16_" + std::string(kLongestName, 'E') + "_Fp32_t1x1_s3_x";
    CHECK(kernel_label(words) == cut_in_middle(words, kLongestLabel));
    const std::string longest =
        words.substr(0, 13) + words.substr(words.size() - kLongestName + 13);
    REQUIRE(longest.size() == kLongestName);
    CHECK(kernel_label(longest).starts_with("BMM 1×1 "));
}
