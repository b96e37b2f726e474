#include "core/ingest/xspace/xspace_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/ingest/xspace/xspace_arguments.h"
#include "core/ingest/xspace/xspace_reader.h"
#include "core/ingest/xspace/xspace_text.h"

namespace lanescope {

namespace {

constexpr int kPlanesOfProbe = 16;

bool is_name_of_plane(std::string_view name) {
    constexpr std::array<std::string_view, 3> starts = {"/host:", "/device:", "Task Environment"};
    return std::ranges::any_of(starts, [&](std::string_view s) { return name.starts_with(s); });
}

// How well the fields of a message match a plane. The probe may truncate the message.
enum class Likeness : uint8_t { other, possible, certain };

// Planes have fields 1 to 6; only the first is a number.
Likeness plane_likeness(std::string_view text, uint64_t size) {
    Likeness likeness = Likeness::possible;
    XspaceField field;
    for (uint64_t at = 0; at < size; at = field.end) {
        const std::string_view rest = text.substr(std::min<uint64_t>(at, text.size()));
        const XspaceEnd end = read_xspace_field(rest, at, size - at, field);
        if (end == XspaceEnd::damaged) return Likeness::other;
        if (end == XspaceEnd::cut) return likeness;
        const auto wanted = field.number == 1 ? XspaceWire::varint : XspaceWire::bytes;
        if (field.number > 6 || field.wire != wanted) return Likeness::other;
        if (field.number == 2 && field.end <= text.size()) {
            if (is_name_of_plane(text.substr(field.begin, field.end - field.begin)))
                likeness = Likeness::certain;
        }
    }
    return likeness;
}

int confidence_of_xspace(std::string_view text) {
    bool is_certain = false;
    XspaceField field;
    int planes = 0;
    for (uint64_t at = 0; planes < kPlanesOfProbe; at = field.end) {
        const std::string_view rest = text.substr(std::min<uint64_t>(at, text.size()));
        const XspaceEnd end = read_xspace_field(rest, at, UINT64_MAX - at, field);
        if (end == XspaceEnd::damaged) return is_certain ? 90 : 0;
        if (end == XspaceEnd::cut) break;
        // Fields of an XSpace: planes, errors, warnings, host names.
        if (field.number > 4 || field.wire != XspaceWire::bytes) return 0;
        if (field.number != 1) continue;
        ++planes;
        const std::string_view plane = text.substr(std::min<uint64_t>(field.begin, text.size()));
        switch (plane_likeness(plane, field.end - field.begin)) {
            case Likeness::other:
                return is_certain ? 90 : 0;
            case Likeness::certain:
                is_certain = true;
                break;
            case Likeness::possible:
                break;
        }
    }
    return is_certain ? 100 : 0;
}

class XspaceFormat final : public Format {
  public:
    FormatText text() const override {
        return {"XSpace",
                "XSpace profiles of JAX, TensorFlow and PyTorch/XLA (`*.xplane.pb`)",
                "xspace.md",
                {"application/x-xspace", ".xplane.pb"},
                true};
    }

    Recognised recognise(const Probe& probe) const override {
        return {confidence_of_xspace(probe.start)};
    }

    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        return XspaceReader(job, builder).run();
    }

    void describe(Trace& trace) const override {
        trace.facts.format = "xspace";
        trace.facts.producer = "XLA profiler";
        for (const auto& [name, value] : trace.metadata) {
            if (name == kXspaceClock)
                std::from_chars(value.data(), value.data() + value.size(), trace.base_unix_nanos);
            const auto producer = nlohmann::json::parse(value, nullptr, false);
            if (name == kXspaceProducer && producer.is_string())
                trace.facts.producer = producer.get<std::string>();
        }
    }

    std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const override {
        return make_xspace_argument_reader(input);
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return make_xspace_argument_scan(input);
    }
};

}  // namespace

const Format& xspace_format() {
    static const XspaceFormat format;
    return format;
}

}  // namespace lanescope
