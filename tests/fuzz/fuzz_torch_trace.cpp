// Fuzzes loading of TORCH_TRACE logs: of the input as a log, and as payloads of the records that
// the reader understands. Two loads must give the same trace, and the arguments of every event must
// be readable.
#include <array>
#include <cstdint>

#include "tests/fuzz/same_trace.h"

namespace {

constexpr std::array kHeads = {
    R"({"chromium_event": {}, "frame_id": 0, "frame_compile_id": 0, "attempt": 0})",
    R"({"artifact": {"name": "inductor_post_grad_graph"}, "frame_id": 0, "frame_compile_id": 0})",
    R"({"inductor_output_code": {"filename": "/a/b.py"}, "frame_id": 0, "frame_compile_id": 0})",
    R"({"artifact": {"name": "inductor_provenance_tracking_node_mappings"}, "frame_id": 0})",
    R"({"artifact": {"name": "inductor_provenance_tracking_kernel_stack_traces"}, "frame_id": 0})",
    R"({"artifact": {"name": "fx_graph_cache_miss"}, "frame_id": 0, "frame_compile_id": 0})",
    R"({"artifact": {"name": "recompile_reasons"}, "frame_id": 0, "frame_compile_id": 1})",
    R"({"artifact": {"name": "dynamo_graph_break_reason"}, "frame_id": 0, "frame_compile_id": 1})",
};

// A record for each line of the input, whose first byte chooses the type.
std::string log_of(std::string_view input) {
    const std::string prefix = "V1121 07:36:34.963000 17809 torch/a.py:2473] ";
    std::string log = prefix + R"({"chromium_event": {}, "frame_id": 0, "frame_compile_id": 0})"
                               "\n"
                               "\t{\"name\": \"first\", \"ts\": 1000.5, \"ph\": \"i\"}\n";
    while (!input.empty()) {
        const std::string_view line = input.substr(0, input.find('\n'));
        input.remove_prefix(std::min(input.size(), line.size() + 1));
        if (line.empty()) continue;
        const auto kind = static_cast<unsigned char>(line.front()) % kHeads.size();
        log += prefix + kHeads[kind] + "\n\t" + std::string(line.substr(1)) + "\n";
    }
    return log;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    using namespace lanescope::testing;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    if (input.starts_with("V1121 ")) {
        check_same_trace(input);
        return 0;
    }
    check_same_trace(log_of(input));
    return 0;
}
