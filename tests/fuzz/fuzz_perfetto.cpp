// Fuzzes loading of Perfetto traces, of the input alone and after packets that are sound. Two loads
// must give the same trace, and every slice's arguments must be readable.
#include <string>

#include "tests/fuzz/same_trace.h"

namespace {

using namespace std::string_literals;

// A thread's track, and a slice on it with an annotation.
const std::string kSoundPackets =
    "\x0a\x11\xe2\x03\x0e\x08\x02\x22\x0a\x08\x07\x10\x08\x2a\x04main"
    "\x0a\x19\x40\x64\x50\x01\x5a\x13\x48\x01\x58\x02\xba\x01\x03out\x22\x07\x52\x03key\x20\x05"
    "\x0a\x0b\x40\xc8\x01\x50\x01\x5a\x04\x48\x02\x58\x02"s;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    using namespace lanescope::testing;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    check_same_trace(input);
    check_same_trace(kSoundPackets + std::string(input));
    return 0;
}
