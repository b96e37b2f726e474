// The daemon's side of Kineto's on-demand profiling: a socket, and the processes that ask there.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/capture/kineto_socket.h"
#include "core/capture/kineto_targets.h"

namespace lanescope {

class KinetoDaemon {
  public:
    // `folder`: KINETO_IPC_SOCKET_DIR of the processes; empty: not set. Errors: those of
    // KinetoSocket::bind.
    static Result<KinetoDaemon> start(const std::string& folder);

    // Waits up to `timeout_ms` for a message, answers all messages that have arrived, and updates
    // captures. Processes wait 50 ms for an answer, so this must be called without pause.
    void step(int timeout_ms);

    KinetoTargets& targets() { return targets_; }
    // Datagrams that could not be parsed, or whose sender is not allowed.
    uint64_t refused() const { return socket_.refused() + not_understood_; }

  private:
    explicit KinetoDaemon(KinetoSocket socket);

    KinetoSocket socket_;
    KinetoTargets targets_;
    uint64_t not_understood_ = 0;
};

// Moves a process's trace to its destination, where it appears complete or not at all. Errors: it
// is not a regular file, or cannot be read or written.
Result<void> take_trace(const std::string& from, const std::string& to);

}  // namespace lanescope
