// Reads the records of a rocprofv3 JSON file.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ingest/format.h"
#include "core/ingest/rocprofv3/rocm_events.h"
#include "core/ingest/rocprofv3/rocprofv3_json_facts.h"

namespace lanescope {

// A source is an offset in the text plus kRocmOffsets × the index of the process in the file.
inline constexpr uint64_t kRocmOffsets = uint64_t{1} << 48;

// Calls new_process() for each process of the file, then visit(member) for each of its members,
// with `text` at the member's value; visit() must move past the value. False: see
// JsonWalk::members().
bool walk_rocm_processes(JsonWalk& text, const std::function<void()>& new_process,
                         const std::function<bool(std::string_view)>& visit);

class Rocprofv3JsonReader {
  public:
    Rocprofv3JsonReader(const ReadJob& job, TraceBuilder& builder);

    // Errors: the file cannot be read, or is not rocprofv3 JSON; cancelled.
    Result<void> run();

  private:
    struct ProcessState {
        RocmProcessFacts facts;
        LocalId process = 0;
        uint64_t first_source = 0;  // added to offsets
        bool is_known = false;      // `process` is set
        bool has_unread = false;    // records came before their names
        std::unordered_map<int64_t, LocalId> kernel_names;
        // Dispatches with a record, if counters were measured.
        std::unordered_set<int64_t> dispatches;
    };

    Result<void> pass(bool is_second);
    bool read_records(JsonWalk& text, ProcessState& state);
    bool read_list(JsonWalk& text, std::string_view list, ProcessState& state);
    void add_kernel(const RocmRecord& record, uint64_t source, ProcessState& state,
                    std::string_view word);
    void take_copy(const RocmRecord& record, uint64_t source, ProcessState& state);
    void take_allocation(const RocmRecord& record, uint64_t source, ProcessState& state);
    void take_call(const RocmRecord& record, uint64_t source, ProcessState& state,
                   std::string_view list);
    void take_counters(ProcessState& state);
    void know(ProcessState& state);
    LocalId kernel_name(int64_t kernel, ProcessState& state);
    void take_batch(const Batch& batch);
    bool is_stopped() const { return !stopped_ || job_.is_cancelled(); }
    void finish();

    const ReadJob& job_;
    TraceBuilder& builder_;
    TraceSink sink_;
    RocmEvents events_;
    std::deque<ProcessState> processes_;
    std::set<std::string> words_;             // names of lists
    std::map<std::string, uint64_t> unread_;  // records without times, by list
    const JsonWalk* text_ = nullptr;
    Result<void> stopped_;
    bool needs_second_ = false;
    std::optional<Error> damaged_;
};

}  // namespace lanescope
