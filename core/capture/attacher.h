// Attaching from a window: the daemon's side of Kineto's protocol on a thread of its own, and what
// it has to show. Nothing here waits for the processes but that thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/capture/attach.h"
#include "core/capture/dynolog_client.h"
#include "core/capture/kineto_targets.h"

namespace lanescope {

struct AttachOptions {
    std::string socket_folder;  // KINETO_IPC_SOCKET_DIR of the processes; empty without it
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
        daemon,   // processes ask here
        dynolog,  // another daemon runs: it is asked
        none,     // `problem` says why
    };
    Way way = Way::opening;
    std::string problem;
    std::vector<AttachRow> rows;  // by rank, then by pid
    bool nobody_asked = false;    // in the time in which all must have
    bool under_way = false;
    std::string refusal;                   // why the last capture could not begin; empty: it could
    uint64_t ended = 0;                    // captures that have ended, one way or another
    bool cancelled = false;                // that was how the last one ended
    std::vector<CaptureOutcome> outcomes;  // of the last that ended

    friend bool operator==(const AttachView&, const AttachView&) = default;
};

class Attacher {
  public:
    // `changed` is called from the thread when view() has something new.
    Attacher(AttachOptions options, std::function<void()> changed);
    // Takes back what was not begun yet; half a second at most, unless a trace is being copied.
    ~Attacher();
    Attacher(const Attacher&) = delete;
    Attacher& operator=(const Attacher&) = delete;

    std::shared_ptr<const AttachView> view() const;
    // Has them record, into a file of that name (as trace_name() has it). Not while one is under
    // way.
    void capture(std::vector<int32_t> pids, const CaptureOptions& options, std::string name);
    // Takes back what was not begun, and no longer waits for the rest.
    void cancel();

  private:
    struct Wish {
        std::vector<int32_t> pids;
        CaptureOptions options;
        std::string name;
    };
    class Loop;

    void publish(AttachView view);

    std::function<void()> changed_;
    mutable std::mutex mutex_;
    std::shared_ptr<const AttachView> view_;
    std::optional<Wish> wish_;
    bool cancel_ = false;
    bool stop_ = false;
    std::thread thread_;  // last: it uses all the others
};

}  // namespace lanescope
