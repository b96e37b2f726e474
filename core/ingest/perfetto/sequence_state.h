// PftraceSequence: the state of a sequence of packets: interned values and defaults.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ingest/build/batch.h"
#include "core/ingest/kineto/kineto_rows.h"
#include "core/ingest/perfetto/annotation_texts.h"

namespace lanescope {

// A category of events, as read.
struct PftraceCategory {
    std::string word;
    LocalId id = 0;
    KinetoRows rows = KinetoRows::plain;
    bool is_gpu_work = false;
    bool is_cpu_work = false;
    bool is_rocm = false;
};

struct PftraceGpuSpec {
    std::string name;
    uint64_t category = 0;
};

struct PftraceKernel {
    std::string name;
    std::vector<std::pair<std::string, std::string>> arguments;
};

struct PftraceCounterSpecs {
    std::optional<int32_t> gpu;
    // Name, and whether values apply to the time after them.
    std::map<uint32_t, std::pair<std::string, bool>> names;
};

struct PftraceFrame {
    uint64_t function = 0;
    uint64_t mapping = 0;
    uint64_t address = 0;
};

struct PftraceSequence {
    uint32_t id = 0;
    bool is_known = false;  // packets that depend on earlier packets can be read
    bool has_packets = false;

    uint64_t cleared_at = 0;  // position of the packet that cleared the state
    // Valid until the state is cleared. Null: nothing has been interned since.
    InternedTexts* texts = nullptr;
    InternedMap<std::string> categories;
    InternedMap<LocalId> names;
    InternedMap<PftraceGpuSpec> gpu_specs;
    InternedMap<int64_t> contexts;  // pid
    InternedMap<PftraceKernel> kernels;
    InternedMap<PftraceCounterSpecs> counters;
    InternedMap<std::string> functions, paths;
    InternedMap<PftraceFrame> frames;
    InternedMap<std::vector<uint64_t>> stacks;
    InternedMap<std::vector<uint64_t>> mappings;     // paths
    InternedMap<std::pair<int64_t, int64_t>> tasks;  // pid and tid of samples

    std::optional<uint64_t> default_track;
    std::optional<uint32_t> default_clock;
    std::vector<uint64_t> extra_tracks, extra_double_tracks;
    std::map<uint32_t, double> totals;  // sums of incremental counters, by track

    // State of old Chrome traces.
    std::string pid, tid;
    int64_t time_us = 0;
    // Names of GPU stages and queues that are not interned.
    std::vector<std::string> queues, stages;
    std::map<uint32_t, std::pair<std::string, bool>> counter_names;

    void clear() {
        PftraceSequence fresh;
        fresh.id = id;
        fresh.has_packets = has_packets;
        fresh.pid = pid;
        fresh.tid = tid;
        fresh.time_us = time_us;
        fresh.queues = std::move(queues);
        fresh.stages = std::move(stages);
        fresh.counter_names = std::move(counter_names);
        *this = std::move(fresh);
    }
};

}  // namespace lanescope
