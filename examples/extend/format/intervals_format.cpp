#include "examples/extend/format/intervals_format.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/utf8.h"
#include "core/ingest/build/trace_sink.h"
#include "core/source/forward_text.h"

namespace lanescope {

namespace {

constexpr std::string_view kMagic = "intervals 1\n";
constexpr std::size_t kMaxLine = 4096;
// Later times are damaged. The difference of any two valid times fits a Nanos.
constexpr Nanos kMaxTime = 4'000'000'000'000'000'000;

constexpr CategoryWord kWork = {"work"};
constexpr WarningText kUnreadableLine = {"unreadable_line", "a line that is not an interval"};

std::string_view word_of(EventKind) {
    return "interval";
}

struct Interval {
    std::string_view name, thread, note;
    Nanos begin = 0;
    Nanos end = 0;
};

std::string_view next_word(std::string_view& line) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    return word;
}

bool read_time(std::string_view word, Nanos& time) {
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, time);
    return error == std::errc() && stop == end && time >= 0 && time <= kMaxTime;
}

std::optional<Interval> read_interval(std::string_view line) {
    Interval interval;
    interval.name = next_word(line);
    if (!read_time(next_word(line), interval.begin)) return std::nullopt;
    if (!read_time(next_word(line), interval.end)) return std::nullopt;
    interval.thread = next_word(line);
    interval.note = line;
    const bool sound = interval.end >= interval.begin && !interval.thread.empty();
    return sound ? std::optional(interval) : std::nullopt;
}

// Reads the lines in order. Each becomes an event, which keeps the line's position.
class IntervalsDecoder {
  public:
    IntervalsDecoder(const ReadJob& job, TraceBuilder& builder)
        : job_(job), builder_(builder), text_(job.input.file, job.input.compression) {
        sink_.send_to([this](const Batch& batch) { take(batch); });
    }

    Result<void> run() {
        for (uint64_t at = kMagic.size();;) {
            const Result<std::string_view> text = text_.read(at, kMaxLine);
            if (!text) return text.error();
            if (text->empty()) break;
            const std::size_t end = text->substr(0, kMaxLine).find('\n');
            if (end == std::string_view::npos) {
                builder_.warn("truncated_file", at, "a line has no end; it was not read");
                break;
            }
            add(text->substr(0, end), at);
            at += end + 1;
            if (!stopped_) return stopped_;
        }
        sink_.flush();
        return stopped_;
    }

  private:
    void add(std::string_view line, uint64_t at) {
        const std::optional<Interval> interval = read_interval(line);
        if (!interval) return sink_.warn(kUnreadableLine, sink_.add(RawEvent(), at));
        const LocalId lane = sink_.thread(sink_.process("1"), interval->thread);
        sink_.slice(lane, interval->begin, interval->end - interval->begin,
                    sink_.text(interval->name), sink_.category(kWork), at);
    }

    void take(const Batch& batch) {
        builder_.append(batch);
        if (LoadProgress* const progress = job_.options.progress) {
            progress->bytes_done.store(text_.file_bytes_done());
            progress->events.store(builder_.event_count());
        }
        if (job_.between_batches) stopped_ = job_.between_batches(builder_);
        if (stopped_ && job_.is_cancelled()) stopped_ = cancelled(job_.input);
    }

    const ReadJob& job_;
    TraceBuilder& builder_;
    ForwardText text_;
    TraceSink sink_{word_of};
    Result<void> stopped_;  // why the load ends early
};

// Reads one line again, for the note that the trace does not keep.
class IntervalArguments final : public ArgumentReader {
  public:
    explicit IntervalArguments(const TraceInput& input)
        : text_(input.file, input.compression, input.gzip_index) {}

    Result<std::vector<Argument>> read(uint64_t source) override {
        const Result<std::string> text = text_.read(source, kMaxLine);
        if (!text) return text.error();
        const auto interval = read_interval(std::string_view(*text).substr(0, text->find('\n')));
        if (!interval) return Error{ErrorCode::damaged, source, "there is no interval any more"};
        if (interval->note.empty()) return std::vector<Argument>();
        return std::vector<Argument>{{"note", repair_bytes(interval->note), true}};
    }

  private:
    TextReader text_;
};

class IntervalsFormat final : public Format {
  public:
    FormatText text() const override {
        return {"intervals",
                "text files of intervals",
                "intervals.md",
                {"application/x-intervals", ".intervals"},
                false};
    }
    Recognised recognise(const Probe& probe) const override {
        if (!probe.start.starts_with(kMagic)) return {};
        if (probe.compression == Compression::none) return {100};
        return {0, "a compressed file of intervals", "unpack it first"};
    }
    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        return IntervalsDecoder(job, builder).run();
    }
    void describe(Trace& trace) const override { trace.facts.format = "intervals"; }
    std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const override {
        return std::make_unique<IntervalArguments>(input);
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return scan_by_reader(open_arguments(input), input.file->size());
    }
};

}  // namespace

const Format& intervals_format() {
    static const IntervalsFormat format;
    return format;
}

}  // namespace lanescope
