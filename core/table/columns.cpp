#include "core/table/columns.h"

#include <algorithm>
#include <numeric>

namespace lanescope {

std::vector<std::size_t> by_usefulness(std::span<const ColumnSpec> columns) {
    std::vector<std::size_t> order(columns.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.empty()) return order;
    std::ranges::stable_sort(std::span(order).subspan(1), {},
                             [&](std::size_t c) { return columns[c].priority; });
    return order;
}

bool is_doubt(std::span<const ColumnSpec> columns, std::string_view key) {
    return std::ranges::any_of(columns, [&](const ColumnSpec& column) {
        return std::ranges::find(column.doubts, key) != column.doubts.end();
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

std::string aggregate_name(const Aggregate& aggregate) {
    switch (aggregate.how) {
        case Aggregate::How::none:
            return "";
        case Aggregate::How::sum:
            return "sum";
        case Aggregate::How::weighted_mean:
            return "mean by " + std::string(aggregate.weight);
        case Aggregate::How::min:
            return "min";
        case Aggregate::How::max:
            return "max";
        case Aggregate::How::distinct:
            return "distinct";
    }
    return "";
}

bool same_value(const Cell& a, const Cell& b) {
    if (a.index() != b.index()) return false;
    if (std::holds_alternative<std::monostate>(a)) return true;
    if (const auto* const list = std::get_if<std::span<const int64_t>>(&a))
        return std::ranges::equal(*list, std::get<std::span<const int64_t>>(b));
    if (const auto* const text = std::get_if<std::string_view>(&a))
        return *text == std::get<std::string_view>(b);
    if (const auto* const integer = std::get_if<int64_t>(&a))
        return *integer == std::get<int64_t>(b);
    return std::get<double>(a) == std::get<double>(b);
}

}  // namespace lanescope
