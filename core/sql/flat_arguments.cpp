#include "core/sql/flat_arguments.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/json_line.h"

namespace lanescope {

namespace {

void flatten_json(const nlohmann::json& value, const std::string& flat_key, const std::string& key,
                  std::vector<FlatArgument>& flat) {
    if (value.is_object()) {
        for (const auto& [name, inner] : value.items())
            flatten_json(inner, flat_key + "." + name, key + "." + name, flat);
    } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i)
            flatten_json(value[i], flat_key, fmt::format("{}[{}]", key, i), flat);
    } else {
        FlatArgument& one = flat.emplace_back(FlatArgument{flat_key, key, {}, value.is_boolean()});
        const bool exceeds_int64 = value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX;
        if (value.is_boolean())
            one.value = int64_t{value.get<bool>()};
        else if (value.is_number_integer() && !exceeds_int64)
            one.value = value.get<int64_t>();
        else if (value.is_number())
            one.value = value.get<double>();
        else if (value.is_string())
            one.value = value.get<std::string>();
    }
}

}  // namespace

void flatten(const Argument& argument, std::vector<FlatArgument>& flat) {
    const std::string key = std::string(kArgumentPrefix) + argument.name;
    if (argument.is_string) {
        flat.push_back({key, key, argument.value, false});
        return;
    }
    int64_t whole = 0;
    const char* const end = argument.value.data() + argument.value.size();
    const auto [stop, error] = std::from_chars(argument.value.data(), end, whole);
    if (error == std::errc() && stop == end) {
        flat.push_back({key, key, whole, false});
        return;
    }
    const auto json = is_nested_deeply(argument.value)
                          ? nlohmann::json(nlohmann::json::value_t::discarded)
                          : nlohmann::json::parse(argument.value, nullptr, false);
    if (json.is_discarded())
        flat.push_back({key, key, argument.value, false});
    else
        flatten_json(json, key, key, flat);
}

bool is_part_of(std::string_view key, std::string_view argument) {
    if (!key.starts_with(kArgumentPrefix)) return false;
    key.remove_prefix(kArgumentPrefix.size());
    if (!key.starts_with(argument)) return false;
    return key.size() == argument.size() || key[argument.size()] == '[' ||
           key[argument.size()] == '.';
}

}  // namespace lanescope
