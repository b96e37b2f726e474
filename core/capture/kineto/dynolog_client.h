// Requests captures of PyTorch processes from a dynolog daemon on this machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

inline constexpr uint16_t kDynologPort = 1778;

struct DynologReply {
    std::vector<int32_t> matched;    // processes known to dynolog among the requested ones …
    std::vector<int32_t> triggered;  // … and that will record
    int64_t busy = 0;                // processes that are already being profiled
};

// `pids` empty: all processes of the job. Errors: nobody listens on this machine's `port`, no
// answer within five seconds, an invalid answer, or dynolog's refusal.
Result<DynologReply> request_by_dynolog(uint16_t port, const std::string& config,
                                        const std::vector<int32_t>& pids);

// Parses the JSON of a reply.
Result<DynologReply> read_dynolog_reply(std::string_view text);

}  // namespace lanescope
