// Fuzzes loading of CPU profilers' files: the input alone, and as the parts of files that begin
// well. Two loads must give the same trace, and every slice's arguments must be readable.
#include <string>

#include "tests/fuzz/same_trace.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    using namespace lanescope::testing;
    const std::string input(reinterpret_cast<const char*>(data), size);
    check_same_trace(input);
    if (size == 0) return 0;
    const std::string rest = input.substr(1);
    switch (data[0] % 5) {
        case 0:
            check_same_trace(
                R"({"$schema":"speedscope","shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[)" +
                rest);
            break;
        case 1:
            check_same_trace(R"({"$schema":"speedscope","profiles":[{"unit":"seconds","events":[)" +
                             rest);
            break;
        case 2:
            check_same_trace(
                R"({"nodes":[{"id":1,"callFrame":{"functionName":"f"},"children":[2]},)" + rest);
            break;
        case 3:
            check_same_trace(R"([{"startComputeMs":1,"endComputeMs":2},)" + rest);
            break;
        default:
            check_same_trace("app 7/8 [001] 12.345678: 1000 cycles:\n" + rest);
            break;
    }
    return 0;
}
