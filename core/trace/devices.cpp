#include "core/trace/devices.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

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

constexpr std::string_view kUsualWord = "GPU";

// Names of the trace that contain the word, and more than it.
std::vector<std::string_view> names_with_usual_word(const Trace& trace) {
    std::vector<std::string_view> names;
    for (StringId id = 0; id < trace.strings.size(); ++id) {
        const std::string_view name = trace.strings[id];
        if (name.size() > kUsualWord.size() + 1 && name.find(kUsualWord) != std::string_view::npos)
            names.push_back(name);
    }
    return names;
}

bool is_in_name(std::string_view sentence, std::size_t at,
                const std::vector<std::string_view>& names) {
    return std::ranges::any_of(names, [&](std::string_view name) {
        for (std::size_t in_name = name.find(kUsualWord); in_name != std::string_view::npos;
             in_name = name.find(kUsualWord, in_name + 1))
            if (at >= in_name && sentence.substr(at - in_name).starts_with(name)) return true;
        return false;
    });
}

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
    const std::string_view word = device_word(trace);
    if (word == kUsualWord || sentence.find(kUsualWord) == std::string::npos) return sentence;
    const std::vector<std::string_view> names = names_with_usual_word(trace);
    const auto is_letter = [&](std::size_t at) {
        return at < sentence.size() &&
               (std::isalnum(static_cast<unsigned char>(sentence[at])) != 0 || sentence[at] == '_');
    };
    for (std::size_t at = sentence.find(kUsualWord); at != std::string::npos;
         at = sentence.find(kUsualWord, at + 1)) {
        const std::size_t end = at + kUsualWord.size();
        const bool plural = end < sentence.size() && sentence[end] == 's' && !is_letter(end + 1);
        if (!(at > 0 && is_letter(at - 1)) && (plural || !is_letter(end)) &&
            !is_in_name(sentence, at, names))
            sentence.replace(at, kUsualWord.size(), word);
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
