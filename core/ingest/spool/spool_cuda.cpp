// Converts CUDA calls and device activities of a spool file to the events that Kineto writes.
#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/ingest/spool/spool_cuda_names.h"
#include "core/ingest/spool/spool_state.h"

namespace lanescope {

namespace {

constexpr uint16_t kWhole = kHasTime | kHasDuration;
constexpr uint32_t kNoStream = ~uint32_t{0};  // CUPTI's "not on a stream"
constexpr uint32_t kPageable = 1;             // kinds of memory, as CUPTI numbers them
constexpr uint32_t kPinned = 2;
constexpr uint32_t kHost = ~uint32_t{0};  // in place of a device
constexpr int32_t kOnHost = 0;            // PyTorch's types of devices
constexpr int32_t kOnCuda = 1;

// Correlations are unique only within a process, so each process gets a range of its own.
int64_t correlation_of(uint32_t process, uint32_t correlation) {
    if (correlation == 0) return kNoValue;
    return static_cast<int64_t>(uint64_t{process & 0x7fffffff} << 32 | correlation);
}

int64_t value_of(uint64_t value) {
    return value == 0 ? kNoValue : static_cast<int64_t>(value);
}

std::string demangle(const std::string& name) {
    if (!name.starts_with("_Z")) return name;
    int failed = 0;
    char* plain = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &failed);
    std::string result = plain && failed == 0 ? plain : name;
    std::free(plain);
    return result;
}

}  // namespace

// The lane of a stream, or of the device itself for "". The first process that uses a device gets a
// lane under the device's number, as in Kineto's files, unless the number is some process's pid.
LocalId SpoolDecoder::State::gpu_lane(uint32_t device, std::string_view tid) {
    if (!has_gpu_process && at.head->process != 0) {
        has_gpu_process = true;
        first_gpu_process = at.head->process;
    }
    const uint32_t owner = at.head->process == 0 ? first_gpu_process : at.head->process;
    std::string& pid = processes[owner].gpu_pids[device];
    if (pid.empty()) {
        const bool is_pid = std::ranges::any_of(
            processes, [&](const auto& entry) { return entry.second.pid == device; });
        if (owner != first_gpu_process)
            pid = fmt::format("GPU {} of {}", device, processes[owner].pid);
        else
            pid = is_pid ? fmt::format("GPU {}", device) : std::to_string(device);
        const LocalId lane = names.lane(pid, "");
        if (!processes[owner].name.empty())
            name_lane(LaneFact::process_name, lane, plain(processes[owner].name));
        name_lane(LaneFact::process_labels, lane, names.text(fmt::format("GPU {}", device)));
        sort_process(lane, 5'000'000 + int64_t{device});
    }
    return names.lane(pid, tid);
}

LocalId SpoolDecoder::State::plain_name(LocalId mangled) {
    if (mangled >= demangled.size()) demangled.resize(mangled + 1024, 0);
    LocalId& known = demangled[mangled];
    if (known == 0) known = names.text(demangle(std::string(names[mangled])));
    return known;
}

uint32_t SpoolDecoder::State::add_activity(int64_t start, int64_t end, LocalId name,
                                           std::string_view category, LocalId lane) {
    const Nanos begin = at.process->cupti.time_of(start);
    const Nanos until = at.process->cupti.time_of(end);
    return add({begin, std::max<Nanos>(until - begin, 0), 0, name, names.category(category), lane,
                0, EventKind::slice, kWhole},
               at.offset);
}

// Arguments that kernels, copies and sets share, where they have the same names.
template <typename Record>
void SpoolDecoder::State::add_gpu_work(const Record& work, LocalId name, std::string_view category,
                                       int64_t bytes, const LaunchConfig& config) {
    const LocalId lane = gpu_lane(work.device, std::to_string(work.stream));
    const uint32_t index = add_activity(work.start, work.end, name, category, lane);
    batch.gpu.push_back({index, static_cast<int32_t>(work.device),
                         static_cast<int32_t>(work.stream),
                         correlation_of(at.head->process - 1, work.correlation), kNoValue, bytes,
                         value_of(work.graph_node), config});
}

