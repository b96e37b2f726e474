#include "core/ingest/spall/spall_decoder.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "core/ingest/build/trace_sink.h"
#include "core/ingest/spall/spall_records.h"
#include "core/source/forward_text.h"

namespace lanescope {

namespace {

constexpr double kNanosOfMicrosecond = 1000;
// Times beyond are damaged; the distance of any two fits a Nanos.
constexpr double kMaxNanos = 4e18;

constexpr WarningText kUnreadableTime = {"unreadable_time",
                                         "an event whose time is not a number in range"};

constexpr CategoryWord kNoCategory = {""};  // this format has none

std::string_view word_of(EventKind kind) {
    return kind == EventKind::begin ? "begin" : "end";
}

class SpallDecoder {
  public:
    SpallDecoder(const ReadJob& job, TraceBuilder& builder)
        : job_(job), builder_(builder), text_(job.input.file, job.input.compression) {
        sink_.send_to([this](const Batch& batch) { take(batch); });
    }

    Result<void> run() {
        const Result<std::string_view> head = text_.read(0, kSpallHeaderBytes);
        if (!head) return head.error();
        const std::optional<SpallHeader> header = read_spall_header(*head);
        if (!header) return unsupported("has no complete header of a Spall file");
        if (header->version != kSpallVersion)
            return unsupported(fmt::format("is a Spall file of version {}; version {} is read",
                                           header->version, kSpallVersion));
        if (!std::isfinite(header->microseconds) || header->microseconds <= 0)
            return unsupported("is a Spall file without a valid unit of time");
        unit_ = header->microseconds * kNanosOfMicrosecond;
        return read_records();
    }

  private:
    Error unsupported(const std::string& why) const {
        return {ErrorCode::unsupported, 0, fmt::format("{}: {}", job_.input.file->path(), why)};
    }

    Result<void> read_records() {
        uint64_t at = kSpallHeaderBytes;
        for (;;) {
            const Result<std::string_view> text = text_.read(at, kSpallMaxRecord);
            if (!text) return text.error();
            if (text->empty()) break;
            SpallRecord record;
            const SpallRead read = read_spall_record(*text, record);
            if (read != SpallRead::ok) {
                builder_.warn(read == SpallRead::cut ? "truncated_file" : "unknown_record", at,
                              read == SpallRead::cut
                                  ? "the file ends within a record; everything before it was read"
                                  : "a record of an unknown kind; nothing after it was read");
                break;
            }
            if (record.kind == SpallKind::stream_over) break;
            if (record.kind != SpallKind::pad) add(record, at);
            at += record.bytes;
            if (!stopped_) return stopped_;
        }
        sink_.flush();
        return stopped_;
    }

    void add(const SpallRecord& record, uint64_t source) {
        const bool begins = record.kind == SpallKind::begin;
        RawEvent event;
        event.kind = begins ? EventKind::begin : EventKind::end;
        event.category = sink_.category(kNoCategory);
        event.lane =
            sink_.thread(sink_.process(std::to_string(record.pid)), std::to_string(record.tid));
        if (begins) event.name = sink_.text(record.name);
        const std::string_view word = word_of(event.kind);
        const double nanos = record.when * unit_;
        const bool is_readable = std::abs(nanos) <= kMaxNanos;  // false for NaN
        if (is_readable) {
            event.time = std::llround(nanos);
            event.flags = kHasTime;
        } else {
            event.kind = EventKind::unreadable;
        }
        const uint32_t added = sink_.add(event, source, word);
        if (!is_readable) sink_.warn(kUnreadableTime, added);
    }

    void take(const Batch& batch) {
        if (job_.options.progress) job_.options.progress->bytes_done.store(text_.file_bytes_done());
        stopped_ = take_batch(job_, builder_, batch);
    }

    const ReadJob& job_;
    TraceBuilder& builder_;
    ForwardText text_;
    TraceSink sink_{word_of};
    Result<void> stopped_;  // why the load ends early
    double unit_ = 0;       // in nanoseconds
};

}  // namespace

Result<void> decode_spall(const ReadJob& job, TraceBuilder& builder) {
    return SpallDecoder(job, builder).run();
}

}  // namespace lanescope
