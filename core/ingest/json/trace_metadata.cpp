#include "core/ingest/json/trace_metadata.h"

#include <nlohmann/json.hpp>

#include "core/ingest/json/json_number.h"
#include "core/trace/devices.h"
#include "core/trace/producers.h"

namespace lanescope {

namespace {

using Json = nlohmann::json;

void read_devices(const Json& list, Trace& trace) {
    if (!list.is_array()) return;
    for (const Json& entry : list) {
        if (!entry.is_object()) continue;
        Device device;
        for (const auto& [key, value] : entry.items()) {
            if (key == "name" && value.is_string()) device.name = value.get<std::string>();
            if (key == "id" && value.is_number_integer()) device.id = value.get<int32_t>();
            if (!value.is_number_integer()) continue;
            if (const auto fact = device_fact(key))
                device.facts[*fact] = value.get<int64_t>();
            else
                device.more[key] = value.get<int64_t>();
        }
        trace.devices.push_back(std::move(device));
    }
}

bool has_category(const Trace& trace, std::string_view name) {
    for (const Category& category : trace.categories)
        if (trace.strings[category.name] == name) return true;
    return false;
}

std::string producer_of(const Trace& trace, bool has_schema) {
    const bool torch =
        has_schema || has_category(trace, "cpu_op") || has_category(trace, "Operator");
    if (torch) return "PyTorch profiler (Kineto)";
    for (const auto& [key, value] : trace.metadata) {
        if (key == "viztracer_metadata") return "VizTracer";
        if (key == "beginningOfTime") return std::string(kClangTimeTrace);
        if (key == "otherData" && value.find("bazel_version") != std::string::npos) return "Bazel";
    }
    return "";
}

}  // namespace

void read_metadata(Trace& trace) {
    bool has_schema = false;
    for (const auto& [key, value] : trace.metadata) {
        if (key == "deviceProperties") read_devices(Json::parse(value, nullptr, false), trace);
        if (key == "schemaVersion") has_schema = true;
        if (key == "lanescope_synthetic") trace.synthetic = value != "0" && value != "false";
        if (key == "baseTimeNanoseconds") trace.base_unix_nanos = parse_integer(value).value_or(0);
    }
    trace.facts.producer =
        trace.synthetic ? "Lanescope (synthetic)" : producer_of(trace, has_schema);
    trace.facts.format = trace.facts.producer.starts_with("PyTorch") || trace.synthetic
                             ? "kineto-json"
                             : "chrome-json";
}

}  // namespace lanescope
