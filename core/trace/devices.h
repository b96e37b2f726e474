// Finds the description of a GPU in a trace, in which several files may have a GPU 0 each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/trace/trace.h"

namespace lanescope {

// The device of a part (0 in a trace of one file) with this ordinal; null: the file describes none.
const Device* device_of(const Trace& trace, uint32_t part, int32_t id);

// Returns the device with this ordinal. If the part's file describes only devices with other
// ordinals, and all of them have the same name, returns one of them. Otherwise returns null. A
// process may number its devices from 0 and the file by the machine, and files of several ranks may
// describe only one of several equal devices.
const Device* device_like(const Trace& trace, uint32_t part, int32_t id);

// "TPU" or "NPU" if the names of all described devices contain this word; otherwise "GPU".
std::string_view device_word(const Trace& trace);
// Replaces the word "GPU" in a sentence by device_word(), except in names of the trace.
std::string in_device_words(const Trace& trace, std::string sentence);

// The name of a fact in files and in the output of commands: "numSms".
std::string_view device_fact_name(DeviceFact fact);
std::optional<DeviceFact> device_fact(std::string_view name);
// All numbers of a device by their names.
std::map<std::string, int64_t> named_facts(const Device& device);

}  // namespace lanescope
