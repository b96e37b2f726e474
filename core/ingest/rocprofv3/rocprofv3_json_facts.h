// The tables of a process in a rocprofv3 JSON file other than its records: names of calls and
// kernels, GPUs, measured counters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ingest/rocprofv3/json_walk.h"
#include "core/trace/trace.h"

namespace lanescope {

// An integer, including a quoted or unsigned 64-bit integer; `none`: any other value.
int64_t rocm_number(std::string_view raw, int64_t none = kNoValue);
// The number in an object such as {"handle": 7}.
int64_t rocm_handle(std::string_view raw);
// Adds a number of an agent as a fact of the device, if its name is known.
void add_rocm_fact(Device& device, std::string_view name, int64_t value);
// Derives facts of a device from several recorded facts.
void complete_rocm_device(Device& device);
// Vector registers per work-item, including accumulation registers, which share one register file
// except on gfx908. -1: unknown.
int32_t rocm_registers(int64_t vgprs, int64_t accumulation_vgprs, const Device* device);

struct RocmAgent {
    bool is_gpu = false;
    Device device;  // id: index among the GPUs
};

struct RocmKernelSymbol {
    std::string name;
    int64_t vgprs = -1;
    int64_t accumulation_vgprs = -1;
    int64_t sgprs = -1;
    int64_t static_lds_bytes = -1;
};

struct RocmKind {
    std::string name;  // "HIP_RUNTIME_API_EXT"
    std::vector<std::string> operations;
};

struct RocmDim {
    int64_t value[3] = {0, 0, 0};
};

// A record of any list. Missing numbers are kNoValue.
struct RocmRecord {
    int64_t kind = kNoValue, operation = kNoValue, thread = kNoValue;
    int64_t begin = kNoValue, end = kNoValue, correlation = kNoValue;
    int64_t agent = kNoValue, queue = kNoValue, kernel = kNoValue, dispatch = kNoValue;
    int64_t lds_bytes = kNoValue;
    int64_t from_agent = kNoValue, to_agent = kNoValue, bytes = kNoValue, address = kNoValue;
    RocmDim workgroup, grid;
};
RocmRecord read_rocm_record(std::string_view raw);

// The counters of one kernel run.
struct RocmCounted {
    RocmRecord kernel;
    std::vector<std::pair<int64_t, double>> values;  // (handle of the counter, value)
    uint64_t source = 0;
};

struct RocmProcessFacts {
    int64_t pid = kNoValue;
    std::vector<std::string> command;
    std::string host;
    std::unordered_map<int64_t, RocmAgent> agents;  // by handle
    std::unordered_map<int64_t, RocmKernelSymbol> kernels;
    std::vector<RocmKind> kinds;
    std::unordered_map<int64_t, std::string> messages;  // by correlation
    std::unordered_map<int64_t, std::string> counters;  // by handle
    std::vector<RocmCounted> counted;
    bool has_metadata = false, has_agents = false, has_strings = false, has_kernels = false;

    // Whether all tables that records refer to have been read.
    bool is_complete() const { return has_metadata && has_agents && has_strings && has_kernels; }
    // "hipMalloc"; empty: unknown.
    std::string_view operation(const RocmRecord& record) const;
    std::string_view kind(const RocmRecord& record) const;
    const RocmAgent* agent(int64_t handle) const;
    std::string counter(int64_t handle) const;
};

// Reads a member of a process that is not a list of records. Sets `is_known` if it is a known
// member. False: see JsonWalk::members().
bool read_rocm_facts(JsonWalk& text, std::string_view member, RocmProcessFacts& facts,
                     bool& is_known);

}  // namespace lanescope
