// Reads the arguments of single events again from the file of a JSON trace.
#pragma once

#include <memory>

#include "core/source/compressed.h"
#include "core/trace/trace.h"

namespace lanescope {

std::unique_ptr<ArgumentReader> make_json_argument_reader(TextReader reader, std::string path);

}  // namespace lanescope
