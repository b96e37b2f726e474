// Spall files of any records: parsed or refused, twice with the same result; every slice's
// arguments can be read.
#include "tests/core/ingest/spall_file.h"
#include "tests/fuzz/same_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    using namespace lanescope::testing;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    check_same_trace(input);
    check_same_trace(SpallFile(0.25).bytes() + std::string(input));
    return 0;
}
