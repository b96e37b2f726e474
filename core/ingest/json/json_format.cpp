#include "core/ingest/json/json_format.h"

#include <algorithm>

#include "core/ingest/foreign.h"
#include "core/ingest/json/json_arguments.h"
#include "core/ingest/json/json_decoder.h"
#include "core/ingest/json/json_number.h"
#include "core/ingest/json/json_scanner.h"
#include "core/ingest/json/trace_metadata.h"
#include "core/ingest/kineto/kineto_lanes.h"
#include "core/source/forward_text.h"

namespace lanescope {

namespace {

constexpr std::size_t kMinBlockBytes = 64;
// Long blocks have less overhead; short blocks take less memory and let workers finish at the same
// time.
constexpr std::size_t kStartBytes = std::size_t{64} << 10;  // searched for the first event
constexpr uint64_t kShortBlock = uint64_t{512} << 10;
constexpr uint64_t kLongBlock = uint64_t{1} << 20;
constexpr uint64_t kBlocksOfFile = 16;

std::size_t block_bytes_of(const LoadOptions& options, uint64_t file_bytes) {
    if (options.block_bytes) return std::max(options.block_bytes, kMinBlockBytes);
    return std::clamp(file_bytes / kBlocksOfFile, kShortBlock, kLongBlock);
}

// Derived from the first event with a time near the start of the file.
Result<int64_t> time_base_of(const TraceInput& input) {
    std::string start(kStartBytes, '\0');
    const Result<std::size_t> got =
        read_in_order(input.file, input.compression)->read(start.data(), start.size());
    if (!got) return got.error();
    return find_time_base({start.data(), *got});
}

class JsonFormat final : public Format {
  public:
    FormatText text() const override {
        return {"Chrome and Kineto JSON",
                "traces of PyTorch's profiler (Kineto) and others in Chrome's JSON, old and new",
                "chrome_json.md",
                {"application/x-lanescope-trace", ".trace.json .trace.json.gz .trace.json.zst"},
                true};
    }

    Recognised recognise(const Probe& probe) const override {
        std::string_view text = probe.start;
        if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
        const std::size_t first = text.find_first_not_of(" \n\r\t");
        const bool may_be_json =
            first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
        if (!may_be_json) return {};
        if (Recognised foreign = recognise_foreign_json(probe.start); !foreign.what.empty())
            return foreign;
        const auto has = [&](std::string_view word) { return text.find(word) != text.npos; };
        return {has("\"traceEvents\"") || has("\"ph\"") ? 60 : 50};
    }

    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        const TraceInput& input = job.input;
        const std::size_t block_bytes = block_bytes_of(job.options, input.file->size());
        const std::unique_ptr<TextSource> text =
            input.compression == Compression::none
                ? make_plain_source(input.file, block_bytes, find_event)
                : make_stream_source(read_in_order(input.file, input.compression, input.gzip_index),
                                     block_bytes, find_event);
        const Result<int64_t> time_base = time_base_of(input);
        if (!time_base) return time_base.error();
        builder.set_time_base(*time_base);
        Result<void> decoded = decode_json(*text, builder, input.file->path(), job.workers,
                                           job.options.progress, job.between_batches, *time_base);
        const TextEnd end = decoded ? text->end() : TextEnd{};
        if (end.truncated)
            builder.warn("truncated_file", end.file_offset,
                         end.reason + "; everything before it was read");
        return decoded;
    }

    void (*complete_lanes() const)(BuilderState&) override { return complete_json_lanes; }
    void describe(Trace& trace) const override { read_metadata(trace); }

    std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const override {
        return make_json_argument_reader(
            TextReader(input.file, input.compression, input.gzip_index), input.file->path());
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return make_json_argument_scan(input.file, input.compression);
    }
};

}  // namespace

const Format& json_format() {
    static const JsonFormat format;
    return format;
}

}  // namespace lanescope
