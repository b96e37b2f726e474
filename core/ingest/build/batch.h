// Batch: the events of one block of text (or of a live session), as a decoder emits them. This is
// the only contract between decoders and the builder.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/nanos.h"
#include "core/trace/side_tables.h"

namespace lanescope {

// Id of a text or lane in one worker's numbering; the builder translates it.
using LocalId = uint32_t;

enum EventFlag : uint8_t {
    kHasTime = 1,
    kHasDuration = 2,
    kUnreadable = 4,  // a time or duration is present but is not a number
    kHasId = 8,
    kIdIsText = 16,             // `id` is a LocalId of its text
    kIdIsLocal = 32,            // … and is unique only within its process (id2.local)
    kRepeatsCorrelation = 128,  // flows: the id is the correlation of the preceding call
    kBindEnclosing = 64,        // flow ends: binds to the enclosing slice, not to the next one
};

struct RawEvent {
    Nanos time = 0;
    Nanos duration = 0;
    int64_t id = 0;
    LocalId name = 0;
    LocalId category = 0;
    LocalId lane = 0;
    uint32_t offset = 0;  // start of the event's text, relative to its block
    char phase = 0;       // as in the Chrome format; 0: missing; 1: longer than one letter
    uint8_t flags = 0;
};

// The arguments of GPU activities. In this row and those below, `event` is an index into
// Batch::events.
struct GpuRow {
    uint32_t event;
    int32_t device, stream;
    int64_t correlation, external_id, bytes, graph_node;
    LaunchConfig config;
};
struct RuntimeRow {
    uint32_t event;
    int64_t correlation, external_id;
};
struct RawOperatorRow {
    uint32_t event;
    int64_t external_id, sequence, forward_thread;
    LocalId input_dims, input_types, input_strides, concrete_inputs, call_stack, module_hierarchy;
    LocalId kernel_gigabytes, kernel_flop;
};
struct PythonRow {
    uint32_t event;
    int64_t python_id, parent_id, module_id;
};
struct MemoryRow {
    uint32_t event;
    int32_t device_type, device_id;
    int64_t address, bytes, total_allocated, total_reserved;
};
struct RawCollectiveRow {
    uint32_t event;
    LocalId name, dtype, group_name, group_ranks, group_description, in_split, out_split;
    int64_t in_elements, out_elements, group_size;
};
struct SyncRow {
    uint32_t event;
    LocalId kind;
    int64_t correlation, stream, wait_on_stream, wait_on_event_correlation, wait_on_event;
};
struct SampleRow {
    uint32_t event;
    int64_t samples, cpu_time;
    LocalId module;
};
struct CounterRow {
    uint32_t event;
    LocalId series;
    double value;
};
// process_name, process_labels, process_sort_index, thread_name, thread_sort_index.
struct MetadataRow {
    uint32_t event;
    LocalId text;
    int64_t number;
};

// Codes for Warning::code. Each code is reported once, with a count.
enum class BatchWarning : uint8_t {
    bad_event,      // text that is not a JSON object of an event; it is skipped
    not_an_object,  // a list element that is not an object
    stray_comma,
    missing_comma,
    no_counter_value,  // a counter event without any number
};

struct Batch {
    uint64_t text_offset = 0;  // of the block in the text
    std::vector<RawEvent> events;
    std::vector<GpuRow> gpu;
    std::vector<RuntimeRow> runtime;
    std::vector<RawOperatorRow> operators;
    std::vector<PythonRow> python;
    std::vector<MemoryRow> memory;
    std::vector<RawCollectiveRow> collectives;
    std::vector<SyncRow> syncs;
    std::vector<SampleRow> samples;
    std::vector<CounterRow> counters;
    std::vector<MetadataRow> metadata;
    std::vector<std::pair<BatchWarning, uint32_t>> warnings;  // with offset from the block's start
    std::vector<std::pair<uint32_t, LocalId>> odd_phases;     // event index and the phase's text

    // Texts and lanes that the worker met for the first time: ids first_text, first_text + 1, … The
    // views are valid as long as the worker's decoder.
    unsigned worker = 0;
    LocalId first_text = 0;
    std::vector<std::string_view> texts;
    LocalId first_lane = 0;
    std::vector<std::pair<LocalId, LocalId>> lanes;  // texts of pid and tid

    void clear() {
        events.clear();
        gpu.clear();
        runtime.clear();
        operators.clear();
        python.clear();
        memory.clear();
        collectives.clear();
        syncs.clear();
        samples.clear();
        counters.clear();
        metadata.clear();
        warnings.clear();
        odd_phases.clear();
        texts.clear();
        lanes.clear();
    }
};

}  // namespace lanescope
