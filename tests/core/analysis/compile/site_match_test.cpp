#include "core/analysis/compile/site_match.h"

#include <doctest/doctest.h>

using namespace lanescope;

namespace {

std::vector<CallSite> sites_named(std::initializer_list<const char*> names) {
    std::vector<CallSite> sites;
    for (const char* const name : names) sites.emplace_back().name = name;
    return sites;
}

std::vector<SiteMatch> matches_of(const std::vector<CallSite>& sites,
                                  std::vector<std::string_view> names) {
    return SiteMatcher(sites).match(names);
}

constexpr uint32_t kNoSite = ~uint32_t{0};

}  // namespace

TEST_CASE("names in code and in traces are compared by what they have in common") {
    CHECK(common_name("extern_kernels.addmm") == "addmm");
    CHECK(common_name("aten::addmm") == "addmm");
    CHECK(common_name("torch.ops.aten.topk.default") == "topk");
    CHECK(common_name("aten.randint.low_out") == "randint");
    CHECK(common_name("torch.ops._c10d_functional.all_reduce_.default") == "all_reduce_");
    CHECK(common_name("graph_12_cpp_fused_gelu_1") == "cpp_fused_gelu_1");
    CHECK(common_name("triton_poi_fused_add_0") == "triton_poi_fused_add_0");
    CHECK(common_name("graph_") == "graph_");
}

TEST_CASE("calls in the order of the code are linked by order, also beside others") {
    const auto sites = sites_named({"extern_kernels.mm", "cpp_fused_a_0", "extern_kernels.mm"});
    const auto found =
        matches_of(sites, {"aten::mm", "aten::empty", "graph_0_cpp_fused_a_0", "aten::mm"});
    CHECK(found[0].site == 0);
    CHECK(found[0].grade == LinkGrade::order);
    CHECK(found[1].site == kNoSite);
    CHECK(found[2].site == 1);
    CHECK(found[3].site == 2);
}

TEST_CASE("calls in another order are linked only by names that the code has once") {
    const auto sites = sites_named({"extern_kernels.mm", "cpp_fused_a_0", "extern_kernels.mm"});
    const auto found = matches_of(sites, {"graph_0_cpp_fused_a_0", "aten::mm"});
    CHECK(found[0].site == 1);
    CHECK(found[0].grade == LinkGrade::name);
    CHECK(found[1].site == kNoSite);
    CHECK(matches_of(sites, {}).empty());
    CHECK(matches_of({}, {"aten::mm"})[0].site == kNoSite);
}
