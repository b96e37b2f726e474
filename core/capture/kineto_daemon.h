// The daemon's side of Kineto's on-demand profiling: a socket and the processes that ask there.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/capture/kineto_socket.h"
#include "core/capture/kineto_targets.h"

namespace lanescope {

class KinetoDaemon {
  public:
    // `folder`: as KINETO_IPC_SOCKET_DIR of the processes; empty without it. Errors: those of
    // KinetoSocket::bind.
    static Result<KinetoDaemon> start(const std::string& folder);

    // Waits for a message at most so long, answers all that have arrived, and looks how far
    // captures are. Processes wait 50 ms for an answer, so this is called without a break.
    void step(int timeout_ms);

    KinetoTargets& targets() { return targets_; }
    // Datagrams that were not understood, or came from somebody who is not listened to.
    uint64_t refused() const { return socket_.refused() + not_understood_; }

  private:
    explicit KinetoDaemon(KinetoSocket socket);

    KinetoSocket socket_;
    KinetoTargets targets_;
    uint64_t not_understood_ = 0;
};

// Moves a trace that a process wrote to where it is wanted, under that name at once or not at all.
// Errors: it is no regular file, or cannot be read or written.
Result<void> take_trace(const std::string& from, const std::string& to);

}  // namespace lanescope
