// Collectives on GPUs: what was sent, how fast, and how much of it no computing hid.
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

// Bytes of one element of PyTorch's dtype ("Float"), or nothing for other words.
std::optional<int64_t> bytes_of_dtype(std::string_view dtype);

// What algorithm bandwidth is multiplied with to give bus bandwidth, as nccl-tests do; nothing for
// a group of one, or of a size that is not known where it counts.
std::optional<double> bus_factor(CollectiveType type, int64_t group_size);

struct CollectiveRow {
    uint32_t activity = 0;   // row of Trace::gpu_activities
    uint32_t keys = kNoRow;  // row of Trace::collectives that says what was sent
    CollectiveType type = CollectiveType::unknown;
    int64_t bytes = kNoValue;  // of the message: the input, of an all-gather the output
    Nanos exposed = 0;         // no computing kernel runs on the device
};

// Collectives' kernels that begin in the range, in order of time.
std::vector<CollectiveRow> collective_rows(const TraceContext& context, const TableQuery& query);

Table collectives_table(const TraceContext& context, const TableQuery& query);

}  // namespace lanescope
