#include "core/ingest/kineto/call_sequence.h"

#include <nlohmann/json.hpp>

#include "core/ingest/json/json_number.h"

namespace lanescope {

std::optional<int64_t> call_sequence(std::string_view types, std::string_view values) {
    if (types.empty() || values.empty()) return std::nullopt;
    const auto kinds = nlohmann::json::parse(types, nullptr, false);
    const auto inputs = nlohmann::json::parse(values, nullptr, false);
    if (!kinds.is_array() || !inputs.is_array() || kinds.size() != inputs.size())
        return std::nullopt;
    for (std::size_t i = 0; i < kinds.size() && i < 2; ++i) {
        if (kinds[i] != "Scalar") continue;
        if (!inputs[i].is_string()) return std::nullopt;
        return parse_integer(inputs[i].get_ref<const std::string&>());
    }
    return std::nullopt;
}

}  // namespace lanescope
