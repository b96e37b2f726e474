// The datagrams between PyTorch's Kineto and a profiling daemon: a header of 40 bytes (the
// payload's size in 64 bits, then a type in 32 characters) and a payload, in native byte order.
// Source: pytorch/kineto and facebookincubator/dynolog (dynolog/src/ipcfabric).
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
    int64_t job_id = 0;             // the process's Slurm job; 0: none
    std::vector<int32_t> pids;      // its own pid, then its ancestors', in its pid namespace
};

// "ctxt": an older version of Kineto registers its process.
struct KinetoContext {
    int32_t gpu = 0;
    int32_t pid = 0;
    int64_t job_id = 0;
};

using KinetoMessage = std::variant<KinetoRequest, KinetoContext>;

// Longer than any datagram that a client sends.
inline constexpr std::size_t kMaxKinetoDatagram = 4096;

// Errors: the size does not match the payload, the type is unknown, there are no pids or too many.
Result<KinetoMessage> read_kineto_message(std::string_view datagram);

// The answer to a request; an empty configuration means that there is nothing to do.
std::string config_datagram(std::string_view config);
// The answer to a context: how many processes of its job and GPU have registered.
std::string context_datagram(int32_t registered);

}  // namespace lanescope
