// Operators of vLLM, SGLang and fbgemm, and sparse and packed products, compared with figures
// computed by hand.
#include <doctest/doctest.h>

#include "core/models/operator_work.h"
#include "tests/core/models/recorded_call.h"

using namespace lanescope;
using namespace lanescope::testing;

TEST_CASE("products with 2:4 sparse weights execute half of the operations") {
    // [64, 64] × [64, 16], with 32 kept in each row of weights.
    const Work mm = check({"aten::_sparse_semi_structured_mm", "[[64, 32], [64, 4], [64, 16], []]",
                           R"(["c10::Half", "short int", "c10::Half", ""])", ""},
                          64 * 64 * 16, 2 * (2048 + 256 + 1024), 2 * 1024);
    CHECK(mm.flops_dense.n == 2 * 64 * 64 * 16);
    CHECK(mm.product);
    CHECK(mm.pipe == Pipe::tensor);
    check({"aten::_sparse_semi_structured_addmm", "[[64], [64, 32], [64, 4], [64, 16], [], [], []]",
           R"(["c10::Half", "c10::Half", "short int", "c10::Half", "Scalar", "Scalar", "Scalar"])",
           R"(["", "", "", "", "1", "1", "6"])"},
          64 * 64 * 16, 2 * (64 + 2048 + 256 + 1024), 4 * 1024);
    check({"aten::_sparse_semi_structured_linear", "[[2, 4, 64], [16, 32], [16, 4], [16], [], []]",
           R"(["c10::Half", "c10::Half", "short int", "c10::Half", "", ""])", ""},
          8 * 64 * 16, 2 * (512 + 512 + 64 + 16), 2 * 128);
    // 32 × 64 numbers, 9 of 16 kept including metadata; 10 of 16 for integers.
    check({"aten::_cslt_sparse_mm", "[[1152], [64, 16], [], [], []]",
           R"(["c10::Half", "c10::Half", "", "", ""])", ""},
          32 * 64 * 16, 2 * (1152 + 1024), 2 * 512);
    check({"aten::_cslt_sparse_mm", "[[1280], [64, 16], [], [], []]",
           R"(["signed char", "signed char", "", "", "Scalar"])", R"(["", "", "", "", "15"])"},
          32 * 64 * 16, 1280 + 1024, 2 * 512);
    check(
        {"_C::cutlass_scaled_sparse_mm", "[[8, 16], [8, 64], [16, 32], [16, 8], [1], [1], []]",
         R"(["c10::BFloat16", "c10::Float8_e4m3fn", "c10::Float8_e4m3fn", "unsigned char", "float", "float", ""])",
         ""},
        8 * 64 * 16, 512 + 512 + 128 + 8, 2 * 128);
    CHECK(model_of({"aten::_sparse_semi_structured_mm", "[[64, 32], [64, 4], [60, 16], []]",
                    R"(["c10::Half", "short int", "c10::Half", ""])", ""})
              .why == NoModel::misfit);
    CHECK(model_of(
              {"aten::_cslt_sparse_mm", "[[1152], [0, 16]]", R"(["c10::Half", "c10::Half"])", ""})
              .why == NoModel::misfit);
}

TEST_CASE("packed weights are read in packed form, at the rate of the activations") {
    const std::string_view types =
        R"(["c10::Half", "int", "Scalar", "", "c10::Half", "", "Scalar", "", "", ""])";
    const Work w = check(
        {"_C::machete_mm", "[[4, 64], [8, 32], [], [], [2, 32], [], [], [], [], []]", types, ""},
        2 * 4 * 64 * 32, 512 + 1024 + 128, 256);
    CHECK(w.type == DataType::fp16);
    check({"_C::machete_mm", "[[4, 64], [8, 32], [], [], [], [], [], [32], [], []]",
           R"(["c10::Half", "int", "Scalar", "", "", "", "", "float", "", ""])", ""},
          2 * 4 * 64 * 32, 512 + 1024 + 128, 256);
    CHECK(model_of({"_C::machete_mm", "[[4, 64], [8, 32]]", R"(["c10::Half", "int"])", ""}).why ==
          NoModel::no_arguments);
    const Work sparse = check(
        {"_C::gptq_marlin_24_gemm", "[[4, 64], [2, 64], [4, 32], [2, 32], [8], [], [], [], []]",
         R"(["c10::Half", "int", "short int", "c10::Half", "int", "Scalar", "Scalar", "Scalar", "Scalar"])",
         R"(["", "", "", "", "", "1", "4", "32", "64"])"},
        4 * 64 * 32, 512 + 512 + 256 + 128 + 32, 256);
    CHECK(sparse.flops_dense.n == 2 * 4 * 64 * 32);
}

