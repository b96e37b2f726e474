#include "core/ingest/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

#include "core/ingest/format.h"
#include "core/ingest/memory_limit.h"
#include "core/ingest/open_input.h"
#include "core/ingest/spool/recording_format.h"
#include "core/ingest/stated_graph_nodes.h"
#include "core/replays/graph_replays.h"
#include "core/source/content_hash.h"
#include "core/trace/communication_calls.h"
#include "core/trace/derived_lanes.h"
#include "core/trace/kernel_classes.h"
#include "core/trace/record_faults.h"

namespace lanescope {

namespace {

unsigned workers_of(const LoadOptions& options) {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    return std::min(kMostWorkers, options.workers ? options.workers : cores);
}

// Publishes a trace of what has been read, rarely enough to cost at most a fifth of the time.
class Snapshots {
  public:
    explicit Snapshots(const LoadOptions& options) : options_(options) {}

    void between_batches(const TraceBuilder& builder) {
        if (!options_.on_snapshot) return;
        using Clock = std::chrono::steady_clock;
        const Clock::time_point now = Clock::now();
        if (now < next_ || builder.event_count() == 0) return;
        options_.on_snapshot(std::make_shared<const Trace>(builder.snapshot(1)));
        const auto took = Clock::now() - now;
        next_ = Clock::now() + std::max<Clock::duration>(std::chrono::milliseconds(150), 4 * took);
    }

  private:
    const LoadOptions& options_;
    std::chrono::steady_clock::time_point next_ =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
};

std::vector<TracePtr> captures_for(Trace& trace, const LoadOptions& options, uint64_t held) {
    const bool finds = options.graph_captures.empty() && !options.file && options.find_captures;
    LoadOptions like = options;
    like.memory_held += held;
    std::vector<TracePtr> captures = finds && replays_graphs(trace)
                                         ? options.find_captures(trace, like)
                                         : options.graph_captures;
    for (const TracePtr& capture : captures) trace.facts.graph_captures.push_back(capture->path);
    return captures;
}

// Removes warning positions that are not byte offsets.
void forget_positions(Trace& trace) {
    for (Warning& warning : trace.warnings) {
        warning.byte_offset = Error::no_offset;
        warning.offsets.clear();
    }
}

Result<TracePtr> load(const std::string& path, const LoadOptions& options) {
    const Result<OpenedInput> opened = open_input(path, options);
    if (!opened) return opened.error();
    const TraceInput& input = *opened->input;
    if (options.progress) options.progress->bytes_total.store(input.file->size());
    const auto describe = [&](Trace& trace) {
        input.format->describe(trace);
        trace.facts.compression = compression_name(input.compression);
    };
    TraceBuilder builder(options.vocabulary.get(), {input.format->complete_lanes(), describe});
    Snapshots snapshots(options);
    ReadJob job{input, options, workers_of(options), {}};
    const MemoryLimit limit(options.memory_bytes, options.memory_held, job.workers);
    const auto check_memory = [&] {
        const uint64_t done = options.progress ? options.progress->bytes_done.load() : 0;
        return limit.check(path, builder, done, input.file->size());
    };
    if (const Result<void> fits = check_memory(); !fits) return fits.error();
    job.between_batches = [&](const TraceBuilder& so_far) {
        snapshots.between_batches(so_far);
        return check_memory();
    };
    if (!opened->notes.empty())
        builder.warn("not_all_of_archive", Error::no_offset,
                     fmt::format("{}", fmt::join(opened->notes, "; ")));
    if (const Result<void> read = input.format->read(job, builder); !read) return read.error();
    if (const Result<void> fits = check_memory(); !fits) return fits.error();
    const uint64_t held = memory_need(builder, job.workers).held;
    if (options.progress) options.progress->bytes_held.store(held);
    const bool is_unchanged =
        input.file->unchanged() &&
        std::ranges::all_of(input.companions, [](const auto& file) { return file->unchanged(); });
    if (!input.format->may_grow() && !is_unchanged)
        builder.warn("file_changed", Error::no_offset,
                     "the file was changed while it was read; load it again when it is complete");
    if (builder.event_count() == 0)
        return Error{ErrorCode::empty, 0, fmt::format("{}: contains no events", path)};
    auto trace = std::make_shared<Trace>(builder.finish(job.workers));
    trace->path = input.file == options.file ? path : input.file->path();
    trace->source = opened->input;
    if (Result<std::string> hash = content_hash(*input.file)) trace->facts.hash = std::move(*hash);
    apply_classes(*trace, options.kernel_classes);
    count_communication_of_operators(*trace);
    repair_records(*trace);
    const auto* const stated = dynamic_cast<const StatedGraphNodes*>(input.memory.get());
    add_graph_replays(*trace, captures_for(*trace, options, held),
                      stated ? std::span(stated->nodes) : std::span<const StatedNode>());
    if (!trace->compiled_code && !options.file && options.find_compiled_code)
        trace->compiled_code = options.find_compiled_code(*trace);
    if (!input.format->has_byte_positions()) forget_positions(*trace);
    if (options.derived_lanes)
        for (const DerivedLane& lane : derived_lanes())
            if (lane.add) lane.add(*trace);
    return TracePtr(std::move(trace));
}

class NoArguments final : public ArgumentReader {
  public:
    Result<std::vector<Argument>> read(uint64_t) override { return std::vector<Argument>(); }
};

class ArgumentsOfFile final : public ArgumentReader {
  public:
    explicit ArgumentsOfFile(std::unique_ptr<ArgumentReader> reader) : reader_(std::move(reader)) {}

