// Fuzzes loading of Spall files, of the input alone and after a valid header. Two loads must give
// the same trace, and every slice's arguments must be readable.
#include "tests/core/ingest/spall_file.h"
#include "tests/fuzz/same_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    using namespace lanescope::testing;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    check_same_trace(input);
    check_same_trace(SpallFile(0.25).bytes() + std::string(input));
    return 0;
}
