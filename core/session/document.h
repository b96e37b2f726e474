// Document: a trace that is open or being opened, of one file or joined from several. Loads in the
// background; the window queries it once a frame.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ingest/spool/spool_follower.h"
#include "core/session/alignment.h"
#include "core/session/companions.h"
#include "core/source/remote_address.h"
#include "core/trace/join.h"
#include "core/trace/trace.h"

namespace lanescope {

struct DocumentProgress {
    uint64_t bytes_done = 0;
    uint64_t bytes_total = 0;  // 0: unknown
    uint64_t events = 0;
    double seconds = 0;  // since the load began; after its end, the whole duration
    double bytes_per_second = 0;
    double seconds_left = -1;   // -1: unknown
    bool copying = false;       // the bytes are copied from another machine, before they are loaded
    uint64_t bytes_copied = 0;  // size of the temporary copies
};

struct PartToOpen {
    std::string path;
    TracePtr trace;               // from an open document, not read again; null: read the file
    std::optional<Nanos> offset;  // for AlignBy::by_hand; none: placed as by AlignBy::best
    std::optional<RemoteAddress> remote = {};  // the file is on this machine; `path` is its name
    Companions companions = {};
};

// One of several files that could not be opened. The others are shown without it.
struct PartProblem {
    std::string path;
    Error error;
};

class Document {
  public:
    // `wake` is called from the worker whenever there is something new to show; it must be
    // thread-safe.
    static std::unique_ptr<Document> open(std::string path, std::function<void()> wake);
    // Follows a growing spool file: it counts as loading until its recording ends, and is then read
    // as a whole. `wait`: first wait until the path is such a file, for a recording that is about
    // to begin.
    static std::unique_ptr<Document> follow(std::string path, bool wait,
                                            std::function<void()> wake);
    // Opens several files, aligned to one clock. Parts that are already loaded are not read again.
    static std::unique_ptr<Document> open(std::vector<PartToOpen> parts, Alignment alignment,
                                          std::function<void()> wake);
    ~Document();  // cancels and waits

    const std::string& path() const;  // of the first file
    bool loading() const;
    // Stops reading. Of several files, those read so far are shown.
    void cancel();
    DocumentProgress progress() const;
    // The newest trace: partial while loading, null until there is something to show.
    TracePtr trace() const;
    // The joined trace with its parts; without parts for a single file.
    JoinedTrace joined() const;
    // The status of a followed recording; empty if none is followed.
    std::optional<FollowStatus> following() const;
    // Why a recording could not be followed to its end; what was read is shown.
    std::optional<Error> follow_problem() const;
    // Continues, pauses or stops the followed recording.
    void steer(SpoolControl control);
    // Why the load failed, once it has; for several files, once all have.
    std::optional<Error> error() const;
    std::vector<PartProblem> problems() const;
    // The alignment of the parts, and why it is not the requested one.
    AlignBy aligned_by() const;
    std::optional<Error> alignment_problem() const;
    // Arguments of one event, read from its part's file. Blocks during the read: call it for single
    // slices.
    Result<std::vector<Argument>> arguments(uint64_t source, uint32_t part = 0);

  private:
    struct State;
    static std::unique_ptr<Document> make(std::vector<PartToOpen> parts, Alignment alignment,
                                          bool may_follow, bool wait, std::function<void()> wake);
    explicit Document(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace lanescope
