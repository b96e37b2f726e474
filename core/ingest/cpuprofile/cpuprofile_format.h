// V8 CPU profiles: .cpuprofile files of Chrome, Node.js and others.
#pragma once

#include "core/ingest/format.h"

namespace lanescope {

const Format& cpuprofile_format();

}  // namespace lanescope
