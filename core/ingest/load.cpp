#include "core/ingest/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

#include "core/ingest/argument_scan.h"
#include "core/ingest/json/json_arguments.h"
#include "core/ingest/json/json_decoder.h"
#include "core/ingest/json/json_scanner.h"
#include "core/ingest/spool/spool_arguments.h"
#include "core/ingest/spool/spool_decoder.h"
#include "core/source/compressed.h"
#include "core/trace/launch_queues.h"

namespace lanescope {

namespace {

constexpr std::size_t kSniffBytes = 4096;
constexpr std::size_t kMinBlockBytes = 64;
// Long blocks have less overhead; short blocks take less memory and let workers finish at the same
// time.
constexpr uint64_t kShortBlock = uint64_t{512} << 10;
constexpr uint64_t kLongBlock = uint64_t{1} << 20;
constexpr uint64_t kBlocksOfFile = 16;

// What Trace::source points to.
struct LoadedSource {
    std::shared_ptr<InputFile> file;
    Compression compression = Compression::none;
    std::shared_ptr<GzipIndex> gzip_index;
    bool is_spool = false;
};

std::unique_ptr<Decompressor> make_decompressor(const LoadedSource& source) {
    if (source.compression == Compression::gzip)
        return make_gzip_decompressor(source.file, source.gzip_index);
    return make_zstd_decompressor(source.file);
}

// The first bytes of the text, for recognising its format.
Result<std::string> first_bytes(const LoadedSource& source) {
    std::string text(kSniffBytes, '\0');
    const LoadedSource apart{source.file, source.compression, nullptr, false};
    const Result<std::size_t> got = source.compression == Compression::none
                                        ? source.file->read_at(0, text.data(), text.size())
                                        : make_decompressor(apart)->read(text.data(), text.size());
    if (!got) return got.error();
    text.resize(*got);
    return text;
}

unsigned workers_of(const LoadOptions& options) {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    return std::min(64u, options.workers ? options.workers : cores);
}

std::size_t block_bytes_of(const LoadOptions& options, uint64_t file_bytes) {
    if (options.block_bytes) return std::max(options.block_bytes, kMinBlockBytes);
    return std::clamp(file_bytes / kBlocksOfFile, kShortBlock, kLongBlock);
}

// Publishes a trace of what has been read, rarely enough to cost at most a fifth of the time.
class Snapshots {
  public:
    explicit Snapshots(const LoadOptions& options) : options_(options) {}

