// Fuzzes loading of gzip files. One worker with large blocks and two with tiny blocks must give the
// same trace.
#include <cstdint>

#include "tests/fuzz/same_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    lanescope::testing::check_same_trace({reinterpret_cast<const char*>(data), size});
    return 0;
}
