#include "core/ingest/spall/spall_decoder.h"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <string>

#include "core/base/utf8.h"
#include "core/ingest/build/local_names.h"
#include "core/ingest/spall/spall_records.h"
#include "core/source/forward_text.h"

namespace lanescope {

namespace {

constexpr std::size_t kEventsOfBatch = std::size_t{1} << 15;
constexpr double kNanosOfMicrosecond = 1000;
// Times beyond are damaged; the distance of any two fits a Nanos.
constexpr double kMaxNanos = 4e18;

constexpr WarningText kUnreadableTime = {"unreadable_time",
                                         "an event whose time is not a number in range"};

// Categories and their classes are unknown in this format.
CategoryMeaning no_category(std::string_view) {
    return {};
}

class SpallDecoder {
  public:
    SpallDecoder(const ReadJob& job, TraceBuilder& builder)
        : job_(job), builder_(builder), text_(job.input.file, job.input.compression) {}

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
            if (batch_.events.size() < kEventsOfBatch) continue;
            flush();
            if (job_.is_cancelled()) return cancelled(job_.input);
        }
        flush();
        return {};
    }

    void add(const SpallRecord& record, uint64_t source) {
        if (batch_.events.empty()) batch_.source_base = source;
        RawEvent event;
        event.source = static_cast<uint32_t>(source - batch_.source_base);
        event.category = names_.category("");
        event.lane = names_.lane(std::to_string(record.pid), std::to_string(record.tid));
        const bool begins = record.kind == SpallKind::begin;
        event.kind = begins ? EventKind::begin : EventKind::end;
        if (begins) event.name = text(record.name);
        const double nanos = record.when * unit_;
        if (std::abs(nanos) <= kMaxNanos) {  // false for NaN
            event.time = std::llround(nanos);
            event.flags = kHasTime;
        } else {
            event.kind = EventKind::unreadable;
            batch_.warnings.push_back({&kUnreadableTime, event.source});
        }
        batch_.events.push_back(event);
        ++(begins ? begins_ : ends_);
    }

    LocalId text(std::string_view text) {
        return is_utf8(text) ? names_.text(text) : names_.text(repair_bytes(text));
    }

    void flush() {
        names_.hand_over(batch_, no_category);
        if (begins_ > 0) batch_.words.emplace_back("begin", begins_);
        if (ends_ > 0) batch_.words.emplace_back("end", ends_);
        builder_.append(batch_);
        batch_.clear();
        begins_ = ends_ = 0;
        if (LoadProgress* const progress = job_.options.progress) {
            progress->bytes_done.store(text_.file_bytes_done());
            progress->events.store(builder_.event_count());
        }
        if (job_.between_batches) job_.between_batches(builder_);
    }

    const ReadJob& job_;
    TraceBuilder& builder_;
    ForwardText text_;
    LocalNames names_;
    Batch batch_;
    double unit_ = 0;  // in nanoseconds
    uint64_t begins_ = 0;
    uint64_t ends_ = 0;
};

}  // namespace

Result<void> decode_spall(const ReadJob& job, TraceBuilder& builder) {
    return SpallDecoder(job, builder).run();
}

}  // namespace lanescope
