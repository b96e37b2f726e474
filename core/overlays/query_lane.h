// QueryLane: a lane made of the rows of a table, such as the result of a query. It is shown with
// the lanes of the trace, but is not a part of the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/nanos.h"
#include "core/table/table.h"

namespace lanescope {

enum class QueryLaneKind : uint8_t {
    none,
    slices,   // of rows with `ts`, `dur` and `name`
    counter,  // of rows with `ts` and `value`
};

// Returns the kind of lane that a table with these columns makes: slices if the columns allow both
// kinds. `ts` and `dur` must be whole numbers in ns, and `value` a number.
QueryLaneKind query_lane_kind(const TableSpec& spec);

struct QuerySlice {
    TimeRange range;    // in ns, on the clock of the trace
    uint32_t name = 0;  // index in QueryLane::names
};

struct QueryLane {
    std::string name;
    QueryLaneKind kind = QueryLaneKind::none;
    // The slices of each depth are in order of time and do not overlap. A slice that overlaps an
    // earlier one has a greater depth.
    std::vector<std::vector<QuerySlice>> depths;
    std::vector<std::string> names;
    // The samples of a counter in order of time; each value holds until the next sample.
    std::vector<Nanos> times;
    std::vector<double> values;
    double min = 0, max = 0;
    std::size_t shown = 0;     // rows that became slices or samples
    std::size_t left_out = 0;  // rows without a time of the trace, or beyond kMostQueryDepths

    // Returns the index of the first slice of a depth that ends after `time`; the number of slices
    // if none does.
    std::size_t first_after(std::size_t depth, Nanos time) const;
    // Returns the value of the counter at `time`; no value before the first sample.
    std::optional<double> value_at(Nanos time) const;
};
using QueryLanePtr = std::shared_ptr<const QueryLane>;

inline constexpr std::size_t kMostQueryDepths = 64;

// Makes a lane of the rows whose times are in `span`, the range of the trace. Returns null if the
// columns make no lane, or if no row has a time of the trace.
QueryLanePtr make_query_lane(const Table& table, std::string name, TimeRange span);

}  // namespace lanescope
