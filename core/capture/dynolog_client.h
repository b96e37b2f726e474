// Asks a dynolog daemon that runs beside us to have PyTorch processes record.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

inline constexpr uint16_t kDynologPort = 1778;

struct DynologReply {
    std::vector<int32_t> matched;    // processes that it knows of those named …
    std::vector<int32_t> triggered;  // … and that will record
    int64_t busy = 0;                // processes that are being profiled already
};

// `pids` empty: all of the job. Errors: nobody listens on this machine's `port`, no answer within
// five seconds, one that is not understood, or its own refusal.
Result<DynologReply> request_by_dynolog(uint16_t port, const std::string& config,
                                        const std::vector<int32_t>& pids);

// The answer's JSON.
Result<DynologReply> read_dynolog_reply(std::string_view text);

}  // namespace lanescope
