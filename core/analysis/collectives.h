// Collectives: what was sent, how fast, and how much of it no computing hid.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/analysis/tables.h"

namespace lanescope {

extern const TableSpec kCollectivesTable;

enum class CollectiveType : uint8_t {
    unknown,
    all_reduce,
    all_gather,
    reduce_scatter,
    all_to_all,
    broadcast,
    reduce,
    gather,
    scatter,
    send_receive,
    barrier,
};
std::string_view collective_type_name(CollectiveType type);  // empty when unknown

// From a "Collective name" ("_allgather_base"), an annotation ("nccl:all_reduce") or a kernel.
CollectiveType collective_type_of(std::string_view name);

// Bytes of one element of PyTorch's dtype ("Float", or "float" as of an operator's inputs), or
// nothing for other words.
std::optional<int64_t> bytes_of_dtype(std::string_view dtype);

// What algorithm bandwidth is multiplied with to give bus bandwidth, as nccl-tests do; nothing for
// a group of one, or of a size that is not known where it counts.
std::optional<double> bus_factor(CollectiveType type, int64_t group_size);

// How NCCL did it, from the name of its kernel: "RING", "NVLS"; and "LL", "LL128", "SIMPLE". Empty:
// the name does not say.
struct KernelVariant {
    std::string_view algorithm;
    std::string_view protocol;
};
KernelVariant kernel_variant(std::string_view kernel);

struct CollectiveRow {
    SliceRef slice;              // the kernel, or Gloo's call
    SliceRef launch;             // of the kernel; none: not known, or of Gloo
    uint32_t activity = kNoRow;  // row of Trace::gpu_activities; kNoRow: on the CPU
    uint32_t keys = kNoRow;      // row of Trace::collectives that says what was sent
    CollectiveType type = CollectiveType::unknown;
    std::string_view dtype;  // of an element; empty: not known
    int64_t in_elements = kNoValue;
    int64_t out_elements = kNoValue;
    int64_t group_size = kNoValue;
    int64_t bytes = kNoValue;  // of the message: the input, of (all-)gathers the output
    double bus_factor = 0;     // of its algorithm bandwidth; NaN: not known
    Nanos exposed = kNoValue;  // no computing kernel runs on the device; kNoValue: on the CPU
};

// Collectives' kernels, and Gloo's calls, that begin in the range, in order of time.
std::vector<CollectiveRow> collective_rows(const TraceContext& context, const TableQuery& query);

Table collectives_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
