#include "app/commands/load.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "app/commands/commands.h"
#include "core/analysis/structure/time_range.h"
#include "core/base/format.h"
#include "core/base/printable.h"
#include "core/base/url.h"
#include "core/ingest/trace_list.h"
#include "core/session/remote_trace.h"
#include "core/source/unnamed_file.h"
#include "core/trace/incomplete.h"

namespace lanescope {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// The address, if a word of the command line is one.
Result<std::optional<RemoteAddress>> typed_address(const std::string& word) {
    if (!is_url(word)) return std::optional<RemoteAddress>();
    TypedAddresses typed;
    if (const Result<void> admitted = typed.admit(word); !admitted) return admitted.error();
    return typed.find(word);
}

std::string progress_line(const LoadProgress& progress, double seconds) {
    const auto done = progress.bytes_done.load();
    const auto total = progress.bytes_total.load();
    const double rate = static_cast<double>(done) / seconds;
    std::string line = progress.copying ? "Copying: " : "";
    line += format_bytes(static_cast<int64_t>(done));
    if (total > 0)
        line += fmt::format(" of {} ({})", format_bytes(static_cast<int64_t>(total)),
                            format_percent(static_cast<double>(done) / static_cast<double>(total)));
    line += fmt::format(", {}/s", format_bytes(static_cast<int64_t>(rate)));
    if (total > done && done > 0)
        line += fmt::format(", {} left",
                            format_duration(static_cast<double>(total - done) / rate * 1e9));
    return line;
}

// Shows a progress line on a terminal during its lifetime, once a load takes long enough to notice.
class ProgressLine {
  public:
    explicit ProgressLine(const LoadProgress& progress) {
        if (isatty(STDERR_FILENO)) watcher_ = std::thread([this, &progress] { watch(progress); });
    }
    ~ProgressLine() {
        if (!watcher_.joinable()) return;
        {
            const std::lock_guard lock(mutex_);
            done_ = true;
        }
        wake_.notify_one();
        watcher_.join();
    }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

  private:
    void watch(const LoadProgress& progress) {
        Clock::time_point start = Clock::now();
        bool shown = false;
        bool copied = false;
        std::unique_lock lock(mutex_);
        while (!wake_.wait_for(lock, std::chrono::milliseconds(shown ? 100 : 250),
                               [this] { return done_; })) {
            // While nothing arrives, ssh may ask for a password on this terminal.
            if (progress.copying && progress.bytes_done == 0) continue;
            if (std::exchange(copied, progress.copying.load()) && !progress.copying)
                start = Clock::now() - std::chrono::milliseconds(1);
            fmt::print(stderr, "\r\x1b[K{}", progress_line(progress, seconds_since(start)));
            std::fflush(stderr);
            shown = true;
        }
        if (shown) fmt::print(stderr, "\r\x1b[K");
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    bool done_ = false;
    std::thread watcher_;
};

// RssAnon: the process's memory that is not backed by files.
uint64_t private_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        uint64_t kilobytes = 0;
        if (word == "RssAnon:" && status >> kilobytes) return kilobytes * 1024;
    }
    return 0;
}

}  // namespace

void report_incomplete(const std::string& path, const Trace& trace) {
    if (const auto incomplete = incomplete_of(trace))
        fmt::print(stderr, "{}: {}\n", printable(path),
                   printable(incomplete_sentence(*incomplete)));
}

void add_companions(CLI::App& command, Companions& companions) {
    command
        .add_option(
            "--graph-capture", companions.graph_captures,
            "A trace of the capture of CUDA or HIP graphs that TRACE replays: their kernels "
            "get operators, modules and shapes from it; repeatable")
        ->type_name("FILE")
        ->allow_extra_args(false);
    command
        .add_option("--compile-artifacts", companions.compile_artifacts,
                    "A log of TORCH_TRACE, or a folder with logs or Inductor's cache: kernels of "
                    "compiled code get operators and Python lines; repeatable")
        ->type_name("PATH")
        ->allow_extra_args(false);
    command.add_option("--classes", companions.classes, kClassesHelp)->type_name("FILE");
}

