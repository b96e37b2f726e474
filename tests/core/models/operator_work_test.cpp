#include "core/models/operator_work.h"

#include <doctest/doctest.h>

#include "tests/core/models/recorded_call.h"

using namespace lanescope;
using namespace lanescope::testing;

TEST_CASE("the work of matrix products equals figures computed by hand") {
    check({"aten::mm", "[[4, 8], [8, 16]]", R"(["float", "float"])", R"(["", ""])", ""}, 1024,
          4 * (32 + 128), 4 * 64);
    check({"aten::bmm", "[[2, 4, 8], [2, 8, 16]]", R"(["c10::Half", "c10::Half"])", "", ""}, 2048,
          2 * 2 * (32 + 128), 2 * 2 * 64);
    // A bias of one row, read and not counted.
    check({"aten::addmm", "[[16], [4, 8], [8, 16], [], []]",
           R"(["float", "float", "float", "Scalar", "Scalar"])", R"(["", "", "", "1", "1"])", ""},
          1024, 4 * (16 + 32 + 128), 4 * 64);
    // The overload with an output tensor: its type is the result's.
    check({"aten::mm", "[[4, 8], [8, 16], [4, 16]]", R"(["c10::Half", "c10::Half", "float"])", "",
           ""},
          1024, 2 * (32 + 128), 4 * 64);
    check({"aten::_scaled_mm", "[[4, 8], [8, 16], [], [], [], [], []]",
           R"(["c10::Float8_e4m3fn", "c10::Float8_e4m3fn", "float", "float", "", "", "Scalar"])",
           R"(["", "", "", "", "", "", "15"])", ""},
          1024, 32 + 128 + 8, 2 * 64);
    check({"aten::linear", "[[3, 4, 8], [16, 8], [16]]", R"(["float", "float", "float"])", "", ""},
          3072, 4 * (96 + 128 + 16), 4 * 192);
    check({"aten::mm", "[[4, 8], [8, 16]]", R"(["c10::complex<float>", "c10::complex<float>"])", "",
           ""},
          4096, 8 * (32 + 128), 8 * 64);
    const Modelled mv = model_of({"aten::mv", "[[4, 8], [8]]", R"(["float", "float"])", "", ""});
    CHECK(mv.work.pipe == Pipe::vector);
    CHECK(mv.work.flops.n == 64);
}

TEST_CASE("grouped products have bounds where sizes are in device memory") {
    const Modelled ragged = model_of({"aten::_grouped_mm", "[[100, 8], [5, 8, 16], [5]]",
                                      R"(["c10::BFloat16", "c10::BFloat16", "int"])", "", ""});
    CHECK(ragged.work.flops.n == 2 * 100 * 8 * 16);
    CHECK(ragged.work.quality == Quality::at_most);
    const Modelled weights = model_of({"aten::_grouped_mm", "[[8, 100], [100, 16], [5]]",
                                       R"(["c10::BFloat16", "c10::BFloat16", "int"])", "", ""});
    CHECK(weights.work.bytes_written.n == 2 * 5 * 8 * 16);
}

