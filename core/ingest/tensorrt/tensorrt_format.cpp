#include "core/ingest/tensorrt/tensorrt_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/ingest/build/trace_sink.h"
#include "core/ingest/whole_json/fine_time.h"
#include "core/ingest/whole_json/json_probe.h"
#include "core/ingest/whole_json/json_text.h"

namespace lanescope {

namespace {

constexpr CategoryWord kTrtEnqueue = {"cuda_runtime", EventClass::runtime, kLaunchCall};
constexpr CategoryWord kTrtCompute = {"kernel", EventClass::kernel, kGpuActivity};
constexpr CategoryWord kTrtCopy = {"gpu_memcpy", EventClass::memory, kGpuActivity};
constexpr int kMilliseconds = -3;

// A span of an inference, with the names of its members in new and old files.
struct TrtSpan {
    std::array<std::string_view, 2> starts;
    std::array<std::string_view, 2> ends;
    std::string_view name;
    std::string_view lane;
    const CategoryWord* category;
};
constexpr std::array kTrtSpans = {
    TrtSpan{{"startEnqMs", ""}, {"endEnqMs", ""}, "enqueue", "", &kTrtEnqueue},
    TrtSpan{{"startH2dMs", "startInMs"},
            {"endH2dMs", "endInMs"},
            "Memcpy HtoD (Host -> Device)",
            "input",
            &kTrtCopy},
    TrtSpan{{"startComputeMs", ""}, {"endComputeMs", ""}, "inference", "compute", &kTrtCompute},
    TrtSpan{{"startD2hMs", "startOutMs"},
            {"endD2hMs", "endOutMs"},
            "Memcpy DtoH (Device -> Host)",
            "output",
            &kTrtCopy},
};

std::string_view tensorrt_word(EventKind kind) {
    return kind == EventKind::slice ? "span" : "name";
}

class TensorrtReader {
  public:
    TensorrtReader(const ReadJob& job, TraceBuilder& builder)
        : job_(job), builder_(builder), sink_(tensorrt_word) {
        sink_.send_to([this](const Batch& batch) { stopped_ = take_batch(job_, builder_, batch); });
    }

    Result<void> run() {
        Result<JsonText> text = JsonText::read(job_, builder_);
        if (!text) return text.error();
        const LocalId process = sink_.process("trtexec");
        thread_ = sink_.thread(process, "enqueue");
        device_ = sink_.device(process, 0);
        JsonCursor at = text->cursor();
        const bool whole = read_elements(at, [&] {
            const uint64_t position = text->position(at.p);
            std::string_view raw;
            if (!at.read_value(raw)) return false;
            if (raw.starts_with('{')) take_inference(raw, position);
            return static_cast<bool>(stopped_);
        });
        sink_.flush();
        if (!stopped_) return stopped_;
        if (!whole)
            builder_.warn("truncated_file", text->position(std::min(at.p, at.end)),
                          "the file ends or is damaged here; everything before it was read");
        builder_.warn("untried_writer", Error::no_offset,
                      "the reader of this format was never tried on a file of its writer; check "
                      "what matters");
        builder_.warn("whole_inferences", Error::no_offset,
                      "the file has no kernels, and does not name the GPU: a slice is the whole "
                      "work of an inference, on GPU 0");
        return {};
    }

  private:
    void take_inference(std::string_view object, uint64_t position) {
        std::array<std::optional<FineTime>, kTrtSpans.size()> starts;
        std::array<std::optional<FineTime>, kTrtSpans.size()> ends;
        for_each_member(object, [&](std::string_view name, std::string_view raw) {
            for (std::size_t i = 0; i < kTrtSpans.size(); ++i) {
                const auto& [first, last] = std::pair(kTrtSpans[i].starts, kTrtSpans[i].ends);
                if (name == first[0] || name == first[1])
                    starts[i] = parse_fine_time(without_quotes(raw), kMilliseconds);
                if (name == last[0] || name == last[1])
                    ends[i] = parse_fine_time(without_quotes(raw), kMilliseconds);
            }
        });
        ++number_;
        for (std::size_t i = 0; i < kTrtSpans.size(); ++i) {
            const TrtSpan& span = kTrtSpans[i];
            const bool is_copy = span.category == &kTrtCopy;
            if (is_copy && starts[i] && ends[i] && *starts[i] == *ends[i]) continue;  // none
            if (!starts[i] || !ends[i] || *ends[i] < *starts[i]) {
                builder_.warn("unreadable_time", position,
                              "a span of an inference without a start or end; not shown");
                continue;
            }
            add_span(span, rounded(*starts[i]), rounded(*ends[i]), position);
        }
    }

    void add_span(const TrtSpan& span, Nanos begin, Nanos end, uint64_t position) {
        const bool on_gpu = span.category != &kTrtEnqueue;
        const LocalId lane = on_gpu ? sink_.stream(device_, span.lane) : thread_;
        const uint32_t event = sink_.slice(lane, begin, end - begin, sink_.text(span.name),
                                           sink_.category(*span.category), position);
        if (!on_gpu) {
            sink_.attach<RuntimeFacts>(event).correlation = number_;
            return;
        }
        auto& row = sink_.attach<GpuFacts>(event);
        row.device = 0;
        if (span.category == &kTrtCompute) row.correlation = number_;
    }

    const ReadJob& job_;
    TraceBuilder& builder_;
    TraceSink sink_;
    Result<void> stopped_;  // why the load ends early
    LocalId thread_ = 0;
    LocalId device_ = 0;
    int64_t number_ = 0;  // index of the inference
};

class TensorrtFormat final : public Format {
  public:
    FormatText text() const override {
        return {"TensorRT times",
                "times of inferences that trtexec exports (--exportTimes)",
                "tensorrt.md",
                {},
                true};
    }

    Recognised recognise(const Probe& probe) const override {
        const JsonProbe json(probe.start);
        const std::string_view first = json.first_element();
        if (first.find("\"startComputeMs\"") != std::string_view::npos) return {100};
        return {};
    }

    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        return TensorrtReader(job, builder).run();
    }

    void describe(Trace& trace) const override {
        trace.facts.format = "tensorrt-times";
        trace.facts.producer = "TensorRT trtexec";
    }

    std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const override {
        return read_object_arguments(input, {});
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return scan_object_arguments(input, {});
    }
};

}  // namespace

const Format& tensorrt_format() {
    static const TensorrtFormat format;
    return format;
}

}  // namespace lanescope
