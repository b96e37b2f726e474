#include "core/ingest/spall/spall_format.h"

#include <fmt/format.h>

#include "core/base/utf8.h"
#include "core/ingest/spall/spall_decoder.h"
#include "core/ingest/spall/spall_records.h"
#include "core/source/forward_text.h"

namespace lanescope {

namespace {

constexpr std::string_view kArgument = "args";

class SpallArgumentReader final : public ArgumentReader {
  public:
    explicit SpallArgumentReader(const TraceInput& input)
        : path_(input.file->path()), reader_(input.file, input.compression, input.gzip_index) {}

    Result<std::vector<Argument>> read(uint64_t source) override {
        const Result<std::string> text = reader_.read(source, kSpallMaxRecord);
        if (!text) return text.error();
        SpallRecord record;
        if (read_spall_record(*text, record) != SpallRead::ok)
            return Error{
                ErrorCode::damaged, source,
                fmt::format("{}: there is no whole event at byte {}; has the file changed?", path_,
                            source)};
        if (record.arguments.empty()) return std::vector<Argument>();
        return std::vector<Argument>{
            {std::string(kArgument), repair_bytes(record.arguments), true}};
    }

  private:
    std::string path_;
    TextReader reader_;
};

class SpallArgumentScan final : public ArgumentScan {
  public:
    explicit SpallArgumentScan(const TraceInput& input) : text_(input.file, input.compression) {}

    Result<std::span<const RawArgument>> read(uint64_t source) override {
        const Result<std::string_view> text = text_.read(source, kSpallMaxRecord);
        if (!text) return text.error();
        SpallRecord record;
        if (read_spall_record(*text, record) != SpallRead::ok || record.arguments.empty())
            return std::span<const RawArgument>();
        value_ = repair_bytes(record.arguments);
        argument_ = {kArgument, value_, true, false};
        return std::span<const RawArgument>(&argument_, 1);
    }
    uint64_t file_bytes_done() const override { return text_.file_bytes_done(); }
    uint64_t file_bytes() const override { return text_.file_bytes(); }

  private:
    ForwardText text_;
    std::string value_;
    RawArgument argument_;
};

class SpallFormat final : public Format {
  public:
    FormatText text() const override {
        return {"Spall",
                "binary traces of Spall",
                "spall.md",
                {"application/x-spall-trace", ".spall"},
                true};
    }

    Recognised recognise(const Probe& probe) const override {
        return {probe.start.starts_with(kSpallMagic) ? 100 : 0};
    }

    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        return decode_spall(job, builder);
    }

    void describe(Trace& trace) const override { trace.facts.format = "spall"; }

    std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const override {
        return std::make_unique<SpallArgumentReader>(input);
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return std::make_unique<SpallArgumentScan>(input);
    }
};

}  // namespace

const Format& spall_format() {
    static const SpallFormat format;
    return format;
}

}  // namespace lanescope
