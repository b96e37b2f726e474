#include "core/models/device_specs.h"

#include <doctest/doctest.h>

using namespace lanescope;

namespace {

Device device(std::string name, std::map<DeviceFact, int64_t> facts = {}) {
    return {0, std::move(name), std::move(facts), {}};
}

}  // namespace

TEST_CASE("devices are found in the data sheet by name") {
    const SpecsBook& book = *built_in_specs();
    CHECK(book.sheet.size() == 75);
    const auto h100 =
        find_peaks(book, device("NVIDIA H100 80GB HBM3", {{DeviceFact::multiprocessors, 132}}));
    REQUIRE(h100);
    CHECK(h100->memory_bytes_s == 3352e9);
    CHECK(h100->copy_bytes_s == 64e9);  // half of both directions
    CHECK(h100->cache_bytes == 50.0 * (1 << 20));
    CHECK(h100->rate(DataType::bf16, Pipe::tensor)->per_second == doctest::Approx(989.4e12));
    CHECK(h100->rate(DataType::fp32, Pipe::vector)->spec == Spec::fp32);
    CHECK(h100->remark.empty());
    const auto mi300x =
        find_peaks(book, device("AMD Instinct MI300X", {{DeviceFact::multiprocessors, 304}}));
    REQUIRE(mi300x);
    CHECK(mi300x->cache_bytes == 256.0 * (1 << 20));  // the Infinity Cache
    CHECK(mi300x->specs.architecture == "CDNA3");
    const auto mi210 = find_peaks(book, device("AMD Instinct MI210"));
    REQUIRE(mi210);
    CHECK(mi210->rate(DataType::fp32, Pipe::tensor)->spec == Spec::fp32_matrix);
    CHECK_FALSE(find_peaks(book, device("NVIDIA GeForce RTX 2080 Ti Laptop")));
    CHECK_FALSE(find_peaks(book, device("")));
}

TEST_CASE("an MI300X without a name is guessed, and marked as a guess") {
    const auto guessed =
        find_peaks(*built_in_specs(),
                   device("", {{DeviceFact::multiprocessors, 304}, {DeviceFact::warp_size, 64}}));
    REQUIRE(guessed);
    CHECK_FALSE(guessed->remark.empty());
    CHECK(guessed->cache_bytes == 256.0 * (1 << 20));
    CHECK(guessed->rate(DataType::fp32, Pipe::tensor)->spec == Spec::fp32);
}

TEST_CASE("unconfirmed figures are marked, and a partial device has a partial rate") {
    const SpecsBook& book = *built_in_specs();
    const auto b300 =
        find_peaks(book, device("NVIDIA B300 SXM6 AC", {{DeviceFact::multiprocessors, 148}}));
    REQUIRE(b300);
    CHECK(b300->specs.figure(Spec::l2_mib).uncertain);
    const auto slice =
        find_peaks(book, device("NVIDIA H100 80GB HBM3", {{DeviceFact::multiprocessors, 66}}));
    REQUIRE(slice);
    CHECK(slice->rate(DataType::fp16, Pipe::tensor)->per_second == doctest::Approx(494.7e12));
    CHECK_FALSE(slice->remark.empty());
}

TEST_CASE("a V100 has no TF32: the peak is that of its fp32 units") {
    const auto v100 = find_peaks(
        *built_in_specs(), device("Tesla V100-SXM2-16GB", {{DeviceFact::multiprocessors, 80}}));
    REQUIRE(v100);
    CHECK(v100->rate(DataType::tf32, Pipe::tensor)->spec == Spec::fp32);
}

TEST_CASE("the user's file adds devices and overrides figures") {
    SpecsBook book = *built_in_specs();
    const auto own = parse_specs(
        R"([{"name": "*H100*", "figures": {"bf16_tensor": 794}}, {"name": "Mine", "figures": {"fp32": 1}}])");
    REQUIRE(own);
    book.own = *own;
    const auto h100 =
        find_peaks(book, device("NVIDIA H100 80GB HBM3", {{DeviceFact::multiprocessors, 132}}));
    REQUIRE(h100);
    CHECK(h100->rate(DataType::bf16, Pipe::tensor)->per_second == doctest::Approx(794e12));
    CHECK(h100->memory_bytes_s == 3352e9);
    const auto mine = find_peaks(book, device("Mine"));
    REQUIRE(mine);
    CHECK_FALSE(mine->rate(DataType::fp64, Pipe::vector));
    CHECK(mine->memory_bytes_s == 0);
}

TEST_CASE("an invalid list of devices is refused") {
    for (const char* text :
         {"", "{}", "[1]", R"([{"name": "x"}])", R"([{"name": "x", "figures": {"speed": 1}}])",
          R"([{"name": "x", "figures": {"fp32": -1}}])",
          R"([{"name": "x", "figures": {"fp32": "1"}}])"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_specs(text));
    }
}
