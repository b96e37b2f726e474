// Matches the calls that a compiled graph made with the calls in the graph's code.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/compile/compiled_code.h"

namespace lanescope {

struct SiteMatch {
    uint32_t site = ~uint32_t{0};  // ~0: no site
    LinkGrade grade = LinkGrade::id;
};

// `names`: operators and kernels that one run of the graph called, in order. If the names that also
// occur in the code have the code's order, every one of them is linked by order; otherwise only
// names that occur once in the code are linked.
class SiteMatcher {
  public:
    explicit SiteMatcher(std::span<const CallSite> sites);
    std::vector<SiteMatch> match(std::span<const std::string_view> names) const;

  private:
    std::vector<std::string_view> names_;  // of the sites, from common_name()
    std::map<std::string_view, std::vector<uint32_t>> by_name_;
};

// The part of a name that generated code and traces share: "addmm" of "extern_kernels.addmm",
// "aten::addmm" and "torch.ops.aten.addmm.default". A kernel keeps its name without "graph_0_".
std::string_view common_name(std::string_view name);

}  // namespace lanescope