    void between_blocks(const TraceBuilder& builder) {
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

// Loads what recorded programs wrote, even while they are still running.
Result<TracePtr> load_spool(const std::shared_ptr<LoadedSource>& source,
                            const LoadOptions& options) {
    source->is_spool = true;
    const std::string& path = source->file->path();
    const auto decoder = SpoolDecoder::open(source->file);
    if (!decoder) return decoder.error();
    TraceBuilder builder(options.vocabulary.get());
    Snapshots snapshots(options);
    SpoolSink sink;
    sink.batch = [&](const Batch& batch) {
        builder.append(batch);
        if (options.on_snapshot) snapshots.between_blocks(builder);
        if (!options.progress) return;
        options.progress->events.store(builder.event_count());
        options.progress->bytes_done.store(std::min(batch.text_offset, source->file->size()));
    };
    sink.stop = [&] { return options.progress && options.progress->cancel.load(); };
    sink.warn = [&](const std::string& code, uint64_t offset, std::string_view text) {
        builder.warn(code, offset, text);
    };
    const Result<uint64_t> taken = (*decoder)->read_on(sink);
    if (!taken) return taken.error();
    if (sink.stop())
        return Error{ErrorCode::cancelled, Error::no_offset, path + ": loading was stopped"};
    (*decoder)->finish(sink);
    if (options.progress) options.progress->bytes_done.store(source->file->size());
    for (auto& [name, value] : (*decoder)->metadata()) builder.add_metadata(name, value);
    if (!(*decoder)->is_complete())
        builder.warn("still_recording", Error::no_offset,
                     "the recorder has not finished this file; load it again to see later events");
    if (builder.event_count() == 0)
        return Error{ErrorCode::empty, 0, fmt::format("{}: contains no events", path)};
    auto trace = std::make_shared<Trace>(builder.finish(workers_of(options)));
    trace->path = path;
    trace->facts.format = "lanescope-spool";
    trace->facts.producer = "lanescope record";
    trace->facts.compression = compression_name(Compression::none);
    trace->source = source;
    if (options.launch_queues) add_launch_queues(*trace);
    return TracePtr(std::move(trace));
}

Result<TracePtr> load(const std::string& path, const LoadOptions& options) {
    Result<std::shared_ptr<InputFile>> file = InputFile::open(path);
    if (!file) return file.error();
    auto source = std::make_shared<LoadedSource>();
    source->file = *file;
    if (options.progress) options.progress->bytes_total.store(source->file->size());
    char magic[8] = {};
    const Result<std::size_t> got = source->file->read_at(0, magic, sizeof magic);
    if (!got) return got.error();
    if (is_spool({magic, *got})) return load_spool(source, options);
    source->compression = sniff_compression({magic, *got});
    if (source->compression == Compression::gzip)
        source->gzip_index = std::make_shared<GzipIndex>();
    const Result<std::string> start = first_bytes(*source);
    if (!start) return start.error();
    const SniffedFormat format = sniff_format(*start);
    if (start->empty())
        return Error{ErrorCode::empty, 0,
                     fmt::format("{}: the {} file contains no text; is it truncated?", path,
                                 compression_name(source->compression))};
    if (!format.json)
        return Error{ErrorCode::unsupported, 0,
                     fmt::format("{}: is {}, which is not read; Chrome and Kineto JSON traces are, "
                                 "plain, gzip or zstd",
                                 path, format.name)};

    const unsigned workers = workers_of(options);
    const std::size_t block_bytes = block_bytes_of(options, source->file->size());
    const std::unique_ptr<TextSource> text =
        source->compression == Compression::none
            ? make_plain_source(source->file, block_bytes, find_event)
            : make_stream_source(make_decompressor(*source), block_bytes, find_event);
    TraceBuilder builder(options.vocabulary.get());
    Snapshots snapshots(options);
    BetweenBlocks between_blocks;
    if (options.on_snapshot)
        between_blocks = [&](const TraceBuilder& b) { snapshots.between_blocks(b); };
    Result<void> decoded =
        decode_json(*text, builder, path, workers, options.progress, between_blocks);
    if (!decoded) return decoded.error();
    const TextEnd end = text->end();
    if (end.truncated)
        builder.warn("truncated_file", end.file_offset,
                     end.reason + "; everything before it was read");
    if (!source->file->unchanged())
        builder.warn("file_changed", Error::no_offset,
                     "the file was changed while it was read; load it again when it is complete");
    if (builder.event_count() == 0)
        return Error{ErrorCode::empty, 0, fmt::format("{}: contains no events", path)};
    auto trace = std::make_shared<Trace>(builder.finish(workers));
    trace->path = path;
    trace->facts.compression = compression_name(source->compression);
    trace->source = source;
    if (options.launch_queues) add_launch_queues(*trace);
    return TracePtr(std::move(trace));
}

class NoArguments final : public ArgumentReader {
  public:
    Result<std::vector<Argument>> read(uint64_t) override { return std::vector<Argument>(); }
};

}  // namespace

Result<TracePtr> load_trace(const std::string& path, const LoadOptions& options) {
    try {
        return load(path, options);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::io, Error::no_offset,
                     fmt::format("{}: there is not enough memory to load it", path)};
    }
}

std::shared_ptr<const void> spool_source(std::shared_ptr<InputFile> file) {
    return std::make_shared<const LoadedSource>(
        LoadedSource{std::move(file), Compression::none, nullptr, true});
}

std::unique_ptr<ArgumentReader> open_arguments(const TracePtr& trace) {
    if (!trace->source) return std::make_unique<NoArguments>();
    const auto source = std::static_pointer_cast<const LoadedSource>(trace->source);
    if (source->is_spool) return make_spool_argument_reader(source->file);
    return make_json_argument_reader(
        TextReader(source->file, source->compression, source->gzip_index), trace->path);
}

std::unique_ptr<ArgumentScan> open_argument_scan(const TracePtr& trace) {
    if (!trace->source) return nullptr;
    const auto source = std::static_pointer_cast<const LoadedSource>(trace->source);
    if (source->is_spool) return make_spool_argument_scan(source->file);
    return make_json_argument_scan(source->file, source->compression);
}

}  // namespace lanescope