TEST_CASE("the work of convolutions equals figures computed by hand") {
    const std::string_view types =
        R"(["float", "float", "float", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"])";
    check({"aten::convolution", "[[2, 3, 8, 8], [16, 3, 3, 3], [16], [], [], [], [], [], []]",
           types, R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"])", ""},
          2 * (2 * 16 * 4 * 4) * 27, 4 * (384 + 432 + 16), 4 * 512);
    // With four groups, weights have a quarter of the channels.
    check(
        {"aten::convolution", "[[2, 8, 8, 8], [8, 2, 3, 3], [], [], [], [], [], [], []]",
         R"(["float", "float", "", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"])",
         R"(["", "", "", "[1]", "[1]", "[1]", "False", "[0]", "4"])", ""},
        2 * (2 * 8 * 64) * 18, 4 * (1024 + 144), 4 * 1024);
    check(
        {"aten::convolution", "[[1, 4, 5, 5], [4, 6, 3, 3], [], [], [], [], [], [], []]",
         R"(["float", "float", "", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"])",
         R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "True", "[1, 1]", "1"])", ""},
        2 * 100 * 54, 4 * (100 + 216), 4 * 6 * 10 * 10);
    const std::string_view backward =
        R"(["float", "float", "float", "ScalarList", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar", "ScalarList"])";
    const std::string_view dims =
        "[[2, 16, 4, 4], [2, 3, 8, 8], [16, 3, 3, 3], [], [], [], [], [], [], [], []]";
    check(
        {"aten::convolution_backward", dims, backward,
         R"(["", "", "", "[0]", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", "[True, True, False]"])",
         ""},
        4 * 512 * 27, 4 * (512 + 384 + 432), 4 * (384 + 432));
    check(
        {"aten::convolution_backward", dims, backward,
         R"(["", "", "", "[0]", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", "[False, True, True]"])",
         ""},
        2 * 512 * 27 + 512, 4 * (512 + 384), 4 * (432 + 16));
}

TEST_CASE("a convolution without strides uses a shape known from elsewhere") {
    const auto inputs =
        parse_inputs({"[[2, 3, 8, 8], [16, 3, 3, 3]]", R"(["float", "float"])", "", ""});
    Call alone("aten::cudnn_convolution", *inputs);
    CHECK(work_of(alone).why == NoModel::no_arguments);
    const Shape out = {2, 16, 4, 4};
    Call call("aten::cudnn_convolution", *inputs);
    call.output = &out;
    CHECK(work_of(call).work.flops.n == 2 * 512 * 27);
}

TEST_CASE("attention counts only what a causal mask leaves") {
    const std::string_view types =
        R"(["c10::Half", "c10::Half", "c10::Half", "Scalar", "Scalar", "Scalar", "Scalar"])";
    const std::string_view dims = "[[1, 2, 4, 8], [1, 2, 4, 8], [1, 2, 4, 8], [], [], [], []]";
    check({"aten::_scaled_dot_product_flash_attention", dims, types,
           R"(["", "", "", "0.", "False", "False", "0.125"])", ""},
          2 * 2 * 16 * 16, 3 * 2 * 64, 2 * 64 + 4 * 8);
    const Modelled causal = model_of({"aten::_scaled_dot_product_flash_attention", dims, types,
                                      R"(["", "", "", "0.", "True", "False", "0.125"])", ""});
    CHECK(causal.work.flops.n == 2 * 2 * 10 * 16);  // 4 * 5 / 2 pairs
    CHECK(causal.work.flops_dense.n == 2 * 2 * 16 * 16);
}

TEST_CASE("attention over packed sequences: the length of a single one is exact") {
    const auto packed = [](std::string_view dims, std::string_view concrete) {
        const Modelled m = model_of(
            {"aten::_flash_attention_forward", dims,
             R"(["c10::Half", "c10::Half", "c10::Half", "int", "int", "Scalar", "Scalar", "Scalar", "Scalar", "Scalar"])",
             concrete, ""});
        REQUIRE(m.why == NoModel::none);
        return m.work;
    };
    const Work one = packed("[[6, 2, 8], [6, 2, 8], [6, 2, 8], [2], [2], [], [], [], [], []]",
                            R"(["", "", "", "", "", "6", "6", "0.", "False", "False"])");
    CHECK(one.flops.n == 2 * 2 * 16 * 36);
    CHECK(one.quality == Quality::exact);
    // At least one sequence of 6 and one of 2.
    const Work two = packed("[[8, 2, 8], [8, 2, 8], [8, 2, 8], [3], [3], [], [], [], [], []]",
                            R"(["", "", "", "", "", "6", "6", "0.", "False", "False"])");
    CHECK(two.flops.n == 2 * 2 * 16 * (36 + 4));
    CHECK(two.quality == Quality::at_least);
}

