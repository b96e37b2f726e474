#include "core/ingest/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

#include "core/ingest/foreign.h"
#include "core/ingest/format.h"
#include "core/ingest/memory_limit.h"
#include "core/ingest/spool/recording_format.h"
#include "core/ingest/sqlite_file/sqlite_file.h"
#include "core/replays/graph_replays.h"
#include "core/source/content_hash.h"
#include "core/source/forward_text.h"
#include "core/trace/communication_calls.h"
#include "core/trace/derived_lanes.h"
#include "core/trace/kernel_classes.h"
#include "core/trace/record_faults.h"

namespace lanescope {

namespace {

constexpr std::size_t kProbeBytes = std::size_t{64} << 10;

// The first bytes of the text, for recognising its format.
Result<std::string> first_bytes(const TraceInput& input) {
    std::string text(kProbeBytes, '\0');
    const Result<std::size_t> got =
        read_in_order(input.file, input.compression)->read(text.data(), text.size());
    if (!got) return got.error();
    text.resize(*got);
    return text;
}

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

// "Chrome and Kineto JSON, Spall and …"
std::string names_of_formats() {
    std::string names;
    for (const Format* format : formats()) {
        const bool last = format == formats().back();
        names += fmt::format("{}{}",
                             names.empty() ? ""
                             : last        ? " and "
                                           : ", ",
                             format->text().name);
    }
    return names;
}

Error not_read(const std::string& path, const Recognised& known) {
    std::string text = fmt::format("{}: is {}, which is not read; ", path, known.what);
    text += known.advice.empty() ? fmt::format("{} are, also as gzip or zstd", names_of_formats())
                                 : known.advice;
    return {ErrorCode::unsupported, 0, std::move(text)};
}

// The format that recognises the file with most confidence. Errors: none does, or two do.
Result<const Format*> find_format(const std::string& path, const Probe& probe) {
    const Format* best = nullptr;
    const Format* equal = nullptr;
    int confidence = 0;
    Recognised known;
    for (const Format* format : formats()) {
        Recognised own = format->recognise(probe);
        if (!own.what.empty()) known = std::move(own);
        if (own.confidence == 0 || own.confidence < confidence) continue;
        equal = own.confidence == confidence ? best : nullptr;
        best = format;
        confidence = own.confidence;
    }
    if (equal)
        return Error{ErrorCode::unsupported, 0,
                     fmt::format("{}: could be of two formats: {} or {}", path, equal->text().name,
                                 best->text().name)};
    if (best) return best;
    return not_read(path, known.what.empty() ? recognise_foreign(probe) : known);
}

// Names of the tables of an SQLite database, which becomes the input's `database`.
Result<std::vector<std::string>> sqlite_tables(TraceInput& input, const std::atomic<bool>* cancel) {
    Result<std::shared_ptr<InputFile>> plain =
        plain_database(input.file, input.compression, cancel);
    if (!plain) return plain.error();
    input.database = *plain;
    const Result<std::unique_ptr<SqliteFile>> opened = SqliteFile::open(*plain);
    if (!opened) return opened.error();
    std::vector<std::string> names;
    for (const SqliteTable& table : (*opened)->tables()) names.push_back(table.name);
    return names;
}

// Opens a file, unless it is open, and recognises its format.
Result<std::shared_ptr<const TraceInput>> open_input(const std::string& path,
                                                     const LoadOptions& options) {
    const std::atomic<bool>* const cancel = options.progress ? &options.progress->cancel : nullptr;
    Result<std::shared_ptr<InputFile>> file =
        options.file ? options.file : InputFile::open(path, cancel);
    if (!file) return file.error();
    auto input = std::make_shared<TraceInput>();
    input->file = *file;
    char magic[8] = {};
    const Result<std::size_t> got = input->file->read_at(0, magic, sizeof magic);
    if (!got) return got.error();
    input->compression = sniff_compression({magic, *got});
    if (input->compression == Compression::gzip) input->gzip_index = std::make_shared<GzipIndex>();
    const Result<std::string> start = first_bytes(*input);
    if (!start) return start.error();
    if (start->empty())
        return Error{ErrorCode::empty, 0,
                     fmt::format("{}: the {} file contains no text; is it truncated?", path,
                                 compression_name(input->compression))};
    std::vector<std::string> tables;
    if (start->starts_with(kSqliteMagic)) {
        Result<std::vector<std::string>> found = sqlite_tables(*input, cancel);
        if (!found) return found.error();
        tables = std::move(*found);
    }
    const Result<const Format*> format = find_format(path, {*start, input->compression, tables});
    if (!format) return format.error();
    input->format = *format;
    // An open file that is passed is a copy, or its path only a name.
    if (!options.file)
        for (const std::string& beside : (*format)->companions(path))
            if (Result<std::shared_ptr<InputFile>> companion = InputFile::open(beside, cancel))
                input->companions.push_back(std::move(*companion));
    input->memory = input->format->make_memory();
    return std::shared_ptr<const TraceInput>(std::move(input));
}

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

// Removes the positions of warnings in formats whose positions are no byte offsets.
void forget_positions(Trace& trace) {
    for (Warning& warning : trace.warnings) {
        warning.byte_offset = Error::no_offset;
        warning.offsets.clear();
    }
}

Result<TracePtr> load(const std::string& path, const LoadOptions& options) {
    const Result<std::shared_ptr<const TraceInput>> opened = open_input(path, options);
    if (!opened) return opened.error();
    const TraceInput& input = **opened;
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
    trace->path = path;
    trace->source = *opened;
    if (Result<std::string> hash = content_hash(*input.file)) trace->facts.hash = std::move(*hash);
    apply_classes(*trace, options.kernel_classes);
    count_communication_of_operators(*trace);
    repair_records(*trace);
    add_graph_replays(*trace, captures_for(*trace, options, held));
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
        if (const Result<void> go_on = job.between_batches(builder); !go_on) return go_on;
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
