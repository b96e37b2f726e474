#include "core/ingest/torch_trace/torch_trace_format.h"

#include <fmt/format.h>

#include "core/base/utf8.h"
#include "core/compile/compiled_code.h"
#include "core/compile/record_arguments.h"
#include "core/compile/torch_log.h"
#include "core/ingest/torch_trace/torch_trace_reader.h"
#include "core/source/forward_text.h"

namespace lanescope {

namespace {

// Event records are short; longer records are cut.
constexpr std::size_t kMostBytes = std::size_t{64} << 10;

std::vector<Argument> arguments_in(std::string_view text) {
    std::vector<Argument> arguments;
    for (RecordArgument& one : record_arguments(text))
        arguments.push_back({repair_bytes(one.key), repair_bytes(one.value), one.is_text});
    return arguments;
}

class TorchTraceArguments final : public ArgumentReader {
  public:
    explicit TorchTraceArguments(const TraceInput& input)
        : reader_(input.file, input.compression, input.gzip_index) {}

    Result<std::vector<Argument>> read(uint64_t source) override {
        const Result<std::string> text = reader_.read(source, kMostBytes);
        if (!text) return text.error();
        return arguments_in(*text);
    }

  private:
    TextReader reader_;
};

class TorchTraceScan final : public ArgumentScan {
  public:
    explicit TorchTraceScan(const TraceInput& input) : text_(input.file, input.compression) {}

    Result<std::span<const RawArgument>> read(uint64_t source) override {
        const Result<std::string_view> text = text_.read(source, kMostBytes);
        if (!text) return text.error();
        arguments_ = arguments_in(*text);
        raw_.clear();
        for (const Argument& one : arguments_)
            raw_.push_back({one.name, one.value, one.is_string, false});
        return std::span<const RawArgument>(raw_);
    }
    uint64_t file_bytes_done() const override { return text_.file_bytes_done(); }
    uint64_t file_bytes() const override { return text_.file_bytes(); }

  private:
    ForwardText text_;
    std::vector<Argument> arguments_;
    std::vector<RawArgument> raw_;
};

// Whether one of the first lines starts a record. The first record of a log may be incomplete.
bool has_record(std::string_view start) {
    constexpr int kMostLines = 1000;
    for (int i = 0; i < kMostLines && !start.empty(); ++i) {
        const std::size_t end = start.find('\n');
        if (begins_torch_record(start.substr(0, end))) return true;
        if (end == std::string_view::npos) break;
        start.remove_prefix(end + 1);
    }
    return false;
}

class TorchTraceFormat final : public Format {
  public:
    FormatText text() const override {
        return {"TORCH_TRACE",
                "logs of torch.compile (TORCH_TRACE, TORCH_COMPILE_DEBUG)",
                "torch_trace.md",
                {},
                true};
    }

    Recognised recognise(const Probe& probe) const override {
        return {has_record(probe.start) ? 90 : 0};
    }

    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        return read_torch_trace(job, builder);
    }

    void describe(Trace& trace) const override {
        trace.facts.format = "torch-trace";
        trace.facts.producer = "torch.compile";
        if (trace.compiled_code && !trace.compiled_code->producer.empty())
            trace.facts.producer = trace.compiled_code->producer;
    }

    std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const override {
        return std::make_unique<TorchTraceArguments>(input);
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return std::make_unique<TorchTraceScan>(input);
    }
};

}  // namespace

const Format& torch_trace_format() {
    static const TorchTraceFormat format;
    return format;
}

}  // namespace lanescope
