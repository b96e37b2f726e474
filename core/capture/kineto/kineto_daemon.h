// The daemon's side of Kineto's on-demand profiling: a socket, and the processes that ask there.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/capture/kineto/kineto_socket.h"
#include "core/capture/kineto/kineto_targets.h"

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

// Whether Kineto's trace has events other than those of the profiler itself. A file that is
// compressed or large counts.
bool has_work(const std::string& file);

// Passes a process's trace to `write` in pieces, then to `finish`, and removes it if all was
// written. Errors: it is not a regular file, or cannot be read, and those of the functions.
Result<void> take_trace(const std::string& from,
                        const std::function<Result<void>(std::string_view)>& write,
                        const std::function<Result<void>()>& finish);
// Moves it to a file by the rules of OutputFile.
Result<void> take_trace(const std::string& from, const std::string& to);

}  // namespace lanescope
