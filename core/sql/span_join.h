// The times at which spans of two tables overlap.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/nanos.h"

namespace lanescope {

enum class SpanJoinKind : uint8_t { inner, left, outer };

struct JoinedSpan {
    static constexpr uint32_t none = ~uint32_t{0};

    TimeRange range;
    int64_t partition = 0;
    uint32_t left = none;  // index of a span
    uint32_t right = none;
};

struct PartitionedSpan {
    TimeRange range;
    int64_t partition = 0;  // the same for all spans of a table without partitions
};

struct SpanTable {
    std::vector<PartitionedSpan> spans;
    bool partitioned = false;
};

// Every pair of spans of one partition that overlap, with the time that they share; spans of one
// table may overlap too. A table without partitions is joined with each partition of the other.
// `left`: also the times of left spans at which no right span is; `outer`: those of both. By
// (partition, time). Empty: there are more than `limit`.
std::optional<std::vector<JoinedSpan>> join_spans(const SpanTable& left, const SpanTable& right,
                                                  SpanJoinKind kind, std::size_t limit);

}  // namespace lanescope