TEST_CASE("products with block scales read each weight and scale once") {
    for (const std::string_view name :
         {"sglang::deep_gemm_fp8_fp8_bf16_nt", "vllm::fp8_gemm_nt_op"}) {
        const Work w = check(
            {name, "[[16, 256], [16, 2], [64, 256], [1, 2], [16, 64], []]",
             R"(["c10::Float8_e4m3fn", "float", "c10::Float8_e4m3fn", "float", "c10::BFloat16", "Scalar"])",
             ""},
            2 * 16 * 256 * 64, 16 * 256 + 64 * 256 + 4 * 32 + 4 * 2, 2 * 16 * 64);
        CHECK(w.type == DataType::fp8);
    }
}

TEST_CASE(
    "experts: every token has its products, and weights of at least one token's experts count") {
    const RecordedCall plain = {
        "vllm::inplace_fused_experts", "[[4, 64], [8, 32, 64], [8, 64, 16], [4, 2], [4, 2]]",
        R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "float", "int"])", ""};
    // Two of eight experts.
    const Work w = check(plain, 2 * 8 * (32 * 64 + 64 * 16),
                         512 + 32 + 32 + 2 * (2 * 32 * 64 + 2 * 64 * 16), 512);
    CHECK(w.quality == Quality::at_least);
    CHECK(w.type == DataType::bf16);
    for (const std::string_view name : {"vllm::rocm_aiter_fused_moe", "aiter::fused_moe_"}) {
        RecordedCall of_aiter = plain;
        of_aiter.name = name;
        CHECK(model_of(of_aiter).work.flops.n == w.flops.n);
    }
    RecordedCall small = plain;
    small.types =
        R"(["c10::BFloat16", "c10::Float8_e4m3fn", "c10::Float8_e4m3fn", "float", "int"])";
    CHECK(model_of(small).work.type == DataType::fp8);
    RecordedCall packed = plain;
    packed.dims = "[[4, 64], [8, 32, 32], [8, 64, 8], [4, 2], [4, 2]]";
    CHECK(model_of(packed).why == NoModel::misfit);
    RecordedCall none = plain;
    none.dims = "[[0, 64], [8, 32, 64], [8, 64, 16], [0, 2], [0, 2]]";
    check(none, 0, 0, 0);
    check(
        {"sgl_kernel::moe_wna16_marlin_gemm",
         "[[4, 64], [8, 32], [16, 4, 64], [16, 2, 32], [], [], [], [8], [8], [2], [1], [4, 2], [], "
         "[]"
         ", [], [], [], [], [], []]",
         R"(["c10::Half", "c10::Half", "int", "c10::Half", "", "", "", "int", "int", "int", "int", "float", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar"])",
         R"(["", "", "", "", "", "", "", "", "", "", "", "", "8", "2", "False", "False", "1", "4", "32", "64"])"},
        2 * 8 * 32 * 64, 512 + 2 * 1024, 512);
}

