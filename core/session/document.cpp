#include "core/session/document.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <new>

#include "core/base/parallel.h"
#include "core/ingest/load.h"
#include "core/session/part_names.h"

namespace lanescope {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kFollowEvery = std::chrono::milliseconds(100);
// Programs may still write to a spool for this long after its recorder is gone.
constexpr auto kGoneAfter = std::chrono::seconds(3);

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The trace that knows all texts of the others.
TracePtr widest(const std::vector<TracePtr>& traces) {
    TracePtr found;
    for (const TracePtr& trace : traces)
        if (!found || trace->strings.size() > found->strings.size()) found = trace;
    return found;
}

}  // namespace

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
    std::function<void()> wake;
    Clock::time_point began = Clock::now();

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

    void publish(TracePtr snapshot) {
        {
            const std::scoped_lock lock(mutex);
            trace = std::move(snapshot);
        }
        wake();
    }

    void finish(Result<TracePtr> result) {
        {
            const std::scoped_lock lock(mutex);
            load_seconds = seconds_since(began);
            loading = false;
            if (result) {
                trace = std::move(*result);
            } else {
                error = result.error();
            }
        }
        wake();
    }

    Result<TracePtr> read(File& file, const TracePtr& vocabulary,
                          std::function<void(TracePtr)> on_snapshot) const {
        LoadOptions options;
        options.progress = &file.progress;
        options.vocabulary = vocabulary;
        options.launch_queues = true;
        options.on_snapshot = std::move(on_snapshot);
        return load_trace(file.part.path, options);
    }

    // Joins the files that were read, by the requested alignment or, if that is impossible, by the
    // best one.
    Result<JoinedTrace> join(const std::vector<ReadFile>& read_files, bool whole) {
        std::vector<TracePtr> traces;
        traces.reserve(read_files.size());
        for (const ReadFile& read : read_files) traces.push_back(read.trace);
        Alignment wanted = alignment;
        Result<Aligned> aligned = align_traces(traces, wanted);
        std::optional<Error> problem;
        if (!aligned) {
            problem = aligned.error();
            aligned = align_traces(traces, {});
        }
        std::vector<JoinPart> parts = named_parts(traces, aligned->offsets);
        if (alignment.by == AlignBy::by_hand) place_by_hand(read_files, traces, parts);
        Result<JoinedTrace> result = join_traces(parts);
        if (!result || !whole) return result;
        const std::scoped_lock lock(mutex);
        joined = *result;
        aligned_by = aligned->by;
        alignment_problem = problem;
        return result;
    }

    // Files without an offset of their own are placed beside the first.
    static void place_by_hand(const std::vector<ReadFile>& read_files,
                              const std::vector<TracePtr>& traces, std::vector<JoinPart>& parts) {
        const Result<Aligned> best = align_traces(traces, {});
        const Nanos first = read_files.front().offset.value_or(0);
        for (std::size_t i = 0; i < parts.size(); ++i)
            parts[i].offset = read_files[i].offset.value_or(best->offsets[i] + first);
    }

    void load_several() {
        std::vector<ReadFile> done;
        std::vector<TracePtr> known;  // to take the vocabulary of
        for (const auto& file : files)
            if (file->part.trace) known.push_back(file->part.trace);
        std::optional<Error> first_error;
        for (const auto& file : files) {
            if (file->part.trace) {
                done.push_back({file->part.trace, file->part.offset});
                continue;
            }
            Result<TracePtr> loaded = read(*file, widest(known), [&](TracePtr snapshot) {
                std::vector<ReadFile> shown = done;
                shown.push_back({std::move(snapshot), file->part.offset});
                if (auto so_far = join(shown, false)) publish(so_far->whole);
            });
            if (loaded) {
                done.push_back({*loaded, file->part.offset});
                known.push_back(*loaded);
                continue;
            }
            if (!first_error) first_error = loaded.error();
            if (loaded.error().code == ErrorCode::cancelled) continue;
            const std::scoped_lock lock(mutex);
            problems.push_back({file->part.path, loaded.error()});
        }
        if (done.empty()) return finish(*first_error);
        known.clear();
        const Result<JoinedTrace> result = join(done, true);
        // The joined trace keeps what it needs of them.
        for (const auto& file : files) file->part.trace.reset();
        finish(result ? Result<TracePtr>(result->whole) : Result<TracePtr>(result.error()));
    }

    bool cancelled() const { return files.front()->progress.cancel; }

    // Waits until the next snapshot is due, or a request arrives.
    void rest(std::unique_lock<std::mutex>& lock) {
        steered.wait_for(lock, kFollowEvery, [&] { return cancelled() || control >= 0; });
    }

    // False if it was cancelled first.
    bool wait_for_file() {
        std::unique_lock lock(mutex);
        while (waits && !cancelled()) {
            lock.unlock();
            const bool there = is_spool_file(files.front()->part.path);
            lock.lock();
            if (there) return true;
            rest(lock);
        }
        return !cancelled();
    }

    void carry_out_control() {
        const int wanted = control.exchange(-1);
        if (wanted < 0) return;
        const Result<void> done =
            control_spool(files.front()->part.path, static_cast<SpoolControl>(wanted));
        if (done) return;
        const std::scoped_lock lock(mutex);
        follow_problem = done.error();
    }

    bool grows() const { return is_growing_spool(files.front()->part.path); }

    // Returns when the recording has ended. Errors: it cannot be followed further.
    Result<void> follow_to_end(SpoolFollower& follower) {
        Clock::time_point last_new = Clock::now();
        for (;;) {
            const Result<TracePtr> snapshot = follower.step();
            if (!snapshot) return snapshot.error();
            const FollowStatus status = follower.status();
            {
                const std::scoped_lock lock(mutex);
                following = status;
                if (*snapshot) trace = *snapshot;
            }
            if (*snapshot) last_new = Clock::now();
            files.front()->progress.events =
                *snapshot ? (*snapshot)->facts.events : files.front()->progress.events.load();
            wake();
            if (status.complete || cancelled()) return {};
            if (status.recorder_gone && Clock::now() - last_new > kGoneAfter) return {};
            std::unique_lock lock(mutex);
            rest(lock);
            lock.unlock();
            carry_out_control();
        }
    }

    // Shows what was read if reading cannot continue.
    void end_following(const Result<void>& ended) {
        TracePtr so_far;
        {
            const std::scoped_lock lock(mutex);
            following.reset();
            began = Clock::now();  // of the load of the whole
            if (!ended) follow_problem = ended.error();
            so_far = trace;
        }
        {
            const std::scoped_lock lock(reader_mutex);
            readers.clear();
        }
        if (ended && !cancelled()) return finish(read(*files.front(), nullptr, {}));
        if (so_far) return finish(so_far);
        finish(ended ? Error{ErrorCode::cancelled, Error::no_offset,
                             files.front()->part.path + ": nothing was recorded yet."}
                     : ended.error());
    }

    void follow() {
        if (!wait_for_file() || !grows()) return end_following(Result<void>());
        auto follower =
            SpoolFollower::open(files.front()->part.path, SpoolFollower::usual_memory_cap());
        if (!follower) return finish(follower.error());
        end_following(follow_to_end(**follower));
    }

    void load() {
        try {
            if (may_follow && (waits || grows())) {
                follow();
            } else if (of_one_file()) {
                const auto show = [this](TracePtr snapshot) { publish(std::move(snapshot)); };
                finish(read(*files.front(), nullptr, show));
            } else {
                load_several();
            }
        } catch (const std::bad_alloc&) {
            finish(Error{ErrorCode::io, Error::no_offset,
                         files.front()->part.path + ": not enough memory for this trace."});
        }
    }
};

