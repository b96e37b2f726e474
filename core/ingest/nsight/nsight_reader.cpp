// Reads the tables of an export one after another.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/ingest/nsight/nsight_state.h"

namespace lanescope {

// Outer calls of a thread come first: if two events have the same time, the first one contains the
// second.
std::span<const NsightReader::TableReader> NsightReader::readers() {
    using R = NsightReader;
    static constexpr std::array all = {
        TableReader{"META_DATA_EXPORT", &R::read_facts},
        TableReader{"EXPORT_META_DATA", &R::read_facts},
        TableReader{"TARGET_INFO_SESSION_START_TIME", &R::read_clock},
        TableReader{"TARGET_INFO_CUDA_DEVICE", &R::read_device_numbers},
        TableReader{"TARGET_INFO_CUDA_CONTEXT_INFO", &R::read_contexts},
        TableReader{"TARGET_INFO_GPU", &R::read_devices},
        TableReader{"DIAGNOSTIC_EVENT", &R::read_messages},
        TableReader{"MPI_RANKS", &R::read_mpi},
        TableReader{"NVTX_EVENTS", &R::read_ranges},
        TableReader{"MPI_P2P_EVENTS", &R::read_mpi},
        TableReader{"MPI_COLLECTIVES_EVENTS", &R::read_mpi},
        TableReader{"MPI_START_WAIT_EVENTS", &R::read_mpi},
        TableReader{"MPI_OTHER_EVENTS", &R::read_mpi},
        TableReader{"CUDNN_EVENTS", &R::read_library_calls},
        TableReader{"CUBLAS_EVENTS", &R::read_library_calls},
        TableReader{"CUPTI_ACTIVITY_KIND_RUNTIME", &R::read_calls},
        TableReader{"CUDA_GRAPH_NODE_EVENTS", &R::read_graph_nodes},
        TableReader{"CUDA_GRAPH_EVENTS", &R::read_graph_events},
        TableReader{"CUPTI_ACTIVITY_KIND_OVERHEAD", &R::read_overhead},
        TableReader{"PROFILER_OVERHEAD", &R::read_overhead},
        TableReader{"OSRT_API", &R::read_system_calls},
        TableReader{"CUPTI_ACTIVITY_KIND_KERNEL", &R::read_kernels},
        TableReader{"CUPTI_ACTIVITY_KIND_MEMCPY", &R::read_copies},
        TableReader{"CUPTI_ACTIVITY_KIND_MEMSET", &R::read_sets},
        TableReader{"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", &R::read_graphs},
        TableReader{"CUPTI_ACTIVITY_KIND_CUDA_EVENT", &R::read_recorded_events},
        TableReader{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", &R::read_synchronisations},
        TableReader{"CUDA_GPU_MEMORY_USAGE_EVENTS", &R::read_memory},
        TableReader{"SCHED_EVENTS", &R::read_switches},
        TableReader{"COMPOSITE_EVENTS", &R::read_samples},
        TableReader{"TARGET_INFO_GPU_METRICS", &R::read_metric_names},
        TableReader{"GPU_METRICS", &R::read_metrics},
    };
    return all;
}

Result<void> NsightReader::run() {
    for (const TableReader& reader : readers()) {
        known_tables_.insert(reader.table);
        const SqliteTable* const table = file_.find(reader.table);
        if (table && !is_stopped()) (this->*reader.read)(*table);
    }
    add_samples();
    read_other_tables();
    // Only processes, threads and streams with events are named.
    if (const SqliteTable* table = file_.find("PROCESSES")) read_process_names(*table);
    if (const SqliteTable* table = file_.find("ThreadNames")) read_thread_names(*table);
    if (const SqliteTable* table = file_.find("TARGET_INFO_CUDA_STREAM")) read_stream_names(*table);
    sink_.flush();
    if (is_stopped()) return why_stopped();
    finish_facts();
    warn_of_file();
    warn_of_graphs();
    return {};
}

void NsightReader::read_table(std::string_view name, Columns columns, TakeRow take) {
    each_row(name, columns, [this, take](const SqliteRows& rows) { (this->*take)(rows); });
}

// Unknown tables become slices if they have thread and name; otherwise their rows are counted.
void NsightReader::read_other_tables() {
    // Known tables without events.
    constexpr std::array<std::string_view, 16> without_events = {
        "ENUM_",     "TARGET_INFO_",    "META_DATA_",        "ANALYSIS_",    "NVTX_PAYLOAD_",
        "StringIds", "PROCESSES",       "ProcessStreams",    "ThreadNames",  "CUDA_CALLCHAINS",
        "SAMPLING_", "OSRT_CALLCHAINS", "MPI_COMMUNICATORS", "NVTX_EVENTS_", "UnwindMethodType",
        "SYSTEM_"};
    std::string unknown;
    uint64_t rows = 0;
    for (const SqliteTable& table : file_.tables()) {
        if (known_tables_.contains(table.name) || is_stopped()) continue;
        if (std::ranges::any_of(without_events,
                                [&](auto start) { return table.name.starts_with(start); }))
            continue;
        const bool is_named = table.has("nameId") || table.has("textId") || table.has("name");
        if (table.has("start") && table.has("end") && table.has("globalTid") && is_named) {
            read_unknown(table);
            continue;
        }
        const uint64_t count = file_.count(table);
        if (count == 0) continue;
        rows += count;
        unknown += fmt::format("{}{} ({})", unknown.empty() ? "" : ", ", table.name, count);
    }
    if (rows > 0)
        builder_.warn("unknown_tables", Error::no_offset,
                      fmt::format("tables that are not shown, with their rows: {}", unknown));
}

void NsightReader::warn_of_graphs() {
    if (whole_graphs_ > 0)
        builder_.warn(
            "whole_graphs", Error::no_offset,
            fmt::format("{} graph launches were recorded as a whole, without their kernels; record "
                        "with nsys profile --cuda-graph-trace=node to see them",
                        whole_graphs_));
}

}  // namespace lanescope
