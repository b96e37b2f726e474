// Reads the arguments of single events again from a spool file.
#pragma once

#include <memory>

#include "core/ingest/argument_scan.h"
#include "core/source/file.h"
#include "core/trace/trace.h"

namespace lanescope {

std::unique_ptr<ArgumentReader> make_spool_argument_reader(std::shared_ptr<InputFile> file);
std::unique_ptr<ArgumentScan> make_spool_argument_scan(std::shared_ptr<InputFile> file);

}  // namespace lanescope
