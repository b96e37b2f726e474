#include "core/analysis/compile/site_match.h"

#include <algorithm>

namespace lanescope {

std::string_view common_name(std::string_view name) {
    if (const std::size_t colons = name.rfind("::"); colons != std::string_view::npos)
        return name.substr(colons + 2);
    constexpr std::string_view graph = "graph_";
    if (name.starts_with(graph)) {
        const std::size_t end = name.find('_', graph.size());
        return end == std::string_view::npos ? name : name.substr(end + 1);
    }
    if (name.starts_with("extern_kernels.")) return name.substr(name.rfind('.') + 1);
    constexpr std::string_view ops = "torch.ops.";
    std::string_view rest = name.starts_with(ops) ? name.substr(ops.size()) : name;
    if (!name.starts_with(ops) && !name.starts_with("aten.")) return name;
    // "aten.addmm.default"
    const std::size_t space = rest.find('.');
    if (space == std::string_view::npos) return rest;
    rest.remove_prefix(space + 1);
    return rest.substr(0, rest.find('.'));
}

SiteMatcher::SiteMatcher(std::span<const CallSite> sites) {
    for (const CallSite& site : sites) {
        by_name_[common_name(site.name)].push_back(static_cast<uint32_t>(names_.size()));
        names_.push_back(common_name(site.name));
    }
}

std::vector<SiteMatch> SiteMatcher::match(std::span<const std::string_view> names) const {
    std::vector<SiteMatch> matches(names.size());
    std::vector<std::size_t> known;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (by_name_.contains(common_name(names[i]))) known.push_back(i);
    const bool in_order =
        std::ranges::equal(known, names_, {}, [&](std::size_t i) { return common_name(names[i]); });
    for (std::size_t k = 0; k < known.size(); ++k) {
        const auto& places = by_name_.at(common_name(names[known[k]]));
        if (in_order)
            matches[known[k]] = {static_cast<uint32_t>(k), LinkGrade::order};
        else if (places.size() == 1)
            matches[known[k]] = {places.front(), LinkGrade::name};
    }
    return matches;
}

}  // namespace lanescope
