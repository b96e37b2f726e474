// The text of a trace, valid or not. Loaded as a whole by one worker, and in tiny blocks by two.
#include <cstdint>

#include "tests/fuzz/same_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    lanescope::testing::check_same_trace({reinterpret_cast<const char*>(data), size});
    return 0;
}
