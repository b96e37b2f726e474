// Takes NVTX's calls: puts our functions into the slots of its tables.
#pragma once

namespace lanescope {

// `get_export_table`: what NVTX hands to an injected library. False when it has not the tables.
bool take_nvtx(const void* (*get_export_table)(unsigned));

}  // namespace lanescope
