#include "core/ingest/perf_script/perf_script_format.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/utf8.h"
#include "core/ingest/perf_script/perf_reader.h"

namespace lanescope {

namespace {

// Maximum length of an event with its lines.
constexpr std::size_t kLongestEvent = std::size_t{256} << 10;

using Arguments = std::vector<Argument>;

void add_argument(Arguments& list, std::string_view name, std::string_view value) {
    if (!value.empty()) list.push_back({std::string(name), repair_bytes(value), true});
}

// A frame, its line, and the source line below it, if printed.
struct PrintedFrame {
    PerfFrame frame;
    std::string_view line, source;
};

// The frames of an event, the innermost first. `text`: begins after the header.
std::vector<PrintedFrame> frames_of_event(const std::optional<PerfFrame>& own,
                                          const PerfHeader& header, std::string_view text) {
    std::vector<PrintedFrame> frames;
    PerfStack stack;
    const auto take = [&](const PerfFrame& frame, std::string_view line) {
        if (stack.take(frame))
            frames.push_back({frame, without_blanks(line), {}});
        else if (!frames.empty())
            frames.back().source = without_blanks(line);
    };
    if (own) take(*own, header.text);
    while (!text.empty()) {
        const std::string_view line = next_line(text);
        if (without_blanks(line).empty() || read_perf_header(line)) break;
        if (const std::optional<PerfFrame> frame = read_perf_frame(line)) take(*frame, line);
    }
    return frames;
}

// The arguments of the frame at `depth`, 1 for the outermost frame; 0: of the event itself.
Arguments perf_arguments(std::string_view text, std::size_t depth) {
    const std::string_view first = next_line(text);
    const std::optional<PerfHeader> header = read_perf_header(first);
    Arguments list;
    if (!header) return list;
    const std::optional<PerfFrame> own = read_perf_frame_of_header(first, *header);
    const std::vector<PrintedFrame> frames = frames_of_event(own, *header, text);
    if (depth > 0 && depth <= frames.size()) {
        const PrintedFrame& shown = frames[frames.size() - depth];
        add_argument(list, "address", shown.frame.address);
        add_argument(list, "symbol", shown.frame.symbol);
        add_argument(list, "offset", shown.frame.offset);
        add_argument(list, "dso", shown.frame.dso);
        if (shown.frame.is_inlined) list.push_back({"inlined", "true", false});
        add_argument(list, "line", shown.source);
    }
    add_argument(list, "event", header->event);
    add_argument(list, "period", header->period);
    add_argument(list, "cpu", header->cpu);
    if (depth > 0) return list;
    if (!own) add_argument(list, "text", header->text);
    std::string stack;
    for (const PrintedFrame& frame : frames) {
        if (!stack.empty()) stack += '\n';
        stack += frame.line;
    }
    add_argument(list, "stack", stack);
    return list;
}

// The arguments at position `place` of a text: of the last header that begins at or before it.
Arguments perf_arguments_at(std::string_view text, std::size_t place) {
    if (place >= text.size()) return {};
    for (std::size_t end = place;;) {
        const std::size_t newline = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
        const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
        std::string_view rest = text.substr(begin);
        if (read_perf_header(next_line(rest)))
            return perf_arguments(text.substr(begin), place - begin);
        if (begin == 0) return {};
        end = begin - 1;
    }
}

uint64_t begin_of_event(uint64_t source) {
    return source > kLongestEvent ? source - kLongestEvent : 0;
}

class PerfArgumentReader final : public ArgumentReader {
  public:
    explicit PerfArgumentReader(const TraceInput& input)
        : reader_(input.file, input.compression, input.gzip_index) {}

    Result<std::vector<Argument>> read(uint64_t source) override {
        const uint64_t begin = begin_of_event(source);
        const Result<std::string> text = reader_.read(begin, 2 * kLongestEvent);
        if (!text) return text.error();
        return perf_arguments_at(*text, static_cast<std::size_t>(source - begin));
    }

  private:
    TextReader reader_;
};

class PerfArgumentScan final : public ArgumentScan {
  public:
    explicit PerfArgumentScan(const TraceInput& input) : text_(input.file, input.compression) {}

    Result<std::span<const RawArgument>> read(uint64_t source) override {
        const uint64_t begin = begin_of_event(source);
        const Result<std::string_view> text = text_.read(begin, 2 * kLongestEvent);
        if (!text) return text.error();
        arguments_ = perf_arguments_at(*text, static_cast<std::size_t>(source - begin));
        raw_.clear();
        for (const Argument& argument : arguments_)
            raw_.push_back({argument.name, argument.value, argument.is_string, false});
        return std::span<const RawArgument>(raw_);
    }
    uint64_t file_bytes_done() const override { return text_.file_bytes_done(); }
    uint64_t file_bytes() const override { return text_.file_bytes(); }

  private:
    ForwardText text_;
    Arguments arguments_;
    std::vector<RawArgument> raw_;
};

class PerfScriptFormat final : public Format {
  public:
    FormatText text() const override {
        return {"perf script",
                "texts that perf script prints of a recording of Linux's perf",
                "cpu_profilers.md",
                {},
                true};
    }

    Recognised recognise(const Probe& probe) const override {
        const PerfStart start = perf_start(probe.start);
        if (!start.is_perf) return {};
        if (start.has_times) return {90};
        return {0, "a text of perf script without times",
                "print it with `perf script -F +pid,+tid,+time > X.txt` and open X.txt"};
    }

    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        return PerfScriptReader(job, builder).run();
    }

    void describe(Trace& trace) const override {
        trace.facts.format = "perf-script";
        trace.facts.producer = "perf";
    }

    std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const override {
        return std::make_unique<PerfArgumentReader>(input);
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return std::make_unique<PerfArgumentScan>(input);
    }
};

}  // namespace

const Format& perf_script_format() {
    static const PerfScriptFormat format;
    return format;
}

}  // namespace lanescope
