// Collectives: what was sent, how fast, and how much of the time no computation hid.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/analysis/context.h"
#include "core/table/query.h"
#include "core/table/table.h"

namespace lanescope {

extern const TableOf<struct CollectiveTableRow> kCollectivesTable;

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

// Parses a "Collective name" ("_allgather_base"), an annotation ("nccl:all_reduce") or a kernel's
// name.
CollectiveType collective_type_of(std::string_view name);

// Bytes per element of PyTorch's dtype ("Float", or "float" for an operator's inputs); empty for
// other words.
std::optional<int64_t> bytes_of_dtype(std::string_view dtype);

// The factor from algorithm bandwidth to bus bandwidth, as defined by nccl-tests; empty for a group
// of one, or for an unknown group size if the factor depends on it.
std::optional<double> bus_factor(CollectiveType type, int64_t group_size);

// NCCL's algorithm and protocol, from the kernel's name: "RING", "NVLS"; "LL", "LL128", "SIMPLE".
// Empty: not in the name.
struct KernelVariant {
    std::string_view algorithm;
    std::string_view protocol;
};
KernelVariant kernel_variant(std::string_view kernel);

struct CollectiveRow {
    SliceRef slice;              // the kernel, or Gloo's call
    SliceRef launch;             // of the kernel; none: unknown, or Gloo
    uint32_t activity = kNoRow;  // row of Trace::gpu_activities; kNoRow: on the CPU
    uint32_t keys = kNoRow;      // row of Trace::collectives that says what was sent
    CollectiveType type = CollectiveType::unknown;
    std::string_view dtype;  // of an element; empty: unknown
    int64_t in_elements = kNoValue;
    int64_t out_elements = kNoValue;
    int64_t group_size = kNoValue;
    int64_t bytes = kNoValue;  // message size: the input; for gathers the output
    double bus_factor = 0;     // multiplier of algorithm bandwidth; NaN: unknown
    Nanos exposed = kNoValue;  // without a computing kernel on the device; kNoValue: on the CPU
};

// Kernels of collectives, and Gloo's calls, that begin in the range, sorted by time.
std::vector<CollectiveRow> collective_rows(const TraceContext& context, const TableQuery& query);

// The collectives of the whole trace.
struct AllCollectives {
    std::vector<CollectiveRow> rows;

    static AllCollectives compute(const TraceContext& context);
};

Table collectives_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
