#include <doctest/doctest.h>

#include "core/models/data_type.h"
#include "tests/core/models/recorded_call.h"

using namespace lanescope;
using namespace lanescope::testing;

TEST_CASE("the work of norms equals figures computed by hand") {
    const std::string_view softmax = R"(["c10::Half", "Scalar", "Scalar"])";
    check({"aten::_softmax", "[[4, 8], [], []]", softmax, R"(["", "-1", "False"])"}, 5 * 32, 64,
          64);
    check({"aten::_softmax", "[[4, 8], [], []]", softmax, R"(["", "-1", "True"])"}, 5 * 32, 64,
          128);
    const std::string_view batch = "[[2, 4, 8], [4], [4], [4], [4], [], [], []]";
    const std::string_view mixed =
        R"(["c10::Half", "float", "float", "float", "float", "Scalar", "Scalar", "Scalar"])";
    check({"aten::native_batch_norm", batch, mixed,
           R"(["", "", "", "", "", "True", "0.1", "1e-05"])"},
          5 * 64, 128 + 4 * 16, 128 + 4 * 16);
    // Without weights and biases.
    check({"aten::native_batch_norm", "[[2, 4, 8], [], [], [4], [4], [], [], []]",
           R"(["c10::Half", "", "", "float", "float", "Scalar", "Scalar", "Scalar"])",
           R"(["", "", "", "", "", "False", "0.1", "1e-05"])"},
          2 * 64, 128 + 2 * 16, 128);
    check({"aten::native_batch_norm", batch, mixed,
           R"(["", "", "", "", "", "False", "0.1", "1e-05"])"},
          2 * 64, 128 + 4 * 16, 128);
}

TEST_CASE("the work of norms' gradients equals figures computed by hand") {
    check(
        {"aten::native_layer_norm_backward", "[[4, 8], [4, 8], [], [4, 1], [4, 1], [8], [8], []]",
         R"(["c10::Half", "c10::Half", "ScalarList", "float", "float", "c10::Half", "c10::Half", ""])",
         ""},
        9 * 32, 2 * 64 + 2 * 16 + 16, 64 + 16 + 16);
    // Without a bias.
    check({"aten::_fused_rms_norm_backward", "[[4, 8], [4, 8], [], [4, 1], [8], []]",
           R"(["c10::Half", "c10::Half", "ScalarList", "float", "c10::Half", ""])", ""},
          9 * 32, 2 * 64 + 16 + 16, 64 + 16);
    // The gradient is wider than the input.
    check({"aten::native_group_norm_backward", "[[2, 4, 8], [2, 4, 8], [2, 2], [2, 2], [4]]",
           R"(["float", "c10::Half", "float", "float", "c10::Half"])", ""},
          9 * 64, 256 + 128 + 2 * 16 + 8, 128 + 8 + 8);
}

TEST_CASE("the work of pooling, scans and lookups equals figures computed by hand") {
    const std::string_view pool =
        R"(["float", "ScalarList", "ScalarList", "ScalarList", "ScalarList", "Scalar"])";
    // 4 x 4 windows of 9 elements on each of six planes; each writes a value and an index.
    check({"aten::max_pool2d_with_indices", "[[2, 3, 8, 8], [], [], [], [], []]", pool,
           R"(["", "[3, 3]", "[2, 2]", "[1, 1]", "[1, 1]", "False"])"},
          9 * 96, 4 * 384, (4 + 8) * 96);
    // An empty window has no place on empty planes.
    check({"aten::max_pool2d_with_indices", "[[2, 3, 0, 0], [], [], [], [], []]", pool,
           R"(["", "[0, 0]", "[1, 1]", "[0, 0]", "[0, 0]", "False"])"},
          0, 0, 0);
    check({"aten::cumsum", "[[4, 8], [], []]", R"(["float", "Scalar", ""])", R"(["", "1", ""])"},
          32, 128, 128);
    check({"aten::any", "[[4, 8], [], []]", R"(["bool", "Scalar", "Scalar"])",
           R"(["", "1", "False"])"},
          32, 32, 4);
    check({"aten::max", "[[8], [4, 8]]", R"(["float", "float"])", ""}, 32, 32 + 128, 128);
    check({"aten::max", "[[4, 8], [8]]", R"(["float", "float"])", ""}, 32, 32 + 128, 128);
    // Three elements, each found by two indices.
    check({"aten::index", "[[10, 8], [[3], [3]]]", R"(["float", "TensorList"])", ""}, 0,
          12 + 2 * 3 * 8, 12);
    check({"aten::trunc", "[[4, 3]]", R"(["float"])", ""}, 12, 48, 48);
}