TEST_CASE("norms, activations, caches and gates of experts move their tensors") {
    check({"_C::rms_norm_static_fp8_quant", "[[4, 8], [4, 8], [8], [1], []]",
           R"(["c10::Float8_e4m3fn", "c10::BFloat16", "c10::BFloat16", "float", "Scalar"])", ""},
          5 * 32, 64 + 16 + 4, 32);
    check({"sgl_kernel::fused_add_rmsnorm", "[[4, 8], [4, 8], [8], [], []]",
           R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"])", ""},
          5 * 32, 64 + 64 + 16, 64 + 64);
    check({"_C::gelu_and_mul", "[[4, 8], [4, 16]]", R"(["c10::BFloat16", "c10::BFloat16"])", ""},
          5 * 64, 128, 64);
    check({"_C::dynamic_per_token_scaled_fp8_quant", "[[4, 8], [4, 8], [4, 1], []]",
           R"(["c10::Float8_e4m3fn", "c10::BFloat16", "float", ""])", ""},
          2 * 32, 64, 32 + 16);
    // Three slots for four tokens.
    check({"_C_cache_ops::concat_and_cache_mla", "[[4, 16], [4, 8], [10, 2, 24], [3]]",
           R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "long int"])", ""},
          0, 2 * 3 * 24 + 24, 2 * 3 * 24);
    check({"sgl_kernel::topk_softmax", "[[4, 2], [4, 2], [4, 8], []]",
           R"(["float", "int", "float", "Scalar"])", ""},
          5 * 32, 128, 64);
    check({"_moe_C::topk_softmax", "[[4, 2], [4, 2], [4, 2], [4, 8]]",
           R"(["float", "int", "int", "float"])", ""},
          5 * 32, 128, 96);
}

TEST_CASE("rows of 8-bit numbers carry a scale and a bias") {
    check({"fbgemm::FloatToFP8RowwiseQuantized", "[[10, 256], []]", R"(["float", "Scalar"])", ""},
          2560, 10240, 10 * 264);
    check({"fbgemm::FloatToFP8RowwiseQuantized", "[[10, 30], []]", R"(["float", "Scalar"])", ""},
          300, 1200, 10 * 40);
    check({"fbgemm::FP8RowwiseQuantizedToFloat", "[[10, 264], []]",
           R"(["unsigned char", "Scalar"])", ""},
          2560, 2640, 10240);
    CHECK(model_of({"fbgemm::FP8RowwiseQuantizedToFloat", "[[10, 4], []]",
                    R"(["unsigned char", "Scalar"])", ""})
              .why == NoModel::misfit);
    check({"fbgemm::HFP8QuantizedToFloat", "[[100], [], []]",
           R"(["unsigned char", "Scalar", "Scalar"])", ""},
          100, 100, 400);
}

TEST_CASE("lookups: indices and output count, the rows of the table do not") {
    // One table: 96 columns by a number for each of its 1,000 rows. 4 bags of 10 numbers.
    const std::string_view types =
        R"(["float", "float", "float", "float", "int", "long", "int", "Scalar", "Scalar", "long", "Scalar", "long", "long", "Scalar", "float", "", "int", "Scalar", "Scalar", "Scalar", "float"])";
    const std::string_view name = "fbgemm::split_embedding_codegen_lookup_rowwise_adagrad_function";
    const Work one = check(
        {name,
         "[[0], [96000], [0], [0, 0], [1], [1], [2], [], [], [2], [], [10], [5], [], [10], [], "
         "[0], [], [], [], [1000]]",
         types, ""},
        kNoValue, 8 * 10 + 8 * 5 + 4 * 10, 4 * 4 * 96);
    CHECK(one.quality == Quality::at_least);
    // With two tables, the columns are a plain argument, or unknown.
    const std::string_view two =
        "[[0], [96000], [0], [0, 0], [2], [2], [3], [], [], [3], [], [10], [5], [], [10], [], "
        "[0], [], [], [], [1000]]";
    check({name, two, types, ""}, kNoValue, 8 * 10 + 8 * 5 + 4 * 10, 0);
    check(
        {name, two, types,
         R"(["", "", "", "", "", "", "", "192", "96", "", "10", "", "", "0", "", "", "", "", "", "", ""])"},
        kNoValue, 8 * 10 + 8 * 5 + 4 * 10, 2 * 192 * 4);
    check({"torch::autograd::CppNode<SplitLookupFunction_rowwise_adagrad_Op>", "[[4, 96]]",
           R"(["float"])", ""},
          kNoValue, 4 * 4 * 96, 0);
    check({"fbgemm::bounds_check_indices", "[[1], [10], [5], [], [1]]",
           R"(["long", "long", "long", "Scalar", "long"])", ""},
          0, 8 + 80 + 40, 0);
    check({"fbgemm::recat_embedding_grad_output_mixed_D_batch", "[[4, 96], [8], [8]]",
           R"(["float", "long", "long"])", ""},
          0, 4 * 384 + 64 + 64, 4 * 384);
    CHECK(model_of({name, "[[0], [96000]]", R"(["float", "float"])", ""}).why != NoModel::none);
}

