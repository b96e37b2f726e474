// Reads the arguments of events again from the file of a JSON trace.
#pragma once

#include <memory>

#include "core/ingest/argument_scan.h"
#include "core/source/compressed.h"
#include "core/trace/trace.h"

namespace lanescope {

std::unique_ptr<ArgumentReader> make_json_argument_reader(TextReader reader, std::string path);
std::unique_ptr<ArgumentScan> make_json_argument_scan(std::shared_ptr<InputFile> file,
                                                      Compression compression);

}  // namespace lanescope