TEST_CASE("the bias and the cache of attention are read in their own sizes and types") {
    const std::string_view halves =
        R"(["c10::Half", "c10::Half", "c10::Half", "c10::Half", "Scalar", "Scalar", "Scalar"])";
    check({"aten::_scaled_dot_product_efficient_attention",
           "[[1, 2, 4, 8], [1, 2, 4, 8], [1, 2, 4, 8], [1, 2, 4, 4], [], [], []]", halves,
           R"(["", "", "", "", "True", "0.", "False"])"},
          1024, 3 * 128 + 64, 128 + 4 * 8);
    check({"flash_attn::_flash_attn_forward",
           "[[1, 4, 2, 8], [1, 4, 2, 8], [1, 4, 2, 8], [], [], []]",
           R"(["c10::Half", "c10::Half", "c10::Half", "Scalar", "Scalar", "Scalar"])",
           R"(["", "", "", "0.", "0.35", "False"])"},
          1024, 3 * 128, 128 + 4 * 8);
    RecordedCall served = {
        "vllm::unified_attention_with_output",
        "[[6, 2, 8], [6, 1, 8], [6, 1, 8], [6, 2, 8], [], [], []]",
        R"(["c10::BFloat16", "float", "c10::BFloat16", "c10::BFloat16", "", "", ""])", ""};
    served.batch = "execute_context_1(4_16)_generation_0(0)";
    CHECK(model_of(served).work.bytes_read.n == 2 * 4 * 16 + 4 * 4 * 8 + 2 * 4 * 8);
}

TEST_CASE("kernels of serving move what their tensors hold") {
    // Three of four tokens have a slot; keys are twice as wide as values.
    check(
        {"vllm::reshape_and_cache_flash",
         "[[4, 2, 8], [4, 2, 4], [10, 16, 2, 8], [10, 16, 2, 4], [3]]",
         R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "long int"])", ""},
        0, 2 * 48 + 2 * 24 + 3 * 8, 2 * 48 + 2 * 24);
    check({"fbgemm::permute_2D_sparse_data", "[[3], [3, 5], [100], [], []]",
           R"(["int", "int", "int", "", "Scalar"])", ""},
          0, 12 + 60 + 400, 60 + 400);
    // Each of two tokens uses three of sixteen experts.
    check(
        {"vllm::moe_wna16_marlin_gemm", "[[2, 64], [6, 32], [16, 4, 64], [16, 2, 32], [], [], []]",
         R"(["c10::Half", "c10::Half", "int", "c10::Half", "Scalar", "Scalar", "Scalar"])",
         R"(["", "", "", "", "2", "32", "64"])"},
        2 * 6 * 32 * 64, 256 + 3 * 1024, 384);
}

TEST_CASE("torch's numbers of types") {
    CHECK(data_type_of_scalar_type(6) == DataType::fp32);
    CHECK(data_type_of_scalar_type(15) == DataType::bf16);
    for (const int64_t number : {23, 24, 25, 26})
        CHECK(data_type_of_scalar_type(number) == DataType::fp8);
    for (const int64_t number : {-1, 12, 22, 27})
        CHECK(data_type_of_scalar_type(number) == DataType::unknown);
}
