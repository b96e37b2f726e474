#include "core/analysis/collectives/distributed_facts.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace lanescope {

namespace {

using Json = nlohmann::json;

std::optional<int64_t> number_member(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number_integer()) return std::nullopt;
    return found->get<int64_t>();
}

std::string text_member(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// A list member of an object; an empty list if there is none.
Json list_member(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_array() ? *found : Json::array();
}

ProcessGroupFacts group_facts(const Json& group) {
    ProcessGroupFacts facts;
    facts.name = text_member(group, "pg_name");
    facts.description = text_member(group, "pg_desc");
    facts.backend = text_member(group, "backend_config");
    facts.size = number_member(group, "pg_size");
    for (const Json& rank : list_member(group, "ranks"))
        if (rank.is_number_integer()) facts.ranks.push_back(rank.get<int64_t>());
    return facts;
}

}  // namespace

std::optional<DistributedFacts> distributed_facts(const Trace& file) {
    const auto found = std::ranges::find(file.metadata, "distributedInfo",
                                         &std::pair<std::string, std::string>::first);
    if (found == file.metadata.end()) return std::nullopt;
    const Json info = Json::parse(found->second, nullptr, false);
    if (!info.is_object()) return std::nullopt;
    DistributedFacts facts;
    facts.rank = number_member(info, "rank");
    facts.world_size = number_member(info, "world_size");
    facts.backend = text_member(info, "backend");
    for (const Json& group : list_member(info, "pg_config"))
        if (group.is_object()) facts.groups.push_back(group_facts(group));
    return facts;
}

}  // namespace lanescope