Document::Document(std::unique_ptr<State> state) : state_(std::move(state)) {}

std::unique_ptr<Document> Document::open(std::string path, std::function<void()> wake) {
    return follow(std::move(path), false, std::move(wake));
}

std::unique_ptr<Document> Document::follow(std::string path, bool wait,
                                           std::function<void()> wake) {
    std::vector<PartToOpen> parts;
    parts.push_back({std::move(path), nullptr, std::nullopt});
    return make(std::move(parts), {}, true, wait, std::move(wake));
}

std::unique_ptr<Document> Document::open(std::vector<PartToOpen> parts, Alignment alignment,
                                         std::function<void()> wake) {
    return make(std::move(parts), std::move(alignment), false, false, std::move(wake));
}

std::unique_ptr<Document> Document::make(std::vector<PartToOpen> parts, Alignment alignment,
                                         bool may_follow, bool wait, std::function<void()> wake) {
    auto state = std::make_unique<State>();
    for (PartToOpen& part : parts) {
        state->files.push_back(std::make_unique<State::File>());
        State::File& file = *state->files.back();
        std::error_code code;
        const auto bytes = part.trace ? 0 : std::filesystem::file_size(part.path, code);
        if (!code) file.progress.bytes_total = bytes;
        file.part = std::move(part);
    }
    state->alignment = std::move(alignment);
    state->wake = std::move(wake);
    state->may_follow = may_follow;
    state->waits = wait;
    State* const shared = state.get();
    state->task = thread_pool().submit([shared](std::stop_token) { shared->load(); });
    return std::unique_ptr<Document>(new Document(std::move(state)));
}

