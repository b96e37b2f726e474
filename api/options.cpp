#include "api/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/failure.h"

namespace lanescope {

namespace {

using Json = nlohmann::json;

// Each returns what the option takes; empty after it was set.
std::string set(std::string& target, const Json& value) {
    if (value.is_string())
        target = value.get<std::string>();
    else if (value.is_number())
        target = value.dump();
    else
        return "a text";
    return "";
}

std::string set(bool& target, const Json& value) {
    if (value.is_boolean())
        target = value.get<bool>();
    else if (value.is_number_unsigned() && value.get<uint64_t>() <= 1)
        target = value.get<uint64_t>() == 1;
    else
        return "true or false";
    return "";
}

std::string set(std::size_t& target, const Json& value) {
    if (!value.is_number_unsigned()) return "a whole number from 0";
    target = value.get<std::size_t>();
    return "";
}

std::string set(PositiveCount& target, const Json& value) {
    const uint64_t given = value.is_number_unsigned() ? value.get<uint64_t>() : 0;
    if (given == 0 || given > target.most)
        return target.most == UINT64_MAX ? "a whole number from 1"
                                         : fmt::format("a whole number from 1 to {}", target.most);
    target.value = given;
    return "";
}

std::string set(double& target, const Json& value) {
    if (!value.is_number()) return "a number";
    target = value.get<double>();
    return "";
}

std::string set(std::vector<std::string>& target, const Json& value) {
    constexpr const char* takes = "a list of texts";
    if (!value.is_array()) return takes;
    if (!std::ranges::all_of(value, [](const Json& item) { return item.is_string(); }))
        return takes;
    target = value.get<std::vector<std::string>>();
    return "";
}

Error unknown_option(std::string_view what, const std::string& key,
                     std::initializer_list<OptionField> fields) {
    std::string known;
    for (const OptionField& field : fields) known += " " + std::string(field.key);
    return misuse(
        fmt::format("{} has no option {}{}{}", what, key, known.empty() ? "" : "; it has:", known));
}

}  // namespace

Result<void> read_options(const char* json, std::string_view what,
                          std::initializer_list<OptionField> fields) {
    if (!json || !*json) return {};
    const Json object = Json::parse(json, nullptr, false);
    if (!object.is_object()) return misuse(fmt::format("Options of {} are no JSON object", what));
    for (const auto& [written, value] : object.items()) {
        std::string key = written;
        std::ranges::replace(key, '_', '-');
        const auto* const field = std::ranges::find(fields, key, &OptionField::key);
        if (field == fields.end()) return unknown_option(what, written, fields);
        if (value.is_null()) continue;
        const std::string takes =
            std::visit([&v = value](auto* target) { return set(*target, v); }, field->target);
        if (!takes.empty())
            return misuse(fmt::format("Option {} of {} takes {}, not {}", written, what, takes,
                                      value.dump()));
    }
    return {};
}

}  // namespace lanescope
