// Reads the arguments of single events of a JSON trace from its file again.
#pragma once

#include <memory>

#include "core/source/compressed.h"
#include "core/trace/trace.h"

namespace lanescope {

std::unique_ptr<ArgumentReader> make_json_argument_reader(TextReader reader, std::string path);

}  // namespace lanescope
