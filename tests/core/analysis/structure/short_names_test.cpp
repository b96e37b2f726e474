#include "core/analysis/structure/short_names.h"

#include <doctest/doctest.h>

#include <ctime>
#include <set>
#include <string>
#include <vector>

#include "core/trace/kernel_label.h"

using namespace lanescope;

namespace {

std::vector<std::string> different_labels(const std::vector<std::string_view>& names) {
    std::vector<std::string> labels;
    for (const std::string_view name : names) labels.push_back(kernel_label(name));
    tell_apart(names, labels);
    return labels;
}

}  // namespace

TEST_CASE("kernels with one label are told apart by the arguments in which they differ") {
    CHECK(different_labels({"Cijk_Ailk_Bljk_HHS_BH_MT16x16x64_SN_GRVWA2_WG16_4",
                            "ampere_sgemm_128x64_nn",
                            "Cijk_Ailk_Bljk_HHS_BH_MT16x16x64_SN_GRVWA4_WG16_8"}) ==
          std::vector<std::string>{"GEMM 16×16×64 f16 NN Tensile GRVWA2 4",
                                   "GEMM 128×64 f32 NN ampere",
                                   "GEMM 16×16×64 f16 NN Tensile GRVWA4 8"});
    CHECK(different_labels({"void f<0123456789>(int)", "void f<9876543210>(int)"}) ==
          std::vector<std::string>{"f 0123456789", "f 9876543210"});
}

TEST_CASE("kernels that differ in their parameters only are told apart by these") {
    CHECK(different_labels({"void pool<float>(int, long)", "void pool<float>(int, float)"}) ==
          std::vector<std::string>{"pool<f32> long", "pool<f32> float"});
}

TEST_CASE("a number made from the name tells names apart that differ too much for a label") {
    const std::string a = "void f<9876543210>(" + std::string(60, 'a') + ")";
    const std::string b = "void f<9876543210>(" + std::string(61, 'a') + ")";
    const std::vector<std::string> labels = different_labels({a, b});
    CHECK(labels[0] != labels[1]);
    CHECK(labels[0].starts_with("f #"));
    CHECK(different_labels({b, a}) == std::vector<std::string>{labels[1], labels[0]});
}

TEST_CASE("a label with its suffix keeps to the longest length") {
    const std::string name = "triton_red_fused_" + std::string(80, 'x') + "_slice_";
    for (const std::string& label : different_labels({name + "1_", name + "1__"}))
        CHECK(characters_of(label) <= kLongestLabel);
    CHECK(different_labels({name + "1", name + "2"})[0].ends_with("_slice_1"));
}

TEST_CASE("names whose numbers are equal have labels of their own") {
    const std::string same(20, 'a');
    std::vector<std::string> names;
    for (const char* const part : {"bvyzalbz", "bvyzivye", "jlbealbz", "jlbeivye"})
        names.push_back("void f<9876543210>(" + same + part + same + ")");
    const std::vector<std::string> expected = {"f #59e5a9", "f #59e5a9-2", "f #59e5a9-3",
                                               "f #59e5a9-4"};
    CHECK(different_labels({names.begin(), names.end()}) == expected);
    CHECK(different_labels({names.rbegin(), names.rend()}) ==
          std::vector<std::string>{expected.rbegin(), expected.rend()});
}

TEST_CASE("thousands of long names with one label are told apart at once") {
    constexpr int kNames = 2000;
    std::string common;
    for (int i = 0; i < 150; ++i) common += "_t" + std::to_string(i);
    std::vector<std::string> names;
    for (int i = 0; i < kNames; ++i) names.push_back("k" + std::to_string(10000 + i) + common);
    const std::vector<std::string_view> views(names.begin(), names.end());
    std::vector<std::string> labels(names.size(), "k");
    const std::clock_t begin = std::clock();
    tell_apart(views, labels);
    // Some hundredths of a second of the processor; comparing all names for each one takes a
    // thousand times as long.
    CHECK(std::clock() - begin < 2 * CLOCKS_PER_SEC);
    CHECK(std::set(labels.begin(), labels.end()).size() == names.size());
    CHECK(labels[0] == "k k10000");
}
