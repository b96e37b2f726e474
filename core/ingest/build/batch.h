// Batch: the events of one block of a file (or of a live session), as a format emits them. This is
// the only contract between formats and the builder: it knows no format's words or escapes. Formats
// fill it through a TraceSink; only the JSON scanner writes it directly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/nanos.h"
#include "core/trace/category.h"
#include "core/trace/schema.h"

namespace lanescope {

// Id of a text, process or lane in one worker's numbering; the builder translates it.
using LocalId = uint32_t;
inline constexpr LocalId kNoLocalId = ~LocalId{0};

// A process of the recorded programs; or, if `device` is set, the lanes of one of its devices.
struct ProcessKey {
    LocalId pid = 0;             // text; 0 of a device
    LocalId owner = kNoLocalId;  // of a device: the process that used it, which comes first
    int32_t device = -1;         // ordinal
    // Of a device: tells programs apart that the owner executed one after another.
    uint32_t program = 0;

    friend bool operator==(const ProcessKey&, const ProcessKey&) = default;
};

// The kind of a lane, as its format states it.
enum class LaneRole : uint8_t {
    row,             // of a file that does not say: the lane's events tell
    process,         // events of a process as a whole, such as its curves
    thread,          // calls
    stream,          // work of a device
    device,          // waits for a device as a whole
    cpu_samples,     // stacks of a thread, sampled by its CPU time
    python_samples,  // stacks of Python functions of a thread
    profiler,        // the profiler's own work
};
struct LaneKey {
    LocalId process = 0;
    LocalId tid = 0;  // text: of the thread or stream; the sampled thread's, too
    LaneRole role = LaneRole::row;

    friend bool operator==(const LaneKey&, const LaneKey&) = default;
};

enum class EventKind : uint8_t {
    unreadable,  // only counted
    metadata,    // has MetadataRows; its time does not count
    slice,       // has a time and a duration
    // Begins a slice. An `end` closes the last slice of its lane that is still open.
    begin,
    end,
    instant,
    // Ranges of a track: of all async events with the same category and id.
    async_begin,
    async_step,
    async_end,
    // A flow connects slices at the times and lanes of events with the same category and id.
    flow_begin,
    flow_step,
    flow_end,
    counter,  // has CounterRows
};

enum EventFlag : uint16_t {
    kHasTime = 1,
    kHasDuration = 2,
    kUnreadable = 4,  // a time or duration is present but is not a number
    kHasId = 8,
    kIdIsText = 16,             // `id` is a LocalId of its text
    kIdIsLocal = 32,            // … and is unique only within its process (id2.local)
    kBindEnclosing = 64,        // a flow's end: binds to the enclosing slice, not to the next one
    kRepeatsCorrelation = 128,  // a flow: the id is the correlation of the preceding call
    kPairsByName = 256,         // an async event: the name is part of its track's key
    kIdIsHex = 512,             // `id` is the value of a text such as "0x1f"
    kIdForm = kIdIsText | kIdIsHex,  // bits that distinguish ids of different forms
};

struct RawEvent {
    Nanos time = 0;
    Nanos duration = 0;
    int64_t id = 0;
    LocalId name = 0;
    LocalId category = 0;
    LocalId lane = 0;
    // Where the format's argument reader finds the event, relative to Batch::source_base.
    uint32_t source = 0;
    EventKind kind = EventKind::unreadable;
    uint16_t flags = 0;  // EventFlag
};

// In this row and the one below, `event` is an index into Batch::events.
struct CounterRow {
    uint32_t event;
    LocalId series;
    double value;
};
// What a MetadataRow says about its event's lane, or about the lane's process.
enum class LaneFact : uint8_t {
    process_name,
    process_labels,
    process_sort_index,
    thread_name,
    thread_sort_index,
};
struct MetadataRow {
    uint32_t event;
    LaneFact fact;
    LocalId text;    // of names and labels
    int64_t number;  // of sort indices
};

// What the builder must know of the events of a category.
enum CategoryTrait : uint8_t {
    kGpuActivity = 1,       // work on a GPU: kernels, copies, sets
    kLaunchCall = 2,        // API calls that launch GPU work
    kSampledCall = 4,       // slices made from samples of a stack
    kRepeatsLaunch = 8,     // flows that only repeat what correlations say
    kForwardBackward = 16,  // flows from forward operators to their backward
    kProfilerSpan = 32,     // the profiler's own spans, which may lie far from all others
    kLaunchFlow = 64,       // flows from the call that launches GPU work to this work
};
struct CategoryMeaning {
    LocalId category = 0;
    EventClass event_class = EventClass::other;
    uint8_t traits = 0;  // CategoryTrait
};

// A kind of warning: a stable word and a sentence for people. Each is reported once, with a count.
struct WarningText {
    std::string_view code;
    std::string_view text;
};
struct BatchWarning {
    const WarningText* what;
    uint32_t source;  // relative to Batch::source_base
};

struct Batch : SideRows {
    uint64_t source_base = 0;  // added to the `source` of events and warnings
    std::vector<RawEvent> events;
    std::vector<CounterRow> counters;
    std::vector<MetadataRow> metadata;
    std::vector<BatchWarning> warnings;
    // How many events have each of the format's own words for kinds of events, for
    // FileFacts::phases. A word may occur several times.
    std::vector<std::pair<std::string, uint64_t>> words;

    // Texts, processes and lanes that the worker met for the first time, numbered in this order
    // from the worker's first batch on. The texts are UTF-8 without escapes; the views are valid as
    // long as the worker's decoder.
    unsigned worker = 0;
    std::vector<std::string_view> texts;
    // Categories that the worker met for the first time. Others have no class and no traits.
    std::vector<CategoryMeaning> categories;
    std::vector<ProcessKey> processes;
    std::vector<LaneKey> lanes;

    void clear() {
        events.clear();
        for_each_table([](auto& rows) { rows.clear(); }, *this);
        counters.clear();
        metadata.clear();
        warnings.clear();
        words.clear();
        texts.clear();
        categories.clear();
        processes.clear();
        lanes.clear();
    }
};

}  // namespace lanescope
