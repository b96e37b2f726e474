#include "core/ingest/rocprofv3/rocprofv3_csv_columns.h"

#include <algorithm>
#include <filesystem>

#include "core/ingest/rocprofv3/csv_rows.h"

namespace lanescope {

namespace {

constexpr std::size_t kRocmColumnCount = static_cast<std::size_t>(RocmColumn::count);

constexpr std::array<std::string_view, kRocmColumnCount> kRocmColumnNames = {
    "kind",
    "domain",
    "function",
    "operation",
    "direction",
    "guid",
    "process_id",
    "thread_id",
    "correlation_id",
    "start_timestamp",
    "end_timestamp",
    "agent_id",
    "queue_id",
    "kernel_name",
    "dispatch_id",
    "lds_block_size",
    "group_segment_size",
    "vgpr_count",
    "accum_vgpr_count",
    "workgroup_size_x",
    "workgroup_size_y",
    "workgroup_size_z",
    "grid_size_x",
    "grid_size_y",
    "grid_size_z",
    "source_agent_id",
    "destination_agent_id",
    "allocation_size",
    "size",
    "address",
    "counter_name",
    "counter_value",
    "node_id",
    "logical_node_id",
    "agent_type",
    "name",
    "product_name",
    "sample_timestamp",
};

constexpr std::array<std::string_view, 14> kRocmCsvEnds = {
    "kernel_trace",         "hip_api_trace",      "hsa_api_trace",     "marker_api_trace",
    "rccl_api_trace",       "memory_copy_trace",  "agent_info",        "memory_allocation_trace",
    "scratch_memory_trace", "counter_collection", "rocjpeg_api_trace", "rocdecode_api_trace",
    "hipfile_api_trace",    "rocshmem_api_trace"};
constexpr std::array<std::string_view, 3> kRocmCsvEndings = {".csv", ".csv.gz", ".csv.zst"};

std::string_view file_name(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Splits "run_kernel_trace.csv" into "run_" and "kernel_trace". False: another kind of name.
bool split_name(std::string_view name, std::string_view& prefix, std::string_view& end) {
    for (const std::string_view ending : kRocmCsvEndings)
        for (const std::string_view known : kRocmCsvEnds) {
            if (!name.ends_with(ending)) continue;
            const std::string_view stem = name.substr(0, name.size() - ending.size());
            if (!stem.ends_with(known)) continue;
            prefix = stem.substr(0, stem.size() - known.size());
            end = known;
            if (prefix.empty() || prefix.ends_with('_')) return true;
        }
    return false;
}

}  // namespace

RocmColumns::RocmColumns(const std::vector<std::string>& header) : header_(header) {
    for (std::size_t i = 0; i < kRocmColumnCount; ++i)
        place_[i] = csv_column(header, kRocmColumnNames[i]);
    kind_ = find_kind();
}

RocmCsvKind RocmColumns::find_kind() const {
    using C = RocmColumn;
    if (has(C::counter) && has(C::value) && has(C::dispatch)) return RocmCsvKind::counters;
    if (has(C::agent_type) && has(C::node)) return RocmCsvKind::agents;
    if (!has(C::begin) || !has(C::end)) return RocmCsvKind::other;
    if (has(C::kernel)) return RocmCsvKind::kernels;
    if (has(C::function)) return RocmCsvKind::calls;
    if (has(C::direction)) return RocmCsvKind::copies;
    if (has(C::operation) && has(C::address)) return RocmCsvKind::allocations;
    if (has(C::operation) && has(C::thread)) return RocmCsvKind::scratch;
    return RocmCsvKind::other;
}

std::string_view RocmColumns::text(const std::vector<std::string>& row, RocmColumn column) const {
    const int place = place_[static_cast<std::size_t>(column)];
    if (place < 0 || static_cast<std::size_t>(place) >= row.size()) return {};
    return row[static_cast<std::size_t>(place)];
}

std::vector<std::string> rocm_csv_companions(const std::string& path) {
    const std::string_view name = file_name(path);
    const std::string folder = path.substr(0, path.size() - name.size());
    std::string_view prefix;
    std::string_view own;
    std::vector<std::string> found;
    if (!split_name(name, prefix, own)) return found;
    for (const std::string_view end : kRocmCsvEnds)
        for (const std::string_view ending : kRocmCsvEndings) {
            if (end == own) continue;
            std::string other = folder;
            other += prefix;
            other += end;
            other += ending;
            std::error_code failed;
            if (!std::filesystem::is_regular_file(other, failed)) continue;
            found.push_back(std::move(other));
            break;
        }
    return found;
}

std::string rocm_csv_prefix(std::string_view path) {
    std::string_view prefix;
    std::string_view end;
    if (!split_name(file_name(path), prefix, end) || prefix.empty()) return {};
    return std::string(prefix.substr(0, prefix.size() - 1));
}

}  // namespace lanescope
