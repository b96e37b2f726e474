#include "core/ingest/torch_trace/torch_trace_reader.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "core/base/format.h"
#include "core/compile/log_reader.h"
#include "core/ingest/build/trace_sink.h"
#include "core/ingest/format.h"
#include "core/source/forward_text.h"

namespace lanescope {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr CategoryWord kPhase = {"dynamo_timed"};
constexpr CategoryWord kMark = {"compile_mark"};

std::string_view phase_word(EventKind kind) {
    switch (kind) {
        case EventKind::begin:
            return "B";
        case EventKind::end:
            return "E";
        case EventKind::metadata:
            return "M";
        default:
            return "i";
    }
}

class TorchTraceReader {
  public:
    TorchTraceReader(const ReadJob& job, TraceBuilder& builder) : job_(job), builder_(builder) {
        sink_.send_to([this](const Batch& batch) { builder_.append(batch); });
    }

    Result<void> run() {
        const auto text =
            read_in_order(job_.input.file, job_.input.compression, job_.input.gzip_index);
        TorchLogSplitter records([this](const TorchRecord& record) { take(record); });
        std::string block(kBlockBytes, '\0');
        for (;;) {
            const Result<std::size_t> got = text->read(block.data(), block.size());
            if (!got) return got.error();
            records.add(std::string_view(block).substr(0, *got));
            sink_.flush();
            if (Result<void> go_on = report(*text); !go_on) return go_on;
            if (*got < block.size()) break;
        }
        records.finish();
        if (!last_time_) place_early_marks(0);
        sink_.flush();
        if (const TextEnd end = text->end(); end.truncated)
            builder_.warn("truncated_file", end.file_offset, end.reason);
        return hand_over(records);
    }

  private:
    Result<void> report(const Decompressor& text) {
        if (LoadProgress* const progress = job_.options.progress) {
            progress->bytes_done.store(text.file_bytes_done());
            progress->events.store(builder_.event_count());
        }
        if (job_.is_cancelled()) return cancelled(job_.input);
        return job_.between_batches ? job_.between_batches(builder_) : Result<void>();
    }

    void take(const TorchRecord& record) {
        const uint64_t breaks = log_.breaks();
        const uint64_t guards = log_.failed_guards();
        const PhaseEvent* const event = log_.take(record);
        const LocalId process = sink_.process(std::to_string(record.pid));
        const LocalId lane = sink_.thread(process, "compile");
        if (!is_named_) {
            sink_.name_process(process, sink_.text("torch.compile"), record.offset);
            sink_.name_lane(lane, sink_.text("compile"), record.offset);
            is_named_ = true;
        }
        if (event) {
            add_phase(*event, lane, record.offset);
            place_early_marks(event->time);
        }
        if (log_.breaks() > breaks) add_mark("graph break", lane, record.offset);
        if (log_.failed_guards() > guards) add_mark("recompile", lane, record.offset);
    }

    void add_phase(const PhaseEvent& event, LocalId lane, uint64_t source) {
        RawEvent raw;
        raw.time = event.time;
        raw.flags = kHasTime;
        raw.lane = lane;
        raw.name = sink_.text(event.name);
        raw.category = sink_.category(kPhase);
        switch (event.phase) {
            case 'B':
                raw.kind = EventKind::begin;
                break;
            case 'E':
                raw.kind = EventKind::end;
                break;
            case 'i':
            case 'I':
                raw.kind = EventKind::instant;
                break;
            default:
                return;
        }
        sink_.add(raw, source);
    }

    void place_early_marks(Nanos time) {
        last_time_ = time;
        for (const Mark& mark : std::exchange(early_, {}))
            add_mark(mark.name, mark.lane, mark.source);
    }

    // Records of breaks and guards state only a time of day, so a mark gets the time of the last
    // event before the record, or of the first event if there is none.
    void add_mark(std::string_view name, LocalId lane, uint64_t source) {
        if (!last_time_) return early_.push_back({name, lane, source});
        sink_.instant(lane, *last_time_, sink_.text(name), sink_.category(kMark), source);
    }

    Result<void> hand_over(const TorchLogSplitter& records) {
        auto code = std::make_shared<CompiledCode>(log_.finish());
        code->origin = job_.input.file->path();
        if (code->damaged > 0)
            builder_.warn("damaged_record", code->first_damaged,
                          fmt::format("{} that cannot be read",
                                      format_count(code->damaged, "record", "records")));
        if (records.foreign_lines() > 0)
            builder_.warn("foreign_lines", records.first_foreign(),
                          fmt::format("{} outside records",
                                      format_count(records.foreign_lines(), "line", "lines")));
        builder_.set_compiled_code(std::move(code));
        return {};
    }

    const ReadJob& job_;
    TraceBuilder& builder_;
    TraceSink sink_{phase_word};
    CompileLogReader log_;
    struct Mark {
        std::string_view name;  // a constant
        LocalId lane;
        uint64_t source;
    };
    std::vector<Mark> early_;
    std::optional<Nanos> last_time_;
    bool is_named_ = false;
};

}  // namespace

Result<void> read_torch_trace(const ReadJob& job, TraceBuilder& builder) {
    return TorchTraceReader(job, builder).run();
}

}  // namespace lanescope