TEST_CASE("elementwise operators broadcast, promote and write in place") {
    check({"aten::add", "[[4, 1], [3], []]", R"(["c10::Half", "float", "Scalar"])",
           R"(["", "", "1"])", ""},
          12, 8 + 12, 4 * 12);
    check({"aten::add_", "[[4, 3], [3], []]", R"(["c10::Half", "float", "Scalar"])",
           R"(["", "", "1"])", ""},
          12, 24 + 12, 24);
    check({"aten::gt", "[[4, 3], []]", R"(["float", "Scalar"])", R"(["", "0"])", ""}, 12, 48, 12);
    check({"aten::mul", "[[4, 3], []]", R"(["long int", "Scalar"])", R"(["", "0.5"])", ""}, 12, 96,
          48);
    // A tensor without dimensions does not widen the result.
    check({"aten::mul", "[[4, 3], []]", R"(["c10::Half", "double"])", R"(["", ""])", ""}, 12,
          24 + 8, 24);
    // A repeated row is in memory once.
    check({"aten::neg", "[[4, 3]]", R"(["float"])", R"([""])", "[[0, 1]]"}, 12, 12, 48);
    check({"aten::neg", "[[0, 3]]", R"(["float"])", R"([""])", ""}, 0, 0, 0);
    // The output tensor is empty before, and has its own type.
    check({"aten::abs", "[[4, 3], [0]]", R"(["float", "double"])", R"(["", ""])", ""}, 12, 48, 96);
    check({"aten::abs", "[[4, 3], [4, 3]]", R"(["float", "float"])", R"(["", ""])", ""}, 12, 48,
          48);
}

TEST_CASE("the length of a range follows from its ends and step") {
    const std::string_view dims = "[[], [], [], [0]]";
    const std::string_view types = R"(["Scalar", "Scalar", "Scalar", "long int"])";
    check({"aten::arange", dims, types, R"(["0", "5", "1", ""])", ""}, 0, 0, 40);
    check({"aten::arange", dims, types, R"(["0", "1.", "0.3", ""])", ""}, 0, 0, 32);
    check({"aten::arange", dims, types, R"(["4", "0", "-2", ""])", ""}, 0, 0, 16);
    check({"aten::arange", "[[], [], [], [7]]", types, "", ""}, 0, 0, 56);
    const auto why = [&](std::string_view concrete) {
        return model_of({"aten::arange", dims, types, concrete, ""}).why;
    };
    CHECK(why("") == NoModel::no_arguments);
    CHECK(why(R"(["a", "5", "1", ""])") == NoModel::no_arguments);
    CHECK(why(R"(["0", "5", "0", ""])") == NoModel::misfit);
    CHECK(why(R"(["0", "5", "-1", ""])") == NoModel::misfit);
    CHECK(why(R"(["nan", "5", "1", ""])") == NoModel::misfit);
    CHECK(why(R"(["0", "1e300", "1", ""])") == NoModel::misfit);
}

TEST_CASE("reductions read all elements and write the remaining ones") {
    const std::string_view types = R"(["float", "ScalarList", "Scalar", ""])";
    check({"aten::sum", "[[4, 8], [], [], []]", types, R"(["", "[-1]", "False", ""])", ""}, 32, 128,
          16);
    check({"aten::sum", "[[4, 8], []]", R"(["float", ""])", R"(["", ""])", ""}, 32, 128, 4);
    check({"aten::argmax", "[[4, 8], [], []]", R"(["float", "Scalar", "Scalar"])",
           R"(["", "1", "False"])", ""},
          32, 128, 32);
    check({"aten::sum", "[[4, 8], [], [], []]", R"(["int", "ScalarList", "Scalar", ""])",
           R"(["", "[0]", "False", ""])", ""},
          32, 128, 64);
}