TEST_CASE("a permutation moves its tensor; the size of one with repetitions is only in memory") {
    check({"fbgemm::permute_2D_sparse_data", "[[3], [3, 5], [100], [], []]",
           R"(["int", "int", "int", "", "Scalar"])", ""},
          0, 12 + 60 + 400, 60 + 400);
    CHECK(model_of({"fbgemm::permute_2D_sparse_data", "[[4], [3, 5], [100], [], []]",
                    R"(["int", "int", "int", "", "Scalar"])", ""})
              .why == NoModel::data);
    check({"torch::autograd::CppNode<fbgemm_gpu::PermutePooledEmbsFunction"
           "<&fbgemm_gpu::permute_pooled_embs_gpu> >",
           "[[4, 8]]", R"(["float"])", ""},
          0, 128, 128);
}

TEST_CASE("attention over a cache takes lengths from its batch's annotation") {
    RecordedCall call = {
        "vllm::unified_attention_with_output",
        "[[6, 2, 8], [6, 1, 8], [6, 1, 8], [6, 2, 8], [], [], []]",
        R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "", "", ""])", ""};
    CHECK(model_of(call).why == NoModel::data);
    // One prompt of four tokens: 4 × 5 / 2 pairs.
    call.batch = "execute_context_1(4_16)_generation_0(0)";
    const Work prompt = check(call, 2 * 2 * 16 * 10, 2 * (4 * 2 * 8 + 2 * 4 * 8), 2 * 4 * 2 * 8);
    CHECK(prompt.flops_dense.n == 2 * 2 * 16 * 16);
    CHECK(prompt.quality == Quality::at_most);
    // The last 3 of 5 tokens (3 + 4 + 5 pairs) and a prompt of 1; and two that see 7 and 9.
    call.batch = "execute_6_context_2(sq4sk6sqsq10sqsk16)_generation_2(sq2sk16sqsq2sqsk16)";
    check(call, 2 * 2 * 16 * (12 + 1 + 7 + 9), 2 * (6 * 2 * 8 + 2 * 22 * 8), 2 * 6 * 2 * 8);
    call.batch =
        "step[MIXED bs=4 c=2 g=2 c_sq=4 c_sk=6 c_sqsq=10 c_sqsk=16 g_sq=2 g_sk=16 g_sqsq=2 "
        "g_sqsk=16]";
    check(call, 2 * 2 * 16 * (12 + 1 + 7 + 9), 2 * (6 * 2 * 8 + 2 * 22 * 8), 2 * 6 * 2 * 8);
    call.batch = "step[EXTEND bs=1 toks=4 c_sq=4 c_sqsq=16 c_sqsk=16 c_sk=4]";
    check(call, 2 * 2 * 16 * 10, 2 * (4 * 2 * 8 + 2 * 4 * 8), 2 * 4 * 2 * 8);
    call.batch = "step[DECODE bs=2 g_sq=2 g_sqsq=2 g_sqsk=16 g_sk=16]";
    check(call, 2 * 2 * 16 * 16, 2 * (2 * 2 * 8 + 2 * 16 * 8), 2 * 2 * 2 * 8);
    for (const std::string_view bad :
         {"execute_context_1(4_16)_generation_2(2_2)", "step[DECODE bs=2 g_sqsq=2]",
          "step[MIXED bs=2 c=1 g=1 c_sq=4 c_sqsq=16 g_sq=1 g_sqsq=1]",
          "decode[bs=2 tok=2 d=2 sqsq=2]", "step[DECODE bs=2]", "step[DECODE bs=2 g_sqsk=16]",
          "step[DECODE bs=2 g_sq=2 g_sqsq=2 g_sqsk=-16 g_sk=16]",
          "step[MIXED bs=2 c_sq=x c_sqsk=40 c_sk=8 c_sqsq=25]",
          "execute_context_1(400_16)_generation_0(0)", "execute_context_1(7_49)_generation_0(0)",
          "execute_context_1(4_16)_generation_3(3)", "execute_new_0_cached_4",
          "execute_context_1(4_-9223372036854775807)_generation_0(0)"}) {
        CAPTURE(bad);
        call.batch = bad;
        CHECK(model_of(call).why != NoModel::none);
    }
}

