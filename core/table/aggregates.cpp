#include "core/table/aggregates.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace lanescope {

namespace {

std::optional<double> number_of(const Cell& cell) {
    if (const auto* const n = std::get_if<int64_t>(&cell)) return static_cast<double>(*n);
    if (const auto* const x = std::get_if<double>(&cell)) return *x;
    return std::nullopt;
}

Cell sum_of(const Table& table, std::span<const uint32_t> rows, std::size_t column) {
    int64_t whole = 0;
    double real = 0;
    bool known = false;
    const bool is_real = table.spec().columns[column].type == ValueType::real;
    for (const uint32_t row : rows) {
        const Cell cell = table.cell(row, column);
        if (const auto* const n = std::get_if<int64_t>(&cell)) {
            if (__builtin_add_overflow(whole, *n, &whole)) return {};
        } else if (const auto* const x = std::get_if<double>(&cell)) {
            real += *x;
        } else {
            continue;
        }
        known = true;
    }
    if (!known) return {};
    return is_real ? cell_of(real + static_cast<double>(whole)) : Cell(whole);
}

Cell mean_of(const Table& table, std::span<const uint32_t> rows, std::size_t column) {
    const auto weights = find_column(table.spec(), table.spec().columns[column].aggregate.weight);
    if (!weights) return {};
    double sum = 0;
    double total = 0;
    for (const uint32_t row : rows) {
        const auto value = number_of(table.cell(row, column));
        const auto weight = number_of(table.cell(row, *weights));
        if (!value || !weight) continue;
        sum += *value * *weight;
        total += *weight;
    }
    return total > 0 ? cell_of(sum / total) : Cell();
}

Cell extreme_of(const Table& table, std::span<const uint32_t> rows, std::size_t column, bool max) {
    Cell best;
    for (const uint32_t row : rows) {
        const Cell cell = table.cell(row, column);
        if (std::holds_alternative<std::monostate>(cell)) continue;
        const bool better =
            std::holds_alternative<std::monostate>(best) ||
            (max ? *number_of(best) < *number_of(cell) : *number_of(cell) < *number_of(best));
        if (better) best = cell;
    }
    return best;
}

Cell common_value(const Table& table, std::span<const uint32_t> rows, std::size_t column,
                  std::deque<std::string>& texts) {
    const bool is_text = table.spec().columns[column].type == ValueType::text;
    if (rows.empty()) return {};
    const Cell first = table.cell(rows.front(), column);
    std::set<std::string_view> texts_known;
    bool is_missing = false;
    for (const uint32_t row : rows) {
        const Cell cell = table.cell(row, column);
        if (!is_text && !same_value(first, cell)) return {};
        if (const auto* const text = std::get_if<std::string_view>(&cell))
            texts_known.insert(*text);
        else
            is_missing = true;
    }
    const std::size_t count = texts_known.size() + (is_missing ? 1 : 0);
    if (!is_text || count < 2) return first;
    return std::string_view(texts.emplace_back(std::to_string(count) + " different"));
}

}  // namespace

Cell aggregate_of(const Table& table, std::span<const uint32_t> rows, std::size_t column,
                  std::deque<std::string>& texts) {
    switch (table.spec().columns[column].aggregate.how) {
        case Aggregate::How::none:
            return {};
        case Aggregate::How::sum:
            return sum_of(table, rows, column);
        case Aggregate::How::weighted_mean:
            return mean_of(table, rows, column);
        case Aggregate::How::min:
            return extreme_of(table, rows, column, false);
        case Aggregate::How::max:
            return extreme_of(table, rows, column, true);
        case Aggregate::How::distinct:
            return common_value(table, rows, column, texts);
    }
    return {};
}

ValueType aggregated_type(const ColumnSpec& column) {
    return column.aggregate.how == Aggregate::How::weighted_mean ? ValueType::real : column.type;
}

}  // namespace lanescope
