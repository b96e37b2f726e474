// Names of functions as a comparison reads them: without what differs from run to run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanescope {

// A Python function without folders, line and addresses: "/home/a/train.py(42): step" becomes
// "train.py: step". Other names are unchanged.
std::string function_name(std::string_view name);

// The name without the number of an instance at its end: "nn.Module: Linear_3" becomes
// "nn.Module: Linear". Only of modules.
std::string_view name_of_any_instance(std::string_view name);

uint64_t hash_of_name(std::string_view name);

}  // namespace lanescope
