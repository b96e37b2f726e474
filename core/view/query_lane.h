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

// What the rows of a table with these columns can become: slices if both are possible. `ts` and
// `dur` are whole numbers in ns, `value` is a number.
QueryLaneKind query_lane_kind(const TableSpec& spec);

struct QuerySlice {
    TimeRange range;    // absolute
    uint32_t name = 0;  // of QueryLane::names
};

struct QueryLane {
    std::string name;
    QueryLaneKind kind = QueryLaneKind::none;
    // Slices by depth: those of one depth are ascending and do not overlap. A slice that overlaps
    // others is below them.
    std::vector<std::vector<QuerySlice>> depths;
    std::vector<std::string> names;
    // Samples of a counter, ascending; each value holds until the next sample.
    std::vector<Nanos> times;
    std::vector<double> values;
    double min = 0, max = 0;
    std::size_t shown = 0;     // rows that became slices or samples
    std::size_t left_out = 0;  // rows without a time of the trace, or beyond kMostQueryDepths

    // The first slice of a depth that ends after `time`, as an index; the number of slices if there
    // is none.
    std::size_t first_after(std::size_t depth, Nanos time) const;
    // Empty before the first sample.
    std::optional<double> value_at(Nanos time) const;
};
using QueryLanePtr = std::shared_ptr<const QueryLane>;

inline constexpr std::size_t kMostQueryDepths = 64;

// `span`: of the trace. Rows of other times are left out. Null if the table has no such columns, or
// no row is left.
QueryLanePtr make_query_lane(const Table& table, std::string name, TimeRange span);

}  // namespace lanescope
