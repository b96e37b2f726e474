// Findings: what costs time in a trace, how much, why, where, and what to try.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/intervals.h"
#include "core/base/nanos.h"
#include "core/trace/slice.h"

namespace lanescope {

enum class Severity : uint8_t { high, medium, low, info };
enum class CostKind : uint8_t {
    saved,  // by how much the steps would be shorter without the cause
            // (core/insight/what_if/what_if.h)
    time,   // the time in question
    bytes,  // memory; the evidence has the figures
    none,   // it costs nothing: it says what the trace lacks
};
enum class Confidence : uint8_t {
    certain,   // the trace shows it
    likely,    // the trace shows it but for one assumption, which the evidence names
    possible,  // something is not recorded, which the evidence names
};
// "high", "time", "certain".
std::string_view severity_name(Severity severity);
std::string_view cost_kind_name(CostKind kind);
std::string_view confidence_name(Confidence confidence);

struct FindingPlace {
    SliceRef slice;   // none: a range of time
    TimeRange range;  // absolute
    LaneId lane = SliceRef::no_index;
    std::string name;  // of the slice, or in words
};

struct FindingEvidence {
    std::string text;       // "GPU busy"
    double value = 0;       // NaN: the text says all
    std::string_view unit;  // "ns", "ratio", "count", "bytes"; empty: none
    std::string_view
        column;  // the table and column with this figure: "breakdown.idle_ns"; or empty
};

struct Finding {
    std::string_view rule;  // its id
    Severity severity = Severity::info;
    std::string title;
    std::optional<Nanos> cost;  // over the analysed window of the device
    CostKind cost_kind = CostKind::time;
    std::optional<double> cost_per_step;  // ns; without steps none
    double share = 0;                     // of the window, from 0 to 1
    Confidence confidence = Confidence::certain;
    // When the cost arises, on the device, inside its window; empty: outside the window, or not
    // separable from other time.
    Intervals times;
    std::string_view part_of;     // the rule whose time contains most of this one's; empty: none
    uint32_t device = kNoDevice;  // index in Summary::devices
    // Other devices that lose nearly the same share by the same rule: see keep_one_of_alike().
    std::vector<uint32_t> alike;
    std::vector<FindingPlace> places;  // the largest first
    std::vector<FindingEvidence> evidence;
    std::string advice;

    static constexpr uint32_t kNoDevice = ~uint32_t{0};
};

}  // namespace lanescope
