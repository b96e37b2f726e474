#include "assets/samples/synthetic_device.h"

#include <algorithm>
#include <cmath>

namespace synthetic {

namespace {

constexpr int kRegistersPerSm = 65536;
constexpr int64_t kSharedPerSm = 167'936;
constexpr int64_t kSharedPerBlock = 49'152;
constexpr int64_t kReservedShared = 1024;
constexpr int kBlocksPerSm = 32;

int64_t round_up(int64_t n, int64_t step) {
    return (n + step - 1) / step * step;
}

}  // namespace

const std::string_view kDocumentHead = R"json({
  "schemaVersion": 1,
  "lanescope_synthetic": 1,
  "deviceProperties": [
    {
      "id": 0, "name": "Synthetic GPU (made up)", "totalGlobalMem": 17179869184,
      "computeMajor": 8, "computeMinor": 0,
      "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048,
      "regsPerBlock": 65536, "warpSize": 32,
      "sharedMemPerBlock": 49152, "numSms": 40,
      "regsPerMultiprocessor": 65536, "sharedMemPerBlockOptin": 166912, "sharedMemPerMultiprocessor": 167936
    }
  ],
  "cupti_version": 28, "cuda_runtime_version": 12090, "cuda_driver_version": 13000,
  "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2, "pg_count": 1, "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "pg_size": 2, "ranks": [0, 1]}], "nccl_version": "2.27.5"},
  "profile_memory": 1, "record_shapes": 1, "with_stack": 1, "with_modules": 1,
  "synthetic_note": "Made by make_synthetic_step: no such run, machine or device exists.",
  "displayTimeUnit": "ms", "baseTimeNanoseconds": 1783468800000000000,
  "traceEvents": [
)json";

const std::string_view kNamesOfRows =
    R"json(  {"name": "process_name", "ph": "M", "ts": 5184000000000.000, "pid": 4711, "tid": 0, "args": {"name": "synthetic training"}},
  {"name": "process_labels", "ph": "M", "ts": 5184000000000.000, "pid": 4711, "tid": 0, "args": {"labels": "CPU"}},
  {"name": "process_sort_index", "ph": "M", "ts": 5184000000000.000, "pid": 4711, "tid": 0, "args": {"sort_index": 4711}},
  {"name": "process_name", "ph": "M", "ts": 5184000000000.000, "pid": 0, "tid": 0, "args": {"name": "synthetic training"}},
  {"name": "process_labels", "ph": "M", "ts": 5184000000000.000, "pid": 0, "tid": 0, "args": {"labels": "GPU 0"}},
  {"name": "process_sort_index", "ph": "M", "ts": 5184000000000.000, "pid": 0, "tid": 0, "args": {"sort_index": 5000000}},
  {"name": "thread_name", "ph": "M", "ts": 5184000000000.000, "pid": 4711, "tid": 4711, "args": {"name": "thread 4711 (python)"}},
  {"name": "thread_sort_index", "ph": "M", "ts": 5184000000000.000, "pid": 4711, "tid": 4711, "args": {"sort_index": 4711}},
  {"name": "thread_name", "ph": "M", "ts": 5184000000000.000, "pid": 4711, "tid": 4788, "args": {"name": "thread 4788 (pt_autograd_0)"}},
  {"name": "thread_sort_index", "ph": "M", "ts": 5184000000000.000, "pid": 4711, "tid": 4788, "args": {"sort_index": 4788}},
  {"name": "thread_name", "ph": "M", "ts": 5184000000000.000, "pid": 0, "tid": 7, "args": {"name": "stream 7 "}},
  {"name": "thread_sort_index", "ph": "M", "ts": 5184000000000.000, "pid": 0, "tid": 7, "args": {"sort_index": 7}},
  {"name": "thread_name", "ph": "M", "ts": 5184000000000.000, "pid": 0, "tid": 20, "args": {"name": "stream 20 "}},
  {"name": "thread_sort_index", "ph": "M", "ts": 5184000000000.000, "pid": 0, "tid": 20, "args": {"sort_index": 20}},
  {"name": "thread_name", "ph": "M", "ts": 5184000000000.000, "pid": 0, "tid": 1000007, "args": {"name": "stream 7 (sync)"}},
  {"name": "thread_sort_index", "ph": "M", "ts": 5184000000000.000, "pid": 0, "tid": 1000007, "args": {"sort_index": 1000007}},
  {"name": "thread_name", "ph": "M", "ts": 5184000000000.000, "pid": 0, "tid": 1000020, "args": {"name": "stream 20 (sync)"}},
  {"name": "thread_sort_index", "ph": "M", "ts": 5184000000000.000, "pid": 0, "tid": 1000020, "args": {"sort_index": 1000020}},
  {"name": "process_name", "ph": "M", "ts": 5184000000000.000, "pid": -1, "tid": 0, "args": {"name": "CUPTI Overhead"}},
  {"name": "process_sort_index", "ph": "M", "ts": 5184000000000.000, "pid": -1, "tid": 0, "args": {"sort_index": 16777226}},
  {"name": "process_sort_index", "ph": "M", "ts": 5184000000000.000, "pid": "Spans", "tid": 0, "args": {"sort_index": 536870912}},
)json";

Nanos kernel_duration(int64_t flop, int64_t bytes, int percent) {
    const int64_t compute = flop / kFlopPerNano;
    const int64_t move = bytes / kBytesPerNano;
    return 1400 + std::max(compute, move) * 100 / percent;
}

int active_blocks_per_sm(const Kernel& kernel) {
    const int64_t threads = int64_t{kernel.block[0]} * kernel.block[1] * kernel.block[2];
    const int64_t warps = (threads + 31) / 32;
    const int64_t registers_per_warp = round_up(int64_t{kernel.registers} * 32, 256);
    const int64_t by_registers = kRegistersPerSm / 4 / registers_per_warp * 4 / warps;
    const int64_t by_shared =
        kernel.shared_bytes > kSharedPerBlock
            ? 0
            : kSharedPerSm / round_up(kernel.shared_bytes + kReservedShared, 128);
    return static_cast<int>(
        std::min({kThreadsPerSm / 32 / warps, by_registers, by_shared, int64_t{kBlocksPerSm}}));
}

int kineto_occupancy_percent(const Kernel& kernel) {
    const int threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
    const float blocks_per_sm =
        static_cast<float>(kernel.grid[0] * kernel.grid[1] * kernel.grid[2]) /
        static_cast<float>(kSms);
    const float resident =
        std::min(static_cast<float>(active_blocks_per_sm(kernel)), blocks_per_sm);
    const float occupancy =
        resident * static_cast<float>(threads) / static_cast<float>(kThreadsPerSm);
    return static_cast<int>(std::lround(100.0F * occupancy));
}

}  // namespace synthetic
