#include "core/ingest/speedscope/speedscope_format.h"

#include "core/ingest/speedscope/speedscope_reader.h"
#include "core/ingest/whole_json/json_probe.h"

namespace lanescope {

namespace {

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
        return read_object_arguments(input, shown());
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return scan_object_arguments(input, shown());
    }

  private:
    static ObjectArguments shown() { return {{"name"}, {}, {}}; }
};

}  // namespace

const Format& speedscope_format() {
    static const SpeedscopeFormat format;
    return format;
}

}  // namespace lanescope
