#include "api/opened.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "core/session/alignment.h"
#include "core/session/specs_file.h"

std::shared_ptr<lanescope::SqlSource> lanescope_trace::events() {
    const std::lock_guard lock(mutex_);
    if (!events_) events_ = std::make_shared<lanescope::SqlSource>(joined.whole, *context);
    return events_;
}

namespace lanescope {

namespace {

struct Loaded {
    std::optional<Failure> failure;
    std::vector<TracePtr> traces;
};

Loaded load_files(const std::vector<std::string>& paths, const OpenOptions& wishes,
                  const std::shared_ptr<InputFile>& stream, LoadProgress& progress) {
    Loaded loaded;
    LoadOptions options;
    options.workers = static_cast<unsigned>(wishes.workers.value);
    options.memory_bytes = wishes.memory.value;
    if (const Result<void> read = load_companions(wishes.companions, options); !read) {
        loaded.failure = Failure{read.error(), ""};
        return loaded;
    }
    options.progress = &progress;
    options.file = stream;
    for (const std::string& path : paths) {
        Result<TracePtr> trace = load_trace(path, options);
        if (!trace) {
            loaded.failure = Failure{trace.error(), path};
            return loaded;
        }
        options.vocabulary = *trace;
        options.memory_held += progress.bytes_held;
        loaded.traces.push_back(std::move(*trace));
    }
    return loaded;
}

uint64_t bytes_on_disk(const std::string& path) {
    std::error_code ignored;
    const auto bytes = std::filesystem::file_size(path, ignored);
    return ignored ? 0 : bytes;
}

}  // namespace

void run_watched(const Watch& watch, const std::function<void()>& work,
                 const std::function<void(uint64_t& done, uint64_t& total)>& numbers,
                 const std::function<void()>& cancel) {
    if (!watch.progress) return work();
    std::mutex mutex;
    std::condition_variable wake;
    bool done = false;
    std::exception_ptr thrown;
    std::thread worker([&] {
        try {
            work();
        } catch (...) {
            thrown = std::current_exception();
        }
        const std::lock_guard lock(mutex);
        done = true;
        wake.notify_one();
    });
    {
        std::unique_lock lock(mutex);
        while (!wake.wait_for(lock, kAskEvery, [&] { return done; })) {
            uint64_t bytes_done = 0;
            uint64_t bytes_total = 0;
            numbers(bytes_done, bytes_total);
            lock.unlock();
            if (watch.progress(watch.user, bytes_done, bytes_total) != 0) cancel();
            lock.lock();
        }
    }
    worker.join();
    if (thrown) std::rethrow_exception(thrown);
}

lanescope_status open_files(std::vector<std::string> paths, const OpenOptions& options,
                            const Watch& watch, std::unique_ptr<lanescope_trace>& opened,
                            const std::shared_ptr<InputFile>& stream) {
    if (!options.align.empty())
        if (const Result<Alignment> by = parse_alignment(options.align); !by)
            return failed(by.error());
    const Result<SpecsBookPtr> specs = load_specs(options.specs);
    if (!specs) return failed({specs.error(), options.specs});
    const auto begin = std::chrono::steady_clock::now();
    LoadProgress progress;
    Loaded loaded;
    run_watched(
        watch, [&] { loaded = load_files(paths, options, stream, progress); },
        [&](uint64_t& done, uint64_t& total) {
            done = progress.bytes_done;
            total = progress.bytes_total;
        },
        [&] { progress.cancel = true; });
    if (loaded.failure) return failed(*loaded.failure);
    Result<AlignedTrace> joined = join_aligned(loaded.traces, options.align);
    if (!joined) return failed(joined.error());
    auto made = std::make_unique<lanescope_trace>();
    made->joined = std::move(*joined);
    made->evidence = Evidence(*specs);
    for (const std::string& path : paths)
        made->cost.bytes += stream ? stream->size() : bytes_on_disk(path);
    made->cost.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    made->paths = std::move(paths);
    made->is_stream = stream != nullptr;
    made->context = std::make_unique<const TraceContext>(made->joined.whole, made->evidence);
    opened = std::move(made);
    return LANESCOPE_OK;
}

}  // namespace lanescope
