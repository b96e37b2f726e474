#include "core/sql/indexed_table.h"

#include <algorithm>

namespace lanescope {

namespace {

constexpr std::size_t kFewRows = 16;  // that are looked at faster than an index is made

}  // namespace

template <typename Value>
IndexedTable::Index<Value> IndexedTable::make_index(std::size_t column) const {
    std::vector<std::pair<Value, uint32_t>> pairs;
    for (std::size_t row = 0; row < table_.row_count(); ++row) {
        const Cell cell = table_.cell(row, column);
        if (const auto* const value = std::get_if<Value>(&cell))
            pairs.emplace_back(*value, static_cast<uint32_t>(row));
    }
    if (!std::is_sorted(pairs.begin(), pairs.end())) std::sort(pairs.begin(), pairs.end());
    Index<Value> index;
    index.values.reserve(pairs.size());
    index.rows.reserve(pairs.size());
    for (const auto& [value, row] : pairs) {
        index.values.push_back(value);
        index.rows.push_back(row);
    }
    return index;
}

template <typename Value>
std::span<const uint32_t> IndexedTable::rows_with(std::map<std::size_t, Index<Value>>& indexes,
                                                  std::size_t column, const Value& value) const {
    const auto [place, added] = indexes.try_emplace(column);
    if (added) place->second = make_index<Value>(column);
    const auto [begin, end] =
        std::equal_range(place->second.values.begin(), place->second.values.end(), value);
    return std::span(place->second.rows)
        .subspan(static_cast<std::size_t>(begin - place->second.values.begin()),
                 static_cast<std::size_t>(end - begin));
}

std::span<const uint32_t> IndexedTable::ordered(std::size_t column) {
    const auto [place, added] = orders_.try_emplace(column);
    std::vector<uint32_t>& rows = place->second;
    if (!added) return rows;
    for (std::size_t row = 0; row < table_.row_count(); ++row)
        if (std::holds_alternative<std::monostate>(table_.cell(row, column)))
            rows.push_back(static_cast<uint32_t>(row));
    const auto add = [&]<typename Value>(std::map<std::size_t, Index<Value>>& indexes) {
        auto& index = indexes[column];
        if (index.rows.empty()) index = make_index<Value>(column);
        rows.insert(rows.end(), index.rows.begin(), index.rows.end());
    };
    if (table_.spec().columns[column].type == ValueType::text)
        add(of_texts_);
    else
        add(of_numbers_);
    return rows;
}

std::optional<std::span<const uint32_t>> IndexedTable::find(std::size_t column, const Cell& value) {
    if (table_.row_count() <= kFewRows || ++searches_[column] == 1) return std::nullopt;
    const ValueType type = table_.spec().columns[column].type;
    if (const auto* const number = std::get_if<int64_t>(&value))
        if (type == ValueType::integer) return rows_with(of_numbers_, column, *number);
    if (const auto* const text = std::get_if<std::string_view>(&value))
        if (type == ValueType::text) return rows_with(of_texts_, column, *text);
    return std::nullopt;
}

}  // namespace lanescope
