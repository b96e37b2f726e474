// The datagrams between PyTorch's Kineto and a profiling daemon: 40 bytes of head (the size of what
// follows as 64 bits, then a type in 32 characters) and a payload, in the machine's byte order.
// After pytorch/kineto and facebookincubator/dynolog (dynolog/src/ipcfabric).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"

namespace lanescope {

// "req": a process asks for a configuration, every few seconds.
struct KinetoRequest {
    bool takes_activities = false;  // false: it is profiling, and would lose a configuration
    int64_t job_id = 0;             // of Slurm; else 0
    std::vector<int32_t> pids;      // its own, then its ancestors', as its pid namespace has them
};

// "ctxt": a process of an older version tells of itself.
struct KinetoContext {
    int32_t gpu = 0;
    int32_t pid = 0;
    int64_t job_id = 0;
};

using KinetoMessage = std::variant<KinetoRequest, KinetoContext>;

// The longest datagram that a client sends, and more than any needs.
inline constexpr std::size_t kMaxKinetoDatagram = 4096;

// Errors: a size that is not that of the payload, a type that is not known, no or too many pids.
Result<KinetoMessage> read_kineto_message(std::string_view datagram);

// The answer to a request; an empty text says that nothing is to be done.
std::string config_datagram(std::string_view config);
// The answer to a context: how many processes of its job and GPU have told of themselves.
std::string context_datagram(int32_t registered);

}  // namespace lanescope
