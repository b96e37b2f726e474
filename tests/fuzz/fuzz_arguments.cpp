// Fuzzes the models of operators. The input's first line is the operator's name; dims, types,
// strides and values follow on one line each. The text is parsed or rejected, and no operator's
// work is negative.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/models/operator_work.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    using namespace lanescope;
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    std::array<std::string_view, 5> lines;
    for (std::string_view& line : lines) {
        line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    }
    const auto inputs = parse_inputs({lines[1], lines[2], lines[3], lines[4]});
    if (!inputs) return 0;
    Call call(lines[0], *inputs);
    call.hint = DataType::fp16;
    call.parent = *inputs;
    const Modelled modelled = work_of(call);
    const Work& w = modelled.work;
    const bool sound =
        w.bytes_read.n >= 0 && w.bytes_written.n >= 0 && (w.flops.n >= 0 || w.flops.n == kNoValue);
    if (modelled && !sound) {
        std::fprintf(stderr, "an operator's work is negative\n");
        std::abort();
    }
    return 0;
}
