#include "core/session/document.h"

#include <chrono>
#include <mutex>
#include <new>
#include <thread>

#include "core/ingest/load.h"

namespace lanescope {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

struct Document::State {
    std::string path;
    std::function<void()> wake;
    Clock::time_point began = Clock::now();
    LoadProgress progress;

    mutable std::mutex mutex;  // guards what follows
    TracePtr trace;
    std::optional<Error> error;
    bool loading = true;
    double load_seconds = 0;

    std::mutex reader_mutex;  // one read of arguments at a time
    std::unique_ptr<ArgumentReader> reader;

    std::thread worker;

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

    void load() {
        LoadOptions options;
        options.progress = &progress;
        options.launch_queues = true;
        options.on_snapshot = [this](TracePtr snapshot) { publish(std::move(snapshot)); };
        try {
            finish(load_trace(path, options));
        } catch (const std::bad_alloc&) {
            finish(Error{ErrorCode::io, Error::no_offset,
                         path + ": not enough memory to hold this trace."});
        }
    }
};

Document::Document(std::unique_ptr<State> state) : state_(std::move(state)) {}

std::unique_ptr<Document> Document::open(std::string path, std::function<void()> wake) {
    auto state = std::make_unique<State>();
    state->path = std::move(path);
    state->wake = std::move(wake);
    State* const shared = state.get();
    state->worker = std::thread([shared] { shared->load(); });
    return std::unique_ptr<Document>(new Document(std::move(state)));
}

Document::~Document() {
    cancel();
    if (state_->worker.joinable()) state_->worker.join();
}

const std::string& Document::path() const {
    return state_->path;
}

bool Document::loading() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->loading;
}

void Document::cancel() {
    state_->progress.cancel = true;
}

DocumentProgress Document::progress() const {
    DocumentProgress progress;
    progress.bytes_done = state_->progress.bytes_done;
    progress.bytes_total = state_->progress.bytes_total;
    progress.events = state_->progress.events;
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

std::optional<Error> Document::error() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->error;
}

Result<std::vector<Argument>> Document::arguments(uint64_t source) {
    const TracePtr current = trace();
    if (!current) {
        return Error{ErrorCode::usage, Error::no_offset, path() + ": nothing has been read yet."};
    }
    const std::scoped_lock lock(state_->reader_mutex);
    if (!state_->reader) state_->reader = open_arguments(current);
    if (!state_->reader) {
        return Error{ErrorCode::unsupported, Error::no_offset,
                     path() + ": arguments cannot be read back from this file."};
    }
    return state_->reader->read(source);
}

}  // namespace lanescope
