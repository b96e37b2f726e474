#include "core/ingest/spool/recording_format.h"

#include <algorithm>

#include "core/ingest/spool/spool_arguments.h"
#include "core/ingest/spool/spool_decoder.h"

namespace lanescope {

namespace {

class RecordingFormat final : public Format {
  public:
    FormatText text() const override {
        return {"recordings of lanescope record",
                "recordings of `lanescope record`",
                "spool.md",
                {"application/x-lanescope-spool", ".spool"},
                false};
    }

    // A spool file is read in place, so it cannot be compressed.
    Recognised recognise(const Probe& probe) const override {
        if (!is_spool(probe.start)) return {};
        if (probe.compression == Compression::none) return {100};
        return {0, "a compressed spool file", "unpack it first"};
    }
    bool may_grow() const override { return true; }

    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        const InputFile& file = *job.input.file;
        LoadProgress* const progress = job.options.progress;
        const auto decoder = SpoolDecoder::open(job.input.file);
        if (!decoder) return decoder.error();
        SpoolSink sink;
        Result<void> stopped;  // why the load ends early
        sink.batch = [&](const Batch& batch) {
            builder.append(batch);
            if (job.between_batches && stopped) stopped = job.between_batches(builder);
            if (!progress) return;
            progress->events.store(builder.event_count());
            progress->bytes_done.store(std::min(batch.source_base, file.size()));
        };
        sink.stop = [&] { return !stopped || job.is_cancelled(); };
        sink.warn = [&](const std::string& code, uint64_t offset, std::string_view text) {
            builder.warn(code, offset, text);
        };
        const Result<uint64_t> taken = (*decoder)->read_on(sink);
        if (!taken) return taken.error();
        if (job.is_cancelled()) return cancelled(job.input);
        if (stopped) (*decoder)->finish(sink);
        if (!stopped) return stopped;
        if (progress) progress->bytes_done.store(file.size());
        for (auto& [name, value] : (*decoder)->metadata()) builder.add_metadata(name, value);
        for (Device& device : (*decoder)->devices()) builder.add_device(std::move(device));
        if (!(*decoder)->is_complete())
            builder.warn(
                "still_recording", Error::no_offset,
                "the recorder has not finished this file; load it again to see later events");
        return {};
    }

    void describe(Trace& trace) const override {
        trace.facts.format = "lanescope-spool";
        trace.facts.producer = "lanescope record";
    }

    std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const override {
        return make_spool_argument_reader(input.file);
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return scan_by_reader(open_arguments(input), input.file->size());
    }
};

}  // namespace

const Format& recording_format() {
    static const RecordingFormat format;
    return format;
}

}  // namespace lanescope
