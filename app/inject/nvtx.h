// Intercepts NVTX's calls: puts our functions into its tables.
#pragma once

namespace lanescope {

// `get_export_table`: the function that NVTX passes to an injected library. False if the tables are
// missing.
bool take_nvtx(const void* (*get_export_table)(unsigned));

}  // namespace lanescope