Document::~Document() {
    cancel();
    state_->task = {};  // waits
}

const std::string& Document::path() const {
    return state_->files.front()->part.path;
}

bool Document::loading() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->loading;
}

void Document::cancel() {
    for (const auto& file : state_->files) file->progress.cancel = true;
    state_->steered.notify_all();
}

std::optional<FollowStatus> Document::following() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->following;
}

std::optional<Error> Document::follow_problem() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->follow_problem;
}

void Document::steer(SpoolControl control) {
    state_->control = static_cast<int>(control);
    state_->steered.notify_all();
}

DocumentProgress Document::progress() const {
    DocumentProgress progress;
    for (const auto& file : state_->files) {
        progress.bytes_done += file->progress.bytes_done;
        progress.bytes_total += file->progress.bytes_total;
        progress.events += file->progress.events;
    }
    const std::scoped_lock lock(state_->mutex);
    progress.seconds = state_->loading ? seconds_since(state_->began) : state_->load_seconds;
    if (progress.seconds <= 0) return progress;
    progress.bytes_per_second = static_cast<double>(progress.bytes_done) / progress.seconds;
    if (progress.bytes_total >= progress.bytes_done && progress.bytes_per_second > 0) {
        progress.seconds_left = static_cast<double>(progress.bytes_total - progress.bytes_done) /
                                progress.bytes_per_second;
    }
    return progress;
}

TracePtr Document::trace() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->trace;
}

JoinedTrace Document::joined() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->joined;
}

std::optional<Error> Document::error() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->error;
}

std::vector<PartProblem> Document::problems() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->problems;
}

AlignBy Document::aligned_by() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->aligned_by;
}

std::optional<Error> Document::alignment_problem() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->alignment_problem;
}

Result<std::vector<Argument>> Document::arguments(uint64_t source, uint32_t part) {
    const TracePtr current = trace();
    if (!current) {
        return Error{ErrorCode::usage, Error::no_offset, path() + ": nothing has been read yet."};
    }
    const JoinedTrace parts = joined();
    const TracePtr of = part < parts.parts.size() ? parts.parts[part] : current;
    // A snapshot of a load does not know the positions of its texts yet.
    if (!of->source) return std::vector<Argument>();
    const std::scoped_lock lock(state_->reader_mutex);
    std::unique_ptr<ArgumentReader>& reader = state_->readers[part];
    // An existing reader does not know the positions of later blocks.
    if (following()) reader.reset();
    if (!reader) reader = open_arguments(of);
    if (!reader) {
        return Error{ErrorCode::unsupported, Error::no_offset,
                     of->path + ": arguments cannot be read back from this file."};
    }
    return reader->read(source);
}

}  // namespace lanescope