void SpoolDecoder::State::take_memory(const SpoolMemory& memory) {
    SpoolProcessState& process = *at.process;
    const bool taken = memory.operation == 1;
    auto bytes = static_cast<int64_t>(std::min<uint64_t>(memory.bytes, uint64_t{1} << 52));
    const bool on_host = memory.memory_kind == kPageable || memory.memory_kind == kPinned;
    uint32_t device = on_host ? kHost : memory.device;
    if (taken) {
        process.allocations[memory.address] = {static_cast<uint64_t>(bytes), device};
    } else {
        const auto known = process.allocations.find(memory.address);
        if (known != process.allocations.end()) {
            bytes = static_cast<int64_t>(known->second.first);
            device = known->second.second;
            process.allocations.erase(known);
        }
        bytes = -bytes;
    }
    int64_t& total = process.allocated[device];
    total = std::clamp<int64_t>(total + bytes, 0, INT64_MAX / 4);
    const LocalId lane = thread_lane(memory.tid != 0 ? memory.tid : at.head->tid);
    const uint32_t index =
        add({process.cupti.time_of(memory.time), 0, 0, names.text("[memory]"),
             names.category("cpu_instant_event"), lane, 0, EventKind::instant, kHasTime},
            at.offset);
    const bool is_host = device == kHost;
    batch.memory.push_back({index, is_host ? kOnHost : kOnCuda,
                            is_host ? -1 : static_cast<int32_t>(device),
                            static_cast<int64_t>(memory.address), bytes, total, kNoValue});
}

void SpoolDecoder::State::take_synchronisation(const SpoolSynchronisation& sync) {
    const auto device = at.process->device_of_context.find(sync.context);
    const uint32_t on =
        device == at.process->device_of_context.end() ? sync.device : device->second;
    const bool whole = sync.stream == kNoStream;
    const LocalId kind = names.text(sync_kind_name(sync.sync_kind));
    const uint32_t index = add_activity(sync.start, sync.end, kind, "cuda_sync",
                                        gpu_lane(on, whole ? "-1" : std::to_string(sync.stream)));
    batch.syncs.push_back({index, kind, correlation_of(at.head->process - 1, sync.correlation),
                           int64_t{sync.stream}, kNoValue, kNoValue,
                           sync.event == 0 ? kNoValue : int64_t{sync.event}});
}

void SpoolDecoder::State::take_cuda(const char* record, const SpoolRecord& head) {
    switch (head.kind) {
        case kSpoolCall: {
            const auto call = read_record<SpoolCall>(record, head.bytes);
            const uint32_t index =
                add_activity(call.start, call.end, text(head.text),
                             call.api == kSpoolDriverApi ? "cuda_driver" : "cuda_runtime",
                             thread_lane(call.tid));
            batch.runtime.push_back(
                {index, correlation_of(at.head->process - 1, call.correlation), kNoValue});
            return;
        }
        case kSpoolKernel: {
            const auto kernel = read_record<SpoolKernel>(record, head.bytes);
            LaunchConfig config;
            for (int i = 0; i < 3; ++i) {
                config.grid[i] = static_cast<uint32_t>(std::max(kernel.grid[i], 0));
                config.block[i] = static_cast<uint32_t>(std::max(kernel.block[i], 0));
            }
            config.registers_per_thread = static_cast<int32_t>(kernel.registers & 0xffff);
            config.shared_memory_bytes = int64_t{kernel.static_shared} + kernel.dynamic_shared;
            config.static_shared_bytes = kernel.static_shared;
            return add_gpu_work(kernel, plain_name(text(head.text)), "kernel", kNoValue, config);
        }
        case kSpoolCopy: {
            const auto copy = read_record<SpoolCopy>(record, head.bytes);
            return add_gpu_work(copy, names.text(copy_name(copy)), "gpu_memcpy",
                                static_cast<int64_t>(copy.bytes & INT64_MAX), {});
        }
        case kSpoolSet: {
            const auto set = read_record<SpoolSet>(record, head.bytes);
            return add_gpu_work(set, names.text(set_name(set)), "gpu_memset",
                                static_cast<int64_t>(set.bytes & INT64_MAX), {});
        }
        case kSpoolSynchronisation:
            return take_synchronisation(read_record<SpoolSynchronisation>(record, head.bytes));
        case kSpoolOverhead: {
            const auto overhead = read_record<SpoolOverhead>(record, head.bytes);
            const LocalId lane = names.lane("-1", "0");
            if (!std::exchange(has_overhead, true))
                name_lane(LaneFact::process_name, lane, names.text("CUPTI Overhead"));
            add_activity(overhead.start, overhead.end,
                         names.text(overhead_name(overhead.overhead_kind)), "overhead", lane);
            return;
        }
        case kSpoolMemory:
            return take_memory(read_record<SpoolMemory>(record, head.bytes));
        default:
            return;
    }
}

}  // namespace lanescope
