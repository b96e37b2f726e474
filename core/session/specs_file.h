// Loads what devices can do: the embedded sheet, with the user's files in front of it.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/models/device_specs.h"

namespace lanescope {

// Reads gpu_specs.json in the user's configuration folder, if it exists, and `file` unless empty;
// the latter takes precedence. Errors: a file cannot be read, or is not a list of devices.
Result<SpecsBookPtr> load_specs(const std::string& file);

}  // namespace lanescope
