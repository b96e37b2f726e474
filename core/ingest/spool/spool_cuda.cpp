// Reads CUDA calls and device activities of a spool file.
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

// A device as the process of the present record uses it. The recorder's own values of a device
// belong to the first process that used one.
LocalId SpoolDecoder::State::device(uint32_t ordinal) {
    const SpoolProcessState& process = *at.process;
    if (at.head->process != 0 && first_gpu_process == kNoLocalId) {
        first_gpu_process = at.program;
        first_gpu_program = process.program;
    }
    if (at.head->process == 0 && first_gpu_process != kNoLocalId)
        return out.device(first_gpu_process, ordinal, first_gpu_program);
    const LocalId made = out.device(at.program, ordinal, process.program);
    if (!process.name.empty() && named_devices.insert(made).second)
        out.name_process(made, out.text(process.name), at.offset);
    return made;
}

int64_t SpoolDecoder::State::call_number(uint64_t correlation) const {
    if (correlation == 0) return kNoValue;
    return static_cast<int64_t>(uint64_t{at.process->program & 0x7fffffff} << 32 |
                                (correlation & 0xffffffff));
}

LocalId SpoolDecoder::State::plain_name(LocalId mangled) {
    if (mangled >= demangled.size()) demangled.resize(mangled + 1024, 0);
    LocalId& known = demangled[mangled];
    if (known == 0) known = out.text(demangle(std::string(out[mangled])));
    return known;
}

uint32_t SpoolDecoder::State::add_activity(int64_t start, int64_t end, LocalId name,
                                           const CategoryWord& category, LocalId lane) {
    const Nanos begin = at.process->cupti.time_of(start);
    const Nanos until = at.process->cupti.time_of(end);
    return add_slice(lane, begin, std::max<Nanos>(until - begin, 0), name, category, at.offset);
}

// Arguments that kernels, copies and sets share, where they have the same names.
template <typename Record>
void SpoolDecoder::State::add_gpu_work(const Record& work, LocalId name,
                                       const CategoryWord& category, int64_t bytes,
                                       const LaunchConfig& config) {
    const LocalId lane = out.stream(device(work.device), std::to_string(work.stream));
    auto& row = out.attach<GpuFacts>(add_activity(work.start, work.end, name, category, lane));
    row.device = static_cast<int32_t>(work.device);
    row.stream = static_cast<int32_t>(work.stream);
    row.correlation = call_number(work.correlation);
    row.bytes = bytes;
    row.graph_node = value_of(work.graph_node);
    row.config = config;
}

void SpoolDecoder::State::take_memory(const SpoolMemory& memory) {
    SpoolProcessState& process = *at.process;
    const bool taken = memory.operation == 1;
    auto bytes = static_cast<int64_t>(std::min<uint64_t>(memory.bytes, uint64_t{1} << 52));
    const bool on_host = memory.memory_kind == kPageable || memory.memory_kind == kPinned;
    uint32_t device_of_memory = on_host ? kHost : memory.device;
    if (taken) {
        process.allocations[memory.address] = {static_cast<uint64_t>(bytes), device_of_memory};
    } else {
        const auto known = process.allocations.find(memory.address);
        if (known != process.allocations.end()) {
            bytes = static_cast<int64_t>(known->second.first);
            device_of_memory = known->second.second;
            process.allocations.erase(known);
        }
        bytes = -bytes;
    }
    int64_t& total = process.allocated[device_of_memory];
    total = std::clamp<int64_t>(total + bytes, 0, INT64_MAX / 4);
    const LocalId lane = thread_lane(memory.tid != 0 ? memory.tid : at.head->tid);
    const Nanos when = process.cupti.time_of(memory.time);
    note_time(when);
    const bool is_host = device_of_memory == kHost;
    auto& row = out.attach<MemoryFacts>(
        out.instant(lane, when, out.text("[memory]"), out.category(kSpoolAllocation), at.offset));
    row.device_type = is_host ? kOnHost : kOnCuda;
    row.device_id = is_host ? -1 : static_cast<int32_t>(device_of_memory);
    row.address = static_cast<int64_t>(memory.address);
    row.bytes = bytes;
    row.total_allocated = total;
}

void SpoolDecoder::State::take_synchronisation(const SpoolSynchronisation& sync) {
    const auto known = at.process->device_of_context.find(sync.context);
    const LocalId on =
        device(known == at.process->device_of_context.end() ? sync.device : known->second);
    const LocalId kind = out.text(sync_kind_name(sync.sync_kind));
    const LocalId lane = sync.stream == kNoStream ? out.whole_device(on)
                                                  : out.stream(on, std::to_string(sync.stream));
    auto& row = out.attach<SynchronisationFacts>(
        add_activity(sync.start, sync.end, kind, kSpoolSync, lane));
    row.kind = kind;
    row.correlation = call_number(sync.correlation);
    row.stream = int64_t{sync.stream};
    if (sync.event != 0) row.wait_on_event = int64_t{sync.event};
}

void SpoolDecoder::State::take_cuda(const char* record, const SpoolRecord& head) {
    switch (head.kind) {
        case kSpoolCall: {
            const auto call = read_record<SpoolCall>(record, head.bytes);
            const uint32_t event =
                add_activity(call.start, call.end, text(head.text),
                             call.api == kSpoolDriverApi ? kSpoolDriverCall : kSpoolRuntimeCall,
                             thread_lane(call.tid));
            out.attach<RuntimeFacts>(event).correlation = call_number(call.correlation);
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
            return add_gpu_work(kernel, plain_name(text(head.text)), kSpoolKernelWork, kNoValue,
                                config);
        }
        case kSpoolCopy: {
            const auto copy = read_record<SpoolCopy>(record, head.bytes);
            return add_gpu_work(copy, out.text(copy_name(copy)), kSpoolCopyWork,
                                static_cast<int64_t>(copy.bytes & INT64_MAX), {});
        }
        case kSpoolSet: {
            const auto set = read_record<SpoolSet>(record, head.bytes);
            return add_gpu_work(set, out.text(set_name(set)), kSpoolSetWork,
                                static_cast<int64_t>(set.bytes & INT64_MAX), {});
        }
        case kSpoolSynchronisation:
            return take_synchronisation(read_record<SpoolSynchronisation>(record, head.bytes));
        case kSpoolOverhead: {
            const auto overhead = read_record<SpoolOverhead>(record, head.bytes);
            add_activity(overhead.start, overhead.end,
                         out.text(overhead_name(overhead.overhead_kind)), kSpoolProfilerWork,
                         out.profiler());
            return;
        }
        case kSpoolMemory:
            return take_memory(read_record<SpoolMemory>(record, head.bytes));
        default:
            return;
    }
}

}  // namespace lanescope
