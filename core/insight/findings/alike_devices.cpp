#include "core/insight/findings/alike_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/format.h"
#include "core/insight/findings/rule_list.h"

namespace lanescope {

namespace {

constexpr std::size_t kFewestDevices = 3;
constexpr double kAlike = 0.85;  // least ratio of the smaller share to the larger one

// Indices in Findings::all, which is sorted by cost, of findings of one rule.
using Group = std::vector<uint32_t>;

std::vector<Group> groups_of(const std::vector<Finding>& all) {
    std::map<std::string_view, std::vector<Group>> by_rule;
    for (uint32_t i = 0; i < all.size(); ++i) {
        const Finding& finding = all[i];
        // The late rank differs between devices.
        if (finding.device == Finding::kNoDevice || !finding.cost ||
            finding.rule == id_of<LateRankRule>())
            continue;
        std::vector<Group>& groups = by_rule[finding.rule];
        const auto group = std::ranges::find_if(groups, [&](const Group& one) {
            const bool has_device = std::ranges::any_of(
                one, [&](uint32_t other) { return all[other].device == finding.device; });
            const Finding& largest = all[one.front()];
            const auto [less, more] = std::minmax(finding.share, largest.share);
            return !has_device && less >= kAlike * more &&
                   finding.confidence == largest.confidence && finding.advice == largest.advice;
        });
        if (group == groups.end())
            groups.push_back({i});
        else
            group->push_back(i);
    }
    std::vector<Group> several;
    for (auto& [rule, groups] : by_rule)
        for (Group& group : groups)
            if (group.size() >= kFewestDevices) several.push_back(std::move(group));
    return several;
}

}  // namespace

void keep_one_of_alike(Findings& found) {
    std::vector<bool> repeats(found.all.size(), false);
    for (const Group& group : groups_of(found.all)) {
        Finding& largest = found.all[group.front()];
        double least = found.all[group[1]].share;
        double most = least;
        for (std::size_t i = 1; i < group.size(); ++i) {
            const Finding& other = found.all[group[i]];
            largest.alike.push_back(other.device);
            least = std::min(least, other.share);
            most = std::max(most, other.share);
            repeats[group[i]] = true;
        }
        std::ranges::sort(largest.alike);
        const std::string from = format_percent(least);
        const std::string to = format_percent(most);
        largest.evidence.push_back(
            {fmt::format("{} more GPUs lose {} of their time in the same way", largest.alike.size(),
                         from == to ? from : fmt::format("{} to {}", from, to)),
             static_cast<double>(largest.alike.size()), "", ""});
    }
    std::vector<Finding> kept;
    for (std::size_t i = 0; i < found.all.size(); ++i)
        (repeats[i] ? found.repeated : kept).push_back(std::move(found.all[i]));
    found.all = std::move(kept);
}

}  // namespace lanescope
