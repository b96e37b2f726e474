// Reads rocprofv3's CSV files of one run.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ingest/format.h"
#include "core/ingest/rocprofv3/csv_rows.h"
#include "core/ingest/rocprofv3/rocm_events.h"
#include "core/ingest/rocprofv3/rocprofv3_csv_columns.h"

namespace lanescope {

// A source is an offset in a file plus kRocmCsvOffsets × the index of the file: 0 is the opened
// file, the others follow in the order of TraceInput::companions.
inline constexpr uint64_t kRocmCsvOffsets = uint64_t{1} << 44;

std::shared_ptr<InputFile> rocm_csv_file(const TraceInput& input, uint64_t number);
Compression rocm_csv_compression(const TraceInput& input, uint64_t number);

class Rocprofv3CsvReader {
  public:
    Rocprofv3CsvReader(const ReadJob& job, TraceBuilder& builder);

    // Errors: the opened file cannot be read, or cancelled.
    Result<void> run();

  private:
    using Row = std::vector<std::string>;
    struct File {
        uint64_t number;
        std::string name;
        RocmCsvKind kind;
    };

    bool open(uint64_t number);
    Result<void> read(const File& file);
    void take(const Row& row, RocmCsvKind kind);
    void take_agent(const Row& row);
    void take_call(const Row& row);
    void take_kernel(const Row& row);
    void take_copy(const Row& row);
    void take_allocation(const Row& row);
    void take_scratch(const Row& row);
    void take_counter(const Row& row);
    void take_batch(const Batch& batch);
    void add_devices();
    LocalId process(const Row& row);
    // The ordinal in "Agent 4" or "GPU 0"; -1: a CPU, or not an agent.
    int32_t gpu(std::string_view agent) const;
    int64_t number(const Row& row, RocmColumn column, int64_t none = kNoValue) const;
    std::string_view text(const Row& row, RocmColumn column) const {
        return columns_->text(row, column);
    }
    LaunchConfig config(const Row& row) const;
    bool is_stopped() const { return !stopped_ || job_.is_cancelled(); }

    const ReadJob& job_;
    TraceBuilder& builder_;
    TraceSink sink_;
    RocmEvents events_;
    std::vector<File> files_;
    const RocmColumns* columns_ = nullptr;  // of the current file
    uint64_t source_ = 0;                   // of the current row
    std::set<std::string> words_;
    std::string default_pid_;
    std::map<std::string, std::string, std::less<>> pid_of_guid_;
    std::map<std::string, LocalId, std::less<>> kernel_names_;
    std::map<int64_t, Device> agents_;  // GPUs by node
    std::map<int64_t, int64_t> node_of_logical_;
    std::set<int64_t> cpu_nodes_;
    std::set<std::pair<std::string, int64_t>> dispatches_;                       // with a kernel
    std::set<std::pair<std::pair<std::string, int64_t>, int64_t>> of_counters_;  // added
    Result<void> stopped_;
};

}  // namespace lanescope
