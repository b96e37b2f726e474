// Reads the arguments of single events again from a spool file.
#pragma once

#include <memory>

#include "core/source/file.h"
#include "core/trace/trace.h"

namespace lanescope {

std::unique_ptr<ArgumentReader> make_spool_argument_reader(std::shared_ptr<InputFile> file);

}  // namespace lanescope
