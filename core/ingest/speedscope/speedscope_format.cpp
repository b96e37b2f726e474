#include "core/ingest/speedscope/speedscope_format.h"

#include "core/ingest/speedscope/speedscope_reader.h"
#include "core/ingest/whole_json/json_probe.h"

namespace lanescope {

namespace {

// The arguments of a slice are the members of its frame. The frame's number is at the slice's
// position, which lies in the event that opened the slice, or in a sample. Increasing positions
// keep outer calls before inner calls.
class FrameArguments final : public ArgumentReader {
  public:
    explicit FrameArguments(TraceInput input) : input_(std::move(input)) {}

    Result<std::vector<Argument>> read(uint64_t source) override {
        if (!is_read_)
            if (const Result<void> done = read_frames(); !done) return done.error();
        JsonCursor at = text_.cursor_at(source);
        std::string_view raw;
        if (at.at_end()) return std::vector<Argument>();
        at.read_value(raw);
        if (raw.starts_with('{'))
            for_each_member(raw, [&](std::string_view name, std::string_view value) {
                if (name == "frame") raw = value;
            });
        const std::optional<int64_t> number = json_integer(raw);
        if (!number || *number < 0 || static_cast<uint64_t>(*number) >= frames_.size())
            return std::vector<Argument>();
        return object_arguments(text_.cursor_at(frames_[static_cast<std::size_t>(*number)]),
                                {{"name"}, {}, {}});
    }

  private:
    Result<void> read_frames() {
        Result<JsonText> text = JsonText::read_again(input_);
        if (!text) return text.error();
        text_ = std::move(*text);
        is_read_ = true;
        JsonCursor at = text_.cursor();
        std::string_view raw;
        if (at.at_end() || *at.p != '{') return {};
        read_members(at, [&](std::string_view name) {
            if (name != "shared" || *at.p != '{') return at.read_value(raw);
            return read_members(at, [&](std::string_view inner) {
                if (inner != "frames" || *at.p != '[') return at.read_value(raw);
                return read_elements(at, [&] {
                    frames_.push_back(text_.position(at.p));
                    return at.read_value(raw);
                });
            });
        });
        return {};
    }

    TraceInput input_;
    bool is_read_ = false;
    JsonText text_;
    std::vector<uint64_t> frames_;  // positions
};

class SpeedscopeFormat final : public Format {
  public:
    FormatText text() const override {
        return {"speedscope",
                "speedscope files of py-spy and other profilers",
                "cpu_profilers.md",
                {"application/x-speedscope", ".speedscope.json"},
                true};
    }

    Recognised recognise(const Probe& probe) const override {
        const JsonProbe json(probe.start);
        if (json.value("$schema").find("speedscope") != std::string_view::npos) return {100};
        const std::string_view profiles = json.value("profiles");
        const bool are_profiles = profiles.find("\"startValue\"") != std::string_view::npos ||
                                  profiles.find("\"evented\"") != std::string_view::npos ||
                                  profiles.find("\"sampled\"") != std::string_view::npos ||
                                  profiles.find("\"events\"") != std::string_view::npos;
        const bool has_frames = json.value("shared").find("\"frames\"") != std::string_view::npos;
        return {are_profiles || has_frames ? 80 : 0};
    }

    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        return SpeedscopeReader(job, builder).run();
    }

    void describe(Trace& trace) const override {
        trace.facts.format = "speedscope";
        for (const auto& [name, value] : trace.metadata)
            if (name == "exporter") trace.facts.producer = json_plain(value);
    }

    std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const override {
        return std::make_unique<FrameArguments>(input);
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return scan_by_reader(std::make_unique<FrameArguments>(input), input.file->size());
    }
};

}  // namespace

const Format& speedscope_format() {
    static const SpeedscopeFormat format;
    return format;
}

}  // namespace lanescope
