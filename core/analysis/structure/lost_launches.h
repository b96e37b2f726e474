// Launches whose work is not recorded, by step.
#pragma once

#include <cstdint>
#include <vector>

namespace lanescope {

class TraceContext;

struct LostLaunches {
    std::vector<uint32_t> rows;     // of Trace::runtime_calls, by time: launches_without_record()
    std::vector<uint32_t> of_step;  // how many of them each step of Steps::all made
    // By step: more than 5 % of its launches are lost, so that its figures of the GPU are wrong.
    std::vector<bool> is_lacking;

    static LostLaunches compute(const TraceContext& context);
};

}  // namespace lanescope
