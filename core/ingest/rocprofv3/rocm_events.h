// RocmEvents: the data that rocprofv3 records, in any of its file formats: GPU work, calls, ranges,
// memory and measured counters. Work is kept until the end of the file, because it is unordered and
// is placed in lanes by time.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ingest/build/trace_sink.h"

namespace lanescope {

enum class RocmWorkKind : uint8_t { kernel, copy };

struct RocmWork {
    Nanos begin = 0;
    Nanos end = 0;
    LocalId process = 0;  // launching process
    LocalId name = 0;
    int64_t queue = kNoValue;
    int64_t correlation = kNoValue;
    int64_t bytes = kNoValue;
    uint64_t source = 0;
    int32_t device = 0;
    RocmWorkKind kind = RocmWorkKind::kernel;
    LaunchConfig config = {};
    std::string_view word = {};  // the file's word for such events; a constant
};

struct RocmCall {
    Nanos begin = 0;
    Nanos end = 0;
    LocalId process = 0;
    int64_t thread = 0;
    LocalId name = 0;
    int64_t correlation = kNoValue;
    uint64_t source = 0;
    std::string_view word = {};
};

struct RocmAllocation {
    Nanos time = 0;
    LocalId process = 0;
    int32_t device = -1;  // -1: host memory, or unknown
    bool is_free = false;
    int64_t address = 0;
    int64_t bytes = 0;  // bytes; not stated for a release
    uint64_t source = 0;
    std::string_view word = {};
};

// A counter measured while a kernel ran, or a value of a device at a time.
struct RocmValue {
    Nanos begin = 0;
    Nanos end = 0;  // if equal to `begin`, the value holds until the next value
    LocalId process = 0;
    int32_t device = -1;  // -1: belongs to the process
    LocalId name = 0;
    double value = 0;
    uint64_t source = 0;
};

// The kind of a call, from the domain in the file: "HIP_RUNTIME_API_EXT", "MARKER_CORE_API".
enum class RocmDomain : uint8_t { hip, hsa, rccl, marker, scratch, other };
RocmDomain rocm_domain(std::string_view domain);

// Larger times are damaged.
inline constexpr int64_t kMostRocmNanos = 4'000'000'000'000'000'000;
inline bool is_rocm_time(int64_t time) {
    return time > -kMostRocmNanos && time < kMostRocmNanos;
}

// "Memcpy HtoD (Host -> Device)" for "MEMORY_COPY_HOST_TO_DEVICE"; other texts unchanged.
std::string rocm_copy_name(std::string_view operation);
// A kernel's name without additions of compilers: mangling, " [clone .kd]", ".kd".
std::string rocm_kernel_name(std::string_view name);
// The number of blocks of a launch, from its work-items.
LaunchConfig rocm_config(const int64_t (&grid)[3], const int64_t (&workgroup)[3]);
// "python3 train.py", from the words of a command.
std::string rocm_process_name(const std::vector<std::string>& command);

class RocmEvents {
  public:
    explicit RocmEvents(TraceSink& sink) : sink_(sink) {}

    void add(const RocmWork& work) { work_.push_back(work); }
    void add(const RocmAllocation& allocation) { allocations_.push_back(allocation); }
    void add(const RocmValue& value) { values_.push_back(value); }
    void add(const RocmCall& call, RocmDomain domain);
    // Adds a range or mark. `is_of_process`: its ends may be on different threads.
    void add_marker(const RocmCall& marker, bool is_of_process);
    void add_unreadable(uint64_t source, std::string_view word);
    // Names a queue. Queues without a name show their number.
    void name_queue(LocalId process, int64_t queue, std::string name) {
        queue_names_[{process, queue}] = std::move(name);
    }
    // Names a thread. Call it before the thread's first event.
    void name_thread(LocalId process, int64_t tid, std::string_view name) {
        thread_names_.try_emplace({process, tid}, name);
    }
    // The GPUs with work.
    const std::set<std::pair<LocalId, int32_t>>& devices() const { return devices_; }
    // Places the collected work in lanes. Call it once, at the end.
    void finish();

  private:
    struct Queue {
        LocalId device = 0;
        std::vector<Nanos> ends;  // ends of the work in each lane
        std::vector<LocalId> lanes;
    };

    LocalId thread(const RocmCall& call);
    LocalId lane_for(const RocmWork& work);
    uint32_t add_slice(LocalId lane, Nanos begin, Nanos end, LocalId name,
                       const CategoryWord& category, uint64_t source, std::string_view word);
    void finish_work();
    void finish_allocations();
    void finish_values();

    TraceSink& sink_;
    std::vector<RocmWork> work_;
    std::vector<RocmAllocation> allocations_;
    std::vector<RocmValue> values_;
    std::map<std::pair<LocalId, int64_t>, LocalId> threads_;
    std::map<std::pair<LocalId, int64_t>, std::string> queue_names_, thread_names_;
    std::map<std::pair<std::pair<LocalId, int32_t>, int64_t>, Queue> queues_;
    std::set<std::pair<LocalId, int32_t>> devices_;
};

}  // namespace lanescope
