// Reads GPU work: kernels, copies, sets, graphs, synchronisations and memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/ingest/nsight/nsight_state.h"

namespace lanescope {

namespace {

// The first columns of all tables of work, in the order of the indices below.
#define NSIGHT_WORK \
    "start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "graphNodeId"
enum Work { kStart, kEnd, kDevice, kContext, kStream, kCorrelation, kPid, kGraphNode, kRest };

constexpr int32_t kHostMemory = 0;  // device type in PyTorch
constexpr int32_t kCudaMemory = 1;

uint32_t dimension(const SqliteRows& rows, int column) {
    return static_cast<uint32_t>(std::clamp<int64_t>(rows.number(column, 0), 0, UINT32_MAX));
}

int32_t ordinal(int64_t value) {
    return value >= 0 && value <= INT32_MAX ? static_cast<int32_t>(value) : -1;
}

}  // namespace

// Demangles the name, because NVIDIA's style differs from other profilers' in constants and
// namespaces ("(int)4", "<unnamed>").
LocalId NsightReader::kernel_name(int64_t mangled, int64_t plain, int64_t brief) {
    const bool is_mangled = mangled != kNoValue;
    const auto [found, is_new] = kernels_.try_emplace(is_mangled ? mangled : ~plain, 0);
    if (!is_new) return found->second;
    std::string name = is_mangled ? demangled_name(std::string(text_of(mangled))) : "";
    for (const int64_t other : {plain, mangled, brief})
        if (name.empty()) name = text_of(other);
    found->second = sink_.text(name);
    return found->second;
}

FactRow<GpuFacts>* NsightReader::add_work(const SqliteRows& rows, LocalId name,
                                          const CategoryWord& category) {
    const std::optional<Span> at = span(rows);
    if (!at) return nullptr;
    const int64_t pid = rows.number(kPid, 0);
    const int64_t on = rows.number(kDevice, 0);
    const int64_t stream_id = rows.number(kStream, 0);
    const LocalId lane = stream(pid, on, rows.number(kContext, 0), stream_id);
    auto& row = sink_.attach<GpuFacts>(add_slice(lane, *at, name, category, source(rows)));
    row.device = ordinal(on);
    row.stream = ordinal(stream_id);
    if (const int64_t correlation = rows.number(kCorrelation, 0); correlation != 0)
        row.correlation = correlation;
    if (const int64_t node = rows.number(kGraphNode, 0); node != 0) row.graph_node = node;
    return &row;
}

void NsightReader::read_kernels(const SqliteTable& table) {
    constexpr std::array<std::string_view, kRest + 12> columns = {NSIGHT_WORK,
                                                                  "mangledName",
                                                                  "demangledName",
                                                                  "shortName",
                                                                  "registersPerThread",
                                                                  "gridX",
                                                                  "gridY",
                                                                  "gridZ",
                                                                  "blockX",
                                                                  "blockY",
                                                                  "blockZ",
                                                                  "staticSharedMemory",
                                                                  "dynamicSharedMemory"};
    read_table(table.name, columns, &NsightReader::take_kernel);
}

void NsightReader::take_kernel(const SqliteRows& rows) {
    const LocalId name =
        kernel_name(rows.number(kRest), rows.number(kRest + 1), rows.number(kRest + 2));
    FactRow<GpuFacts>* const row = add_work(rows, name, kNsightKernel);
    if (!row) return;
    LaunchConfig config;
    config.registers_per_thread = ordinal(rows.number(kRest + 3));
    for (int i = 0; i < 3; ++i) {
        config.grid[i] = dimension(rows, kRest + 4 + i);
        config.block[i] = dimension(rows, kRest + 7 + i);
    }
    const int32_t fixed = ordinal(rows.number(kRest + 10));
    const int32_t dynamic = ordinal(rows.number(kRest + 11));
    if (fixed >= 0 && dynamic >= 0) {
        config.static_shared_bytes = fixed;
        config.shared_memory_bytes = int64_t{fixed} + dynamic;
    }
    row->config = config;
}

void NsightReader::read_copies(const SqliteTable& table) {
    constexpr std::array<std::string_view, kRest + 4> columns = {NSIGHT_WORK, "copyKind", "srcKind",
                                                                 "dstKind", "bytes"};
    read_table(table.name, columns, &NsightReader::take_copy);
}

void NsightReader::take_copy(const SqliteRows& rows) {
    const LocalId name = sink_.text(
        nsight_copy_name(rows.number(kRest), rows.number(kRest + 1), rows.number(kRest + 2)));
    if (FactRow<GpuFacts>* const row = add_work(rows, name, kNsightCopy))
        row->bytes = rows.number(kRest + 3);
}

void NsightReader::read_sets(const SqliteTable& table) {
    constexpr std::array<std::string_view, kRest + 2> columns = {NSIGHT_WORK, "memKind", "bytes"};
    read_table(table.name, columns, &NsightReader::take_set);
}

void NsightReader::take_set(const SqliteRows& rows) {
    const LocalId name = sink_.text(nsight_set_name(rows.number(kRest)));
    if (FactRow<GpuFacts>* const row = add_work(rows, name, kNsightSet))
        row->bytes = rows.number(kRest + 1);
}

void NsightReader::read_graphs(const SqliteTable& table) {
    constexpr std::array<std::string_view, kRest + 1> columns = {NSIGHT_WORK, "graphId"};
    read_table(table.name, columns, &NsightReader::take_graph);
}

void NsightReader::take_graph(const SqliteRows& rows) {
    const int64_t graph = rows.number(kRest);
    const std::string name = graph == kNoValue ? "CUDA graph" : fmt::format("CUDA graph {}", graph);
    if (add_work(rows, sink_.text(name), kNsightKernel)) ++whole_graphs_;
}

void NsightReader::read_recorded_events(const SqliteTable& table) {
    constexpr std::array<std::string_view, 5> columns = {"globalPid", "eventId", "eventSyncId",
                                                         "correlationId", "streamId"};
    read_table(table.name, columns, &NsightReader::take_recorded_event);
}

void NsightReader::take_recorded_event(const SqliteRows& rows) {
    recorded_events_[{rows.number(0), rows.number(1), rows.number(2)}] = {rows.number(3),
                                                                          rows.number(4)};
}

void NsightReader::read_synchronisations(const SqliteTable& table) {
    constexpr std::array<std::string_view, kRest + 3> columns = {NSIGHT_WORK, "syncType", "eventId",
                                                                 "eventSyncId"};
    read_table(table.name, columns, &NsightReader::take_synchronisation);
}

// A host wait may start and end within a kernel, so it has a separate lane.
void NsightReader::take_synchronisation(const SqliteRows& rows) {
    const std::optional<Span> at = span(rows);
    if (!at) return;
    const int64_t pid = rows.number(kPid, 0);
    // These rows always have device 0, but the right context.
    const auto known = device_of_context_.find({nsight_pid(pid), rows.number(kContext)});
    const int64_t on = known == device_of_context_.end() ? rows.number(kDevice, 0) : known->second;
    const LocalId kind = sink_.text(nsight_sync_name(rows.number(kRest)));
    auto& row = sink_.attach<SynchronisationFacts>(
        add_slice(sink_.whole_device(device(pid, on)), *at, kind, kNsightSync, source(rows)));
    row.kind = kind;
    row.correlation = rows.number(kCorrelation);
    row.stream = rows.number(kStream, kNsightNoNumber);
    const int64_t event = rows.number(kRest + 1, kNsightNoNumber);
    if (event == kNsightNoNumber) return;
    row.wait_on_event = event;
    const auto recorded = recorded_events_.find({pid, event, rows.number(kRest + 2)});
    if (recorded == recorded_events_.end()) return;
    row.wait_on_event_correlation = recorded->second.first;
    row.wait_on_stream = recorded->second.second;
}

void NsightReader::read_memory(const SqliteTable& table) {
    constexpr std::array<std::string_view, 7> columns = {
        "start", "globalPid", "deviceId", "address", "bytes", "memKind", "memoryOperationType"};
    read_table(table.name, columns, &NsightReader::take_memory);
    add_memory();
}

void NsightReader::take_memory(const SqliteRows& rows) {
    const std::optional<Nanos> at = time(rows, 0);
    if (!at) return add_unreadable(source(rows));
    memory_.push_back({*at, rows.number(1, 0), rows.number(2, 0), rows.number(3, 0),
                       rows.number(4, 0), rows.number(5), rows.number(6, 0), source(rows)});
}

// The rows are unordered, but totals need an order.
void NsightReader::add_memory() {
    std::ranges::stable_sort(memory_, {}, &MemoryOperation::time);
    constexpr int64_t most = int64_t{1} << 52;
    std::map<std::pair<int64_t, int64_t>, int64_t> totals;  // by process and device; -1: the host
    for (const MemoryOperation& operation : memory_) {
        const bool is_host = nsight_is_host_memory(operation.kind);
        const int64_t on = is_host ? -1 : operation.device;
        const int64_t size = std::clamp<int64_t>(operation.bytes, 0, most);
        const int64_t bytes = operation.operation == 1 ? -size : size;
        int64_t& total = totals[{operation.process, on}];
        total = std::clamp<int64_t>(total + bytes, 0, INT64_MAX / 4);
        const LocalId lane = sink_.curves(process(operation.process));
        auto& row = sink_.attach<MemoryFacts>(
            sink_.add({operation.time, 0, 0, sink_.text("[memory]"),
                       sink_.category(kNsightAllocation), lane, 0, EventKind::instant, kHasTime},
                      operation.source, table_->name));
        row.device_type = is_host ? kHostMemory : kCudaMemory;
        row.device_id = static_cast<int32_t>(on);
        row.address = operation.address;
        row.bytes = bytes;
        row.total_allocated = total;
    }
    memory_ = {};
}

}  // namespace lanescope
