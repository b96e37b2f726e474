#include "core/trace/devices.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace lanescope {

namespace {

// In the order of DeviceFact.
constexpr std::array<std::string_view, 14> kFactNames = {
    "totalGlobalMem",
    "computeMajor",
    "computeMinor",
    "numSms",
    "warpSize",
    "maxThreadsPerBlock",
    "maxThreadsPerMultiprocessor",
    "regsPerBlock",
    "regsPerMultiprocessor",
    "sharedMemPerBlock",
    "sharedMemPerBlockOptin",
    "sharedMemPerMultiprocessor",
    "l2CacheSize",
    "maxSharedMemoryPerMultiProcessor",
};

}  // namespace

std::string_view device_word(const Trace& trace) {
    for (const std::string_view word : {"TPU", "NPU"})
        if (!trace.devices.empty() && std::ranges::all_of(trace.devices, [&](const Device& device) {
                return device.name.find(word) != std::string::npos;
            }))
            return word;
    return "GPU";
}

std::string in_device_words(const Trace& trace, std::string sentence) {
    constexpr std::string_view usual = "GPU";
    const std::string_view word = device_word(trace);
    if (word == usual) return sentence;
    const auto is_letter = [&](std::size_t at) {
        return at < sentence.size() &&
               (std::isalnum(static_cast<unsigned char>(sentence[at])) != 0 || sentence[at] == '_');
    };
    for (std::size_t at = sentence.find(usual); at != std::string::npos;
         at = sentence.find(usual, at + 1)) {
        const std::size_t end = at + usual.size();
        const bool plural = end < sentence.size() && sentence[end] == 's' && !is_letter(end + 1);
        if (!(at > 0 && is_letter(at - 1)) && (plural || !is_letter(end)))
            sentence.replace(at, usual.size(), word);
    }
    return sentence;
}

std::string_view device_fact_name(DeviceFact fact) {
    return kFactNames[static_cast<std::size_t>(fact)];
}

std::optional<DeviceFact> device_fact(std::string_view name) {
    const auto* const found = std::ranges::find(kFactNames, name);
    if (found == kFactNames.end()) return std::nullopt;
    return static_cast<DeviceFact>(found - kFactNames.begin());
}

std::map<std::string, int64_t> named_facts(const Device& device) {
    std::map<std::string, int64_t> named = device.more;
    for (const auto& [fact, value] : device.facts)
        named[std::string(device_fact_name(fact))] = value;
    return named;
}

const Device* device_of(const Trace& trace, uint32_t part, int32_t id) {
    for (const Device& device : trace.devices)
        if (device.part == part && device.id == id) return &device;
    return nullptr;
}

const Device* device_like(const Trace& trace, uint32_t part, int32_t id) {
    if (const Device* const device = device_of(trace, part, id)) return device;
    const Device* any = nullptr;
    for (const Device& device : trace.devices) {
        if (device.part != part) continue;
        if (any && any->name != device.name) return nullptr;
        if (!any) any = &device;
    }
    return any;
}

}  // namespace lanescope
