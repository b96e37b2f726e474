#include "core/insight/findings/rule_list.h"

namespace lanescope {

namespace {

template <typename... Rules>
std::vector<FindingRule> all_of(RuleTypes<Rules...> /*rules*/) {
    return {rule_of<Rules>()...};
}

}  // namespace

std::span<const FindingRule> rules() {
    static const std::vector<FindingRule> all = all_of(AllRules());
    return all;
}

}  // namespace lanescope
