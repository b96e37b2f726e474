#include "core/table/columns.h"

#include <algorithm>

namespace lanescope {

bool is_doubt(std::span<const ColumnSpec> columns, std::string_view name) {
    return std::ranges::any_of(columns, [&](const ColumnSpec& column) {
        return std::ranges::find(column.doubts, name) != column.doubts.end();
    });
}

std::string_view value_type_name(ValueType type) {
    switch (type) {
        case ValueType::text:
            return "text";
        case ValueType::integer:
            return "integer";
        case ValueType::real:
            return "number";
        case ValueType::integers:
            return "list of integers";
    }
    return "";
}

std::string_view unit_name(Unit unit) {
    switch (unit) {
        case Unit::none:
            return "";
        case Unit::count:
            return "count";
        case Unit::nanoseconds:
            return "ns";
        case Unit::bytes:
            return "bytes";
        case Unit::flop:
            return "FLOP";
        case Unit::ratio:
            return "ratio 0-1";
    }
    return "";
}

}  // namespace lanescope
