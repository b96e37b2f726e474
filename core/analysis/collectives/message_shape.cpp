#include "core/analysis/collectives/message_shape.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "core/analysis/collectives/collectives.h"
#include "core/analysis/collectives/distributed_facts.h"

namespace lanescope {

namespace {

using Json = nlohmann::json;

Json parsed(std::string_view text) {
    return Json::parse(text, nullptr, false);
}

// Empty if it is not a list of integers, or one of them is negative.
std::optional<std::vector<int64_t>> numbers_of(const Json& list) {
    if (!list.is_array()) return std::nullopt;
    std::vector<int64_t> numbers;
    for (const Json& item : list) {
        if (!item.is_number_integer() || item.get<int64_t>() < 0) return std::nullopt;
        numbers.push_back(item.get<int64_t>());
    }
    return numbers;
}

}  // namespace

std::optional<MessageShape> message_shape(std::string_view dims, std::string_view types) {
    const Json shapes = parsed(dims);
    const Json names = parsed(types);
    if (!shapes.is_array() || !names.is_array() || shapes.size() != names.size())
        return std::nullopt;
    MessageShape message;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!names[i].is_string()) return std::nullopt;
        const std::string& name = names[i].get_ref<const std::string&>();
        if (name == "TensorList") return std::nullopt;
        if (!bytes_of_dtype(name)) continue;
        const auto sizes = numbers_of(shapes[i]);
        if (!sizes || (!message.dtype.empty() && message.dtype != name)) return std::nullopt;
        int64_t elements = 1;
        for (const int64_t size : *sizes)
            if (__builtin_mul_overflow(elements, size, &elements)) return std::nullopt;
        if (__builtin_add_overflow(message.elements, elements, &message.elements))
            return std::nullopt;
        message.dtype = types.substr(types.find(name), name.size());
    }
    if (message.dtype.empty()) return std::nullopt;
    return message;
}

std::optional<double> sent_share(std::string_view split, std::string_view ranks, int64_t rank) {
    const auto rows = numbers_of(parsed(split));
    const auto group = numbers_of(parsed(ranks));
    if (!rows || !group || rows->empty() || rows->size() != group->size()) return std::nullopt;
    const auto own = std::ranges::find(*group, rank);
    const double all = std::accumulate(rows->begin(), rows->end(), 0.0);
    if (own == group->end() || all <= 0) return std::nullopt;
    return 1 - static_cast<double>((*rows)[static_cast<std::size_t>(own - group->begin())]) / all;
}

int64_t world_size(const Trace& trace) {
    const auto facts = distributed_facts(trace);
    return facts ? facts->world_size.value_or(kNoValue) : kNoValue;
}

int64_t own_rank(const Trace& trace) {
    const auto facts = distributed_facts(trace);
    return facts ? facts->rank.value_or(kNoValue) : kNoValue;
}

}  // namespace lanescope
