// What devices can do, as this user has it: the sheet of the program, and files in front of it.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/models/device_specs.h"

namespace lanescope {

// gpu_specs.json in the user's configuration folder, where there is one, and `file` unless empty;
// the file wins. Errors: it cannot be read, or is no list of devices.
Result<SpecsBookPtr> load_specs(const std::string& file);

}  // namespace lanescope