TEST_CASE("paged attention reads the cache of each sequence once") {
    RecordedCall call = {
        "sglang_profiler::attention_paged_attention_ragged_100",
        "[[2, 4, 8], [99], [2, 4, 8], [70, 1, 2, 8], [70, 1, 2, 8], [3], [90], [4], [], [1], [1]]",
        R"(["c10::BFloat16", "unsigned char", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "int", "int", "int", "", "float", "float"])",
        ""};
    CHECK(needs_batch(call.name));
    CHECK(model_of(call).why == NoModel::data);
    // Two sequences of 7 and 9 tokens, and two heads of keys.
    call.batch = "execute_2_context_0(sq0sk0sqsq0sqsk0)_generation_2(sq2sk16sqsq2sqsk16)";
    const Work w = check(call, 4 * 4 * 8 * 16, 2 * (2 * 4 * 8 + 2 * 16 * 2 * 8), 2 * 2 * 4 * 8);
    CHECK(w.quality == Quality::at_most);
    call.types =
        R"(["c10::BFloat16", "unsigned char", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])";
    // Each of two sequences verifies three tokens: 5 + 6 + 7 and 7 + 8 + 9 pairs.
    call.dims = "[[6, 4, 8], [99], [6, 4, 8], [70, 1, 2, 8], [70, 1, 2, 8]]";
    call.batch = "step[TARGET_VERIFY bs=2 g_sq=6 g_sk=16 g_sqsq=18 g_sqsk=48]";
    check(call, 4 * 4 * 8 * (18 + 24), 2 * (6 * 4 * 8 + 2 * 16 * 2 * 8), 2 * 6 * 4 * 8);
    call.dims = "[[6, 3, 8], [99], [6, 3, 8], [70, 1, 2, 8], [70, 1, 2, 8]]";
    CHECK(model_of(call).why == NoModel::misfit);
}

TEST_CASE("AITER's products, and its norms with a residual") {
    check({"aiter::gemm_a16w16", "[[2, 8], [4, 8], [], [], [], [], []]",
           R"(["c10::BFloat16", "c10::BFloat16", "", "Scalar", "", "", ""])", ""},
          2 * 2 * 8 * 4, 2 * (16 + 32), 2 * 8);
    check(
        {"aiter::add_rmsnorm", "[[2, 8], [2, 8], [2, 8], [2, 8], [8], []]",
         R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar"])",
         ""},
        5 * 16, 2 * (16 + 16 + 8), 2 * (16 + 16));
    check(
        {"sglang::store_cache", "[[2, 8], [2, 4], [70, 8], [70, 4], [2], [], []]",
         R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "long int", "Scalar", "Scalar"])",
         ""},
        0, 2 * (16 + 8) + 16, 2 * (16 + 8));
}
