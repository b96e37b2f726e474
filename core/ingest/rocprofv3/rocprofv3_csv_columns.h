// The columns of rocprofv3's CSV files, and the kind of a file by its columns.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope {

enum class RocmColumn : uint8_t {
    kind,
    domain,
    function,
    operation,
    direction,
    guid,
    process,
    thread,
    correlation,
    begin,
    end,
    agent,
    queue,
    kernel,
    dispatch,
    lds_block,
    group_segment,
    vgprs,
    accumulation_vgprs,
    workgroup_x,
    workgroup_y,
    workgroup_z,
    grid_x,
    grid_y,
    grid_z,
    from_agent,
    to_agent,
    allocation_size,
    size,
    address,
    counter,
    value,
    node,
    logical_node,
    agent_type,
    name,
    product_name,
    sample,
    count,
};

enum class RocmCsvKind : uint8_t {
    agents,
    calls,
    kernels,
    copies,
    allocations,
    scratch,
    counters,
    other
};

// The index of each column in a file; -1: not present.
class RocmColumns {
  public:
    explicit RocmColumns(const std::vector<std::string>& header);

    bool has(RocmColumn column) const { return place_[static_cast<std::size_t>(column)] >= 0; }
    // Empty: the column is missing in the file or in the row.
    std::string_view text(const std::vector<std::string>& row, RocmColumn column) const;
    RocmCsvKind kind() const { return kind_; }
    const std::vector<std::string>& header() const { return header_; }

  private:
    RocmCsvKind find_kind() const;

    std::array<int, static_cast<std::size_t>(RocmColumn::count)> place_;
    std::vector<std::string> header_;
    RocmCsvKind kind_;
};

// The files that belong to the same run as the file at `path`: existing files with the same prefix.
std::vector<std::string> rocm_csv_companions(const std::string& path);
// "run" for "/tmp/run_kernel_trace.csv"; empty: none.
std::string rocm_csv_prefix(std::string_view path);

}  // namespace lanescope
