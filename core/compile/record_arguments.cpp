#include "core/compile/record_arguments.h"

#include <optional>

#include "core/compile/record_json.h"
#include "core/compile/torch_log.h"

namespace lanescope {

namespace {

using OrderedJson = nlohmann::ordered_json;

std::string dumped(const OrderedJson& value) {
    return value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

void add_members(std::vector<RecordArgument>& list, const OrderedJson& object) {
    for (const auto& [key, value] : object.items()) {
        if (value.is_string())
            list.push_back({key, value.get<std::string>(), true});
        else
            list.push_back({key, dumped(value), false});
    }
}

// Parses the record without the text that follows it.
std::vector<RecordArgument> arguments_of(const TorchRecord& record) {
    std::vector<RecordArgument> list;
    if (const OrderedJson head = record_json<OrderedJson>(record.head); head.is_object()) {
        for (const auto& [key, value] : head.items()) {
            if (key == "has_payload" || (value.is_object() && value.empty()) || value.is_null())
                continue;
            if (value.is_object())
                add_members(list, value);
            else
                list.push_back({key, dumped(value), false});
        }
    }
    if (record.payload.empty()) return list;
    const OrderedJson payload = record_json<OrderedJson>(record.payload);
    if (!payload.is_object()) {
        list.push_back({"payload", std::string(record.payload), true});
        return list;
    }
    for (const auto& [key, value] : payload.items()) {
        if (key == "args" && value.is_object())
            add_members(list, value);
        else
            add_members(list, OrderedJson{{key, value}});
    }
    return list;
}

}  // namespace

std::vector<RecordArgument> record_arguments(std::string_view text) {
    std::optional<std::vector<RecordArgument>> found;
    TorchLogSplitter records([&](const TorchRecord& record) {
        if (!found) found = arguments_of(record);
    });
    // The record ends before the first line that does not start with a tab.
    std::size_t end = text.find('\n');
    while (end != std::string_view::npos && text.substr(end + 1).starts_with('\t'))
        end = text.find('\n', end + 1);
    records.add(text.substr(0, end));
    records.finish();
    return found.value_or(std::vector<RecordArgument>());
}

}  // namespace lanescope