TEST_CASE("tensors whose types are not recorded have that of the kernel") {
    RecordedCall mm = {"aten::mm", "[[4, 8], [8, 16]]", "", ""};
    CHECK(model_of(mm).why == NoModel::no_type);
    mm.hint = DataType::bf16;
    CHECK(check(mm, 1024, 2 * (32 + 128), 2 * 64).type == DataType::bf16);
}

TEST_CASE("lists of tensors take their type from the kernel") {
    const RecordedCall cat = {"aten::cat", "[[[2, 3], [4, 3]], []]", R"(["TensorList", "Scalar"])",
                              R"(["", "0"])", ""};
    CHECK(model_of(cat).why == NoModel::no_type);
    RecordedCall hinted = cat;
    hinted.hint = DataType::bf16;
    check(hinted, 0, 36, 36);
    hinted.dims = "[[], []]";
    CHECK(model_of(hinted).why == NoModel::hidden_list);
}

TEST_CASE("invalid input has no model and no nonsense figures") {
    const auto why = [](std::string_view name, std::string_view dims, std::string_view types) {
        return model_of({name, dims, types, "", ""}).why;
    };
    CHECK(why("aten::mm", "[[4, 8], [9, 16]]", R"(["float", "float"])") == NoModel::misfit);
    CHECK(why("aten::mm", "[[4, 8]]", R"(["float"])") == NoModel::misfit);
    CHECK(why("aten::dot", "[[8], [7]]", R"(["float", "float"])") == NoModel::misfit);
    CHECK(why("aten::dot", "[[8, 8], [8, 8]]", R"(["float", "float"])") == NoModel::misfit);
    CHECK(why("aten::mm", "[[\"s0\", 8], [8, 16]]", R"(["float", "float"])") ==
          NoModel::unreadable);
    CHECK(why("aten::mm", "[[s0, 8], [8, 16]]", R"(["float", "float"])") == NoModel::unreadable);
    CHECK(why("aten::mm", "[[-1, 8], [8, 16]]", R"(["float", "float"])") == NoModel::unreadable);
    CHECK(why("aten::mm", "[[4, 8], [8, 16]]", R"(["float"])") == NoModel::misfit);
    CHECK(why("aten::mm", "[[4, 8], [8, 16]]", "") == NoModel::no_type);
    CHECK(why("aten::add", "[[4], [3]]", R"(["float", "float"])") == NoModel::misfit);
    CHECK(why("vllm::moe_forward", "[[4, 8]]", R"(["float"])") == NoModel::elsewhere);
    CHECK(why("CompiledFunctionBackward", "[[4, 8]]", R"(["float"])") == NoModel::elsewhere);
    CHECK(why("my::operator", "[[4, 8]]", R"(["float"])") == NoModel::no_rule);
    const Modelled huge =
        model_of({"aten::mm", "[[4000000000, 4000000000], [4000000000, 4000000000]]",
                  R"(["float", "float"])", "", ""});
    REQUIRE(huge);
    CHECK(huge.work.flops.n == INT64_MAX);
    CHECK(huge.cut);
    CHECK_FALSE(huge.work.note.empty());
    CHECK_FALSE(huge.work.has_floor);
    CHECK_FALSE(huge.work.product);  // does not count for MFU
    // Cut numbers stay marked when halved: the pairs that a causal mask leaves.
    CHECK(model_of({"aten::_scaled_dot_product_flash_attention",
                    "[[1, 1, 4000000000, 8], [1, 1, 4000000000, 8], [1, 1, 4000000000, 8], [], []]",
                    R"(["c10::Half", "c10::Half", "c10::Half", "Scalar", "Scalar"])",
                    R"(["", "", "", "0.", "True"])"})
              .cut);
    check({"aten::mm", "[[0, 8], [8, 16]]", R"(["float", "float"])", "", ""}, 0, 512, 0);
}
