#include "core/ingest/cpuprofile/cpuprofile_format.h"

#include "core/ingest/cpuprofile/cpuprofile_reader.h"
#include "core/ingest/whole_json/json_probe.h"

namespace lanescope {

namespace {

class CpuprofileFormat final : public Format {
  public:
    FormatText text() const override {
        return {"V8 CPU profiles",
                "CPU profiles of V8: of Chrome, Node.js and others",
                "cpu_profilers.md",
                {"application/x-v8-cpuprofile", ".cpuprofile"},
                true};
    }

    Recognised recognise(const Probe& probe) const override {
        const JsonProbe json(probe.start);
        if (json.has("traceEvents")) return {};
        const bool has_nodes =
            json.value("nodes").find("\"callFrame\"") != std::string_view::npos ||
            json.value("head").find("\"functionName\"") != std::string_view::npos;
        const bool has_samples = json.has("timeDeltas") && json.has("samples");
        return {has_nodes || has_samples ? 100 : 0};
    }

    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        return CpuprofileReader(job, builder).run();
    }

    void describe(Trace& trace) const override {
        trace.facts.format = "cpuprofile";
        trace.facts.producer = "V8";
    }

    std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const override {
        return read_object_arguments(input, shown());
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return scan_object_arguments(input, shown());
    }

  private:
    static ObjectArguments shown() {
        return {{"functionName", "children"}, "callFrame", "children"};
    }
};

}  // namespace

const Format& cpuprofile_format() {
    static const CpuprofileFormat format;
    return format;
}

}  // namespace lanescope
