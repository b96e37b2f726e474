// Attaching from a window: runs the daemon's side of Kineto's protocol on its own thread, and
// publishes its state. Only that thread waits for the processes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/capture/kineto/attach.h"
#include "core/capture/kineto/dynolog_client.h"
#include "core/capture/kineto/kineto_targets.h"

namespace lanescope {

struct AttachOptions {
    std::string socket_folder;  // KINETO_IPC_SOCKET_DIR of the processes; empty: not set
    uint16_t dynolog_port = kDynologPort;
};

struct AttachRow {
    int32_t pid = 0;
    std::string user, rank, command;
    CaptureState state = CaptureState::idle;
    std::string problem;

    friend bool operator==(const AttachRow&, const AttachRow&) = default;
};

struct AttachView {
    enum class Way : uint8_t {
        opening,  // the socket
        daemon,   // this program has the socket: processes ask here
        dynolog,  // another daemon runs, and receives the requests
        none,     // `problem` says why
    };
    Way way = Way::opening;
    std::string problem;
    std::vector<AttachRow> rows;  // by rank, then by pid
    bool nobody_asked = false;    // no process asked within the time in which each must have asked
    bool under_way = false;
    std::string refusal;                   // why the last capture could not begin; empty: it began
    uint64_t ended = 0;                    // number of captures that ended, in any way
    bool cancelled = false;                // the last capture ended by cancelling
    std::vector<CaptureOutcome> outcomes;  // outcomes of the last capture that ended

    friend bool operator==(const AttachView&, const AttachView&) = default;
};

class Attacher {
  public:
    // The thread calls `changed` when view() has something new.
    Attacher(AttachOptions options, std::function<void()> changed);
    // Cancels what has not begun; takes at most half a second, unless a trace is being copied.
    ~Attacher();
    Attacher(const Attacher&) = delete;
    Attacher& operator=(const Attacher&) = delete;

    std::shared_ptr<const AttachView> view() const;
    // Makes the processes record into a file of this name (see trace_name()). Only while no capture
    // is running.
    void capture(std::vector<int32_t> pids, const CaptureOptions& options, std::string name);
    // Cancels what has not begun, and stops waiting for the rest.
    void cancel();

  private:
    struct Request {
        std::vector<int32_t> pids;
        CaptureOptions options;
        std::string name;
    };
    class Loop;

    void publish(AttachView view);

    std::function<void()> changed_;
    mutable std::mutex mutex_;
    std::shared_ptr<const AttachView> view_;
    std::optional<Request> request_;
    bool cancel_ = false;
    bool stop_ = false;
    std::thread thread_;  // the last member: it uses all others
};

}  // namespace lanescope
