#include "core/ingest/perfetto/perfetto_format.h"

#include <algorithm>
#include <array>

#include "core/ingest/json/json_number.h"
#include "core/ingest/kineto/kineto_lanes.h"
#include "core/ingest/perfetto/annotation_texts.h"
#include "core/ingest/perfetto/packet_arguments.h"
#include "core/ingest/perfetto/packet_stream.h"
#include "core/ingest/perfetto/pftrace_reader.h"

namespace lanescope {

namespace {

constexpr int kMostProbed = 64;  // packets to probe

// Packet fields that do not occur at this place in XSpace or pprof messages.
constexpr std::array<uint32_t, 30> kTelling = {8,  10, 11, 12, 13, 33,  35,  36,  41,  42,
                                               43, 44, 45, 50, 52, 53,  58,  59,  60,  66,
                                               67, 69, 79, 87, 89, 117, 118, 128, 133, 135};

// Statistics of the packets at the start of a file. The last packet may be truncated.
struct Probed {
    int packets = 0;
    int telling = 0;
    bool is_damaged = false;
};

// Whether all fields in the available part of a message are well-formed. `telling`: set if one of
// them is a known field.
bool probe_packet(std::string_view message, bool is_cut, bool& telling) {
    while (!message.empty()) {
        const std::optional<FieldPlace> field = read_field_place(message);
        if (!field) return is_cut;
        // In an XSpace, the field of ftrace events is a number.
        telling |= std::ranges::find(kTelling, field->field) != kTelling.end() ||
                   (field->field == 1 && field->wire_type == 2);
        if (field->size > message.size() - field->begin) return is_cut;
        message.remove_prefix(field->begin + field->size);
    }
    return true;
}

Probed probe_packets(std::string_view text) {
    Probed probed;
    while (!text.empty() && probed.packets < kMostProbed) {
        const std::optional<FieldPlace> field = read_field_place(text);
        if (!field) {
            probed.is_damaged = text.size() > 20;
            break;
        }
        // A trace contains only packets.
        if (field->field != 1 || field->wire_type != 2) {
            probed.is_damaged = true;
            break;
        }
        text.remove_prefix(field->begin);
        const bool is_cut = field->size > text.size();
        bool telling = false;
        if (!probe_packet(text.substr(0, field->size), is_cut, telling)) {
            probed.is_damaged = true;
            break;
        }
        ++probed.packets;
        probed.telling += telling;
        if (is_cut) break;
        text.remove_prefix(field->size);
    }
    return probed;
}

// Whether the bytes are printable text, which packets never are.
bool is_plain_text(std::string_view bytes) {
    return std::ranges::all_of(
        bytes, [](char c) { return (c >= ' ' && c <= '~') || (c >= '\t' && c <= '\r'); });
}

bool has_word(const Trace& trace, std::string_view word) {
    return std::ranges::any_of(trace.categories, [&](const Category& category) {
        return trace.strings[category.name] == word;
    });
}

class PerfettoFormat final : public Format {
  public:
    FormatText text() const override {
        return {"Perfetto",
                "Perfetto's protobuf traces: of its SDK, Chrome, Android, rocprofv3, Proton and "
                "PyTorch",
                "perfetto.md",
                {"application/x-perfetto-trace", ".pftrace .perfetto-trace .pftrace.gz"},
                true};
    }

    Recognised recognise(const Probe& probe) const override {
        if (!probe.start.starts_with('\n') || is_plain_text(probe.start.substr(0, 512))) return {};
        const Probed probed = probe_packets(probe.start);
        if (probed.packets == 0) return {};
        if (probed.is_damaged) return {probed.telling >= 2 ? 60 : 0};
        return {probed.telling * 2 >= probed.packets ? 90 : 0};
    }

    std::shared_ptr<FormatMemory> make_memory() const override {
        return std::make_shared<AnnotationTexts>();
    }

    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        return PftraceReader(job, builder, static_cast<AnnotationTexts&>(*job.input.memory)).run();
    }

    // Files of PyTorch and files exported by Lanescope have the same rows as JSON files.
    void (*complete_lanes() const)(BuilderState&) override { return complete_json_lanes; }

    void describe(Trace& trace) const override {
        trace.facts.format = "perfetto";
        std::string writer;
        for (const auto& [name, value] : trace.metadata) {
            if (name == kPftraceUnixOffset)
                trace.base_unix_nanos = parse_integer(value).value_or(0);
            if (name == kPftraceWriter && value.size() > 2)
                writer = value.substr(1, value.size() - 2);
        }
        if (writer.empty() && (has_word(trace, "cpu_op") || has_word(trace, "cuda_runtime")))
            trace.facts.producer = "PyTorch profiler";
        else if (writer != "lanescope" && has_word(trace, "hip_runtime"))
            trace.facts.producer = "rocprofv3";
        else
            trace.facts.producer = writer;
    }

    std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const override {
        return read_packet_arguments(input);
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return scan_packet_arguments(input);
    }
};

}  // namespace

const Format& perfetto_format() {
    static const PerfettoFormat format;
    return format;
}

}  // namespace lanescope
