// Document::State: the data of a document and its background task. document_load.cpp reads and
// joins files, document_follow.cpp follows a growing recording.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/ingest/load.h"
#include "core/session/document.h"

namespace lanescope {

struct Document::State {
    struct File {
        PartToOpen part;
        LoadProgress progress;
    };
    struct ReadFile {
        TracePtr trace;
        std::optional<Nanos> offset;
    };

    std::vector<std::unique_ptr<File>> files;  // never empty
    Alignment alignment;
    // By path: captures of graphs, which several files may share.
    std::map<std::string, TracePtr> graph_captures;
    std::function<void()> wake;
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();

    mutable std::mutex mutex;  // guards what follows
    TracePtr trace;
    JoinedTrace joined;  // without parts: of one file
    std::optional<Error> error;
    std::vector<PartProblem> problems;
    AlignBy aligned_by = AlignBy::best;
    std::optional<Error> alignment_problem;
    bool loading = true;
    double load_seconds = 0;
    std::optional<FollowStatus> following;
    std::optional<Error> follow_problem;
    std::condition_variable steered;

    bool may_follow = false;
    bool waits = false;            // for the file
    std::atomic<int> control{-1};  // requested control; -1: none

    std::mutex reader_mutex;  // allows one read of arguments at a time
    std::map<uint32_t, std::unique_ptr<ArgumentReader>> readers;

    Task task;

    bool of_one_file() const { return files.size() == 1 && !files.front()->part.trace; }

    // The work of `task`: returns when everything is loaded or has failed.
    void load();
    bool cancelled() const { return files.front()->progress.cancel; }

    void publish(TracePtr snapshot);
    void finish(Result<TracePtr> result);
    Result<TracePtr> read(File& file, const TracePtr& vocabulary,
                          std::function<void(TracePtr)> on_snapshot);
    // Joins the files that were read, by the requested alignment or, if that is impossible, by the
    // best one. `whole`: the result is what joined() returns.
    Result<JoinedTrace> join(const std::vector<ReadFile>& read_files, bool whole);
    // Files without an offset of their own are placed beside the first.
    static void place_by_hand(const std::vector<ReadFile>& read_files,
                              const std::vector<TracePtr>& traces, std::vector<JoinPart>& parts);
    void load_several();

    bool grows() const;
    void follow();
    // False if it was cancelled first.
    bool wait_for_file();
    // Waits until the next snapshot is due, or a request arrives.
    void rest(std::unique_lock<std::mutex>& lock);
    void carry_out_control();
    // Returns when the recording has ended. Errors: it cannot be followed further.
    Result<void> follow_to_end(SpoolFollower& follower);
    // Shows what was read if reading cannot continue.
    void end_following(const Result<void>& ended);
};

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace lanescope
