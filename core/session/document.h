// Document: a trace being opened or open, of one file or joined of several. Loads in the
// background; the window asks it once a frame.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ingest/spool_follower.h"
#include "core/session/alignment.h"
#include "core/trace/join.h"
#include "core/trace/trace.h"

namespace lanescope {

struct DocumentProgress {
    uint64_t bytes_done = 0;
    uint64_t bytes_total = 0;  // 0: unknown
    uint64_t events = 0;
    double seconds = 0;  // since the load began; of the whole load once it ended
    double bytes_per_second = 0;
    double seconds_left = -1;  // -1: unknown
};

struct PartToOpen {
    std::string path;
    TracePtr trace;               // of an open document: not read again; null: the file is read
    std::optional<Nanos> offset;  // with AlignBy::by_hand; none: as AlignBy::best puts it
};

// A file of several that could not be opened. The others are shown without it.
struct PartProblem {
    std::string path;
    Error error;
};

class Document {
  public:
    // `wake` is called from the worker whenever there is something new to show; it must be
    // thread-safe.
    static std::unique_ptr<Document> open(std::string path, std::function<void()> wake);
    // A spool file that grows is followed: it counts as loading until its recording ends, and is
    // then read as a whole. `wait`: until there is such a file under this path, as one that is to
    // be recorded.
    static std::unique_ptr<Document> follow(std::string path, bool wait,
                                            std::function<void()> wake);
    // Several files on one clock. What of them is a trace already is not read again.
    static std::unique_ptr<Document> open(std::vector<PartToOpen> parts, Alignment alignment,
                                          std::function<void()> wake);
    ~Document();  // cancels and waits

    const std::string& path() const;  // of the first
    bool loading() const;
    // Stops reading. What of several files is read by then is shown.
    void cancel();
    DocumentProgress progress() const;
    // The newest trace: partial while loading, null until there is something to show.
    TracePtr trace() const;
    // Its parts one by one; without parts while it is, or is to be, of one file alone.
    JoinedTrace joined() const;
    // While a recording is followed: what is known of it. Else nothing.
    std::optional<FollowStatus> following() const;
    // Why a recording could not be followed to its end: what was read of it is shown.
    std::optional<Error> follow_problem() const;
    // Has the recording that is followed go on, pause or stop.
    void steer(SpoolControl control);
    // Why the load failed, once it has: of several files, once all have.
    std::optional<Error> error() const;
    std::vector<PartProblem> problems() const;
    // By what the parts were aligned, and why not by what was asked for.
    AlignBy aligned_by() const;
    std::optional<Error> alignment_problem() const;
    // Arguments of one event, read from the file of its part when asked. Blocks for the read: call
    // it for one slice.
    Result<std::vector<Argument>> arguments(uint64_t source, uint32_t part = 0);

  private:
    struct State;
    static std::unique_ptr<Document> make(std::vector<PartToOpen> parts, Alignment alignment,
                                          bool may_follow, bool wait, std::function<void()> wake);
    explicit Document(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace lanescope