    Result<std::vector<Argument>> read(uint64_t source) override {
        if (source >= kDerivedSource) return std::vector<Argument>();
        return reader_->read(source);
    }

  private:
    std::unique_ptr<ArgumentReader> reader_;
};

}  // namespace

Result<TracePtr> load_trace(const std::string& path, const LoadOptions& options) {
    try {
        return load(path, options);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::no_memory, Error::no_offset,
                     fmt::format("{}: there is not enough memory to load it", path)};
    }
}

Result<std::vector<TracePtr>> load_graph_captures(const std::vector<std::string>& paths,
                                                  LoadOptions& like) {
    std::vector<TracePtr> captures;
    for (const std::string& path : paths) {
        if (like.progress && like.progress->cancel)
            return Error{ErrorCode::cancelled, Error::no_offset, path + ": loading was cancelled"};
        LoadProgress progress;
        LoadOptions options;
        options.workers = like.workers;
        options.memory_bytes = like.memory_bytes;
        options.memory_held = like.memory_held;
        options.progress = &progress;
        Result<TracePtr> capture = load_trace(path, options);
        if (!capture) return capture.error();
        like.memory_held += progress.bytes_held;
        captures.push_back(std::move(*capture));
    }
    return captures;
}

Result<void> take_batch(const ReadJob& job, TraceBuilder& builder, const Batch& batch) {
    builder.append(batch);
    if (LoadProgress* const progress = job.options.progress)
        progress->events.store(builder.event_count());
    if (job.between_batches)
        if (Result<void> go_on = job.between_batches(builder); !go_on) return go_on;
    return job.is_cancelled() ? Result<void>(cancelled(job.input)) : Result<void>();
}

Error cancelled(const TraceInput& input) {
    return {ErrorCode::cancelled, Error::no_offset,
            fmt::format("{}: loading was cancelled", input.file->path())};
}

std::shared_ptr<const void> spool_source(std::shared_ptr<InputFile> file) {
    return std::make_shared<const TraceInput>(
        TraceInput{std::move(file), Compression::none, nullptr, &recording_format(), nullptr});
}

std::unique_ptr<ArgumentReader> open_arguments(const TracePtr& trace) {
    if (!trace->source) return std::make_unique<NoArguments>();
    const auto input = std::static_pointer_cast<const TraceInput>(trace->source);
    return std::make_unique<ArgumentsOfFile>(input->format->open_arguments(*input));
}

std::unique_ptr<ArgumentScan> open_argument_scan(const TracePtr& trace) {
    if (!trace->source) return nullptr;
    const auto input = std::static_pointer_cast<const TraceInput>(trace->source);
    return input->format->open_argument_scan(*input);
}

}  // namespace lanescope
