#include "core/ingest/json/json_format.h"

#include <algorithm>

#include "core/ingest/json/json_arguments.h"
#include "core/ingest/json/json_decoder.h"
#include "core/ingest/json/json_scanner.h"
#include "core/ingest/json/trace_metadata.h"
#include "core/source/forward_text.h"

namespace lanescope {

namespace {

constexpr std::size_t kMinBlockBytes = 64;
// Long blocks have less overhead; short blocks take less memory and let workers finish at the same
// time.
constexpr uint64_t kShortBlock = uint64_t{512} << 10;
constexpr uint64_t kLongBlock = uint64_t{1} << 20;
constexpr uint64_t kBlocksOfFile = 16;

std::size_t block_bytes_of(const LoadOptions& options, uint64_t file_bytes) {
    if (options.block_bytes) return std::max(options.block_bytes, kMinBlockBytes);
    return std::clamp(file_bytes / kBlocksOfFile, kShortBlock, kLongBlock);
}

class JsonFormat final : public Format {
  public:
    std::string_view name() const override { return "Chrome and Kineto JSON"; }

    int confidence(const Probe& probe) const override {
        return sniff_format(probe.start).json ? 50 : 0;
    }

    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        const TraceInput& input = job.input;
        const std::size_t block_bytes = block_bytes_of(job.options, input.file->size());
        const std::unique_ptr<TextSource> text =
            input.compression == Compression::none
                ? make_plain_source(input.file, block_bytes, find_event)
                : make_stream_source(read_in_order(input.file, input.compression, input.gzip_index),
                                     block_bytes, find_event);
        Result<void> decoded = decode_json(*text, builder, input.file->path(), job.workers,
                                           job.options.progress, job.between_batches);
        const TextEnd end = decoded ? text->end() : TextEnd{};
        if (end.truncated)
            builder.warn("truncated_file", end.file_offset,
                         end.reason + "; everything before it was read");
        return decoded;
    }

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