std::vector<std::string> arguments_of(const Companions& companions) {
    std::vector<std::string> arguments;
    for (const std::string& capture : companions.graph_captures)
        arguments.insert(arguments.end(), {"--graph-capture", capture});
    for (const std::string& path : companions.compile_artifacts)
        arguments.insert(arguments.end(), {"--compile-artifacts", path});
    if (!companions.classes.empty())
        arguments.insert(arguments.end(), {"--classes", companions.classes});
    return arguments;
}

namespace {

// `options`: includes the files read beside the trace.
Result<TraceWithCost> load_one(const std::string& path, LoadOptions options) {
    LoadProgress progress;
    options.progress = &progress;
    const Result<std::optional<RemoteAddress>> address = typed_address(path);
    if (!address) return address.error();
    Clock::time_point start;
    const Result<TracePtr> trace = [&]() -> Result<TracePtr> {
        const ProgressLine line(progress);
        if (*address) {
            const Result<std::shared_ptr<InputFile>> copy = copy_remote_trace(**address, &progress);
            if (!copy) return copy.error();
            options.file = *copy;
        }
        start = Clock::now();
        return load_trace(path, options);
    }();
    if (!trace) return trace.error();
    if (*address)
        fmt::print(stderr, "{}: {} were copied to a temporary file in {}, which is now removed\n",
                   path, format_bytes(static_cast<int64_t>(progress.bytes_copied.load())),
                   temporary_folder());
    TraceWithCost loaded{*trace,
                         {progress.bytes_done.load(), seconds_since(start), private_bytes()}};
    return loaded;
}

}  // namespace

Result<std::vector<std::string>> given_traces(const std::vector<std::string>& words,
                                              std::string& failed) {
    std::vector<std::string> paths;
    for (const std::string& word : words) {
        if (is_url(word) || word == "-") {
            paths.push_back(word);
            continue;
        }
        const Result<ListedPaths> found = with_listed_traces({word}, failed);
        if (!found) return found.error();
        for (const std::string& note : found->notes)
            fmt::print(stderr, "lanescope: {}\n", printable(note));
        paths.insert(paths.end(), found->paths.begin(), found->paths.end());
    }
    return paths;
}

Result<TraceWithCost> load_for_command(const std::string& path, const Companions& companions,
                                       LoadOptions options) {
    if (const Result<void> read = load_companions(companions, options); !read) return read.error();
    return load_one(path, std::move(options));
}

Result<AlignedWithCost> load_joined(const std::vector<std::string>& words,
                                    const Companions& companions, const std::string& alignment,
                                    std::string& failed, LoadOptions options) {
    std::vector<TracePtr> traces;
    LoadCost cost;
    failed.clear();
    if (const Result<void> read = load_companions(companions, options); !read) return read.error();
    const Result<std::vector<std::string>> paths = given_traces(words, failed);
    if (!paths) return paths.error();
    for (const std::string& path : *paths) {
        failed = path;
        const Result<TraceWithCost> loaded = load_one(path, options);
        if (!loaded) return loaded.error();
        report_incomplete(path, *loaded->trace);
        traces.push_back(loaded->trace);
        cost.bytes += loaded->cost.bytes;
        cost.seconds += loaded->cost.seconds;
        cost.resident_bytes = loaded->cost.resident_bytes;
        options.vocabulary = loaded->trace;
    }
    failed.clear();
    Result<AlignedTrace> aligned = join_aligned(traces, alignment);
    if (!aligned) return aligned.error();
    return AlignedWithCost{std::move(*aligned), cost};
}

Result<TableQuery> query_for_command(const TraceContext& context, const std::string& text) {
    if (text.empty()) return TableQuery();
    const Result<ParsedQuery> parsed = parse_query(context, text);
    if (!parsed) return parsed.error();
    if (!parsed->note.empty()) fmt::print(stderr, "lanescope: {}\n", parsed->note);
    return parsed->query;
}

}  // namespace lanescope
