// CPU profiles of V8: what Chrome, Node.js and others save as .cpuprofile.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& cpuprofile_format();

}  // namespace lanescope
