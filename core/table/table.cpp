#include "core/table/table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace lanescope {

namespace {

// Returns whether the cell has a value other than 0 and "unknown".
bool has_content(const Cell& cell) {
    if (const auto* const text = std::get_if<std::string_view>(&cell)) return *text != "unknown";
    if (const auto* const integer = std::get_if<int64_t>(&cell)) return *integer != 0;
    if (const auto* const real = std::get_if<double>(&cell)) return *real != 0;
    return !std::holds_alternative<std::monostate>(cell);
}

// A power of two, above the number of different kernel names in most traces.
constexpr std::size_t kRecent = 1024;

// The slot of a text or list of `size` at `data` among the recent ones.
std::size_t recent_place(const void* data, std::size_t size) {
    const auto address = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(data));
    return static_cast<std::size_t>((address + size * 31) * 0x9E3779B97F4A7C15ULL >> 54U) % kRecent;
}

template <typename T>
void pick(std::vector<T>& values, std::span<const uint32_t> rows) {
    if (values.empty()) return;
    std::vector<T> picked;
    picked.reserve(rows.size());
    for (const uint32_t row : rows) picked.push_back(values[row]);
    values = std::move(picked);
}

// Sorts rows by `before(a, b)`, unknown values last, stable.
template <typename Known, typename Before>
void order(std::vector<uint32_t>& rows, Known known, Before before) {
    const auto first_unknown = std::stable_partition(rows.begin(), rows.end(), known);
    std::stable_sort(rows.begin(), first_unknown, before);
}

}  // namespace

Table::Table(const TableSpec& spec) : spec_(&spec), columns_(spec.columns.size()) {
    for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].type = spec.columns[c].type;
}

Table::Table(const TableSpec& spec, std::vector<uint32_t> items,
             std::shared_ptr<const RowSource> source)
    : Table(spec) {
    items_ = std::move(items);
    source_ = std::move(source);
}

inline uint32_t Table::id_of(std::string_view text) {
    if (recent_texts_.empty()) recent_texts_.assign(kRecent, 0);
    uint32_t& recent = recent_texts_[recent_place(text.data(), text.size())];
    if (texts_[recent] != text) recent = texts_.intern(text);
    return recent;
}

inline uint32_t Table::id_of(std::span<const int64_t> values) {
    if (recent_lists_.empty()) recent_lists_.assign(kRecent, kUnknownId);
    const int64_t first = values.empty() ? 0 : values.front();
    uint32_t& recent = recent_lists_[static_cast<std::size_t>(first) % kRecent];
    if (recent == kUnknownId || !std::ranges::equal(list(recent), values)) {
        recent = static_cast<uint32_t>(list_ends_.size() - 1);
        list_values_.insert(list_values_.end(), values.begin(), values.end());
        list_ends_.push_back(list_values_.size());
    }
    return recent;
}

void Table::add_value(std::size_t column, const Cell& cell) {
    Values& values = columns_[column];
    switch (values.type) {
        case ValueType::integer: {
            const int64_t* const value = std::get_if<int64_t>(&cell);
            values.integers.push_back(value ? *value : kUnknownInteger);
            break;
        }
        case ValueType::real: {
            const double* const value = std::get_if<double>(&cell);
            values.reals.push_back(value ? *value : std::numeric_limits<double>::quiet_NaN());
            break;
        }
        case ValueType::text: {
            const auto* const value = std::get_if<std::string_view>(&cell);
            values.ids.push_back(value ? id_of(*value) : kUnknownId);
            break;
        }
        case ValueType::integers: {
            const auto* const value = std::get_if<std::span<const int64_t>>(&cell);
            values.ids.push_back(value ? id_of(*value) : kUnknownId);
            break;
        }
    }
}

Cell Table::cell(std::size_t row, std::size_t column) const {
    if (source_) return source_->cell(items_[row], column);
    const Values& values = columns_[column];
    switch (values.type) {
        case ValueType::integer:
            if (values.integers[row] == kUnknownInteger) return {};
            return values.integers[row];
        case ValueType::real:
            if (std::isnan(values.reals[row])) return {};
            return values.reals[row];
        case ValueType::text:
            if (values.ids[row] == kUnknownId) return {};
            return texts_[values.ids[row]];
        case ValueType::integers:
            if (values.ids[row] == kUnknownId) return {};
            return list(values.ids[row]);
    }
    return {};
}

bool Table::is_informative(std::size_t column) const {
    const bool must_differ =
        spec_->columns[column].priority == Priority::differing && row_count() > 1;
    for (std::size_t row = 0; row < row_count(); ++row) {
        const Cell value = cell(row, column);
        if (must_differ ? !same_value(value, cell(0, column)) : has_content(value)) return true;
    }
    return false;
}

Table Table::with_kept(std::size_t column) const {
    Table kept(*spec_);
    for (std::size_t row = 0; row < row_count(); ++row) kept.add_value(column, cell(row, column));
    kept.targets_.resize(row_count());
    return kept;
}

std::vector<uint32_t> Table::sorted_rows(std::size_t column, bool reversed) const {
    return source_ ? with_kept(column).order_of(column, reversed) : order_of(column, reversed);
}

std::vector<uint32_t> Table::order_of(std::size_t column, bool reversed) const {
    std::vector<uint32_t> rows(row_count());
    std::iota(rows.begin(), rows.end(), 0U);
    const Values& values = columns_[column];
    const auto known_id = [&](uint32_t row) { return values.ids[row] != kUnknownId; };
    switch (values.type) {
        case ValueType::integer:
            order(
                rows, [&](uint32_t row) { return values.integers[row] != kUnknownInteger; },
                [&](uint32_t a, uint32_t b) {
                    return reversed ? values.integers[a] < values.integers[b]
                                    : values.integers[b] < values.integers[a];
                });
            break;
        case ValueType::real:
            order(
                rows, [&](uint32_t row) { return !std::isnan(values.reals[row]); },
                [&](uint32_t a, uint32_t b) {
                    return reversed ? values.reals[a] < values.reals[b]
                                    : values.reals[b] < values.reals[a];
                });
            break;
        case ValueType::text:
            order(rows, known_id, [&](uint32_t a, uint32_t b) {
                const std::string_view text_a = texts_[values.ids[a]];
                const std::string_view text_b = texts_[values.ids[b]];
                return reversed ? text_b < text_a : text_a < text_b;
            });
            break;
        case ValueType::integers:
            order(rows, known_id, [&](uint32_t a, uint32_t b) {
                const auto list_a = list(values.ids[a]);
                const auto list_b = list(values.ids[b]);
                return reversed ? std::ranges::lexicographical_compare(list_a, list_b)
                                : std::ranges::lexicographical_compare(list_b, list_a);
            });
            break;
    }
    return rows;
}

void Table::sort_by(std::size_t column, bool reversed) {
    keep_rows(sorted_rows(column, reversed));
}

void Table::keep_rows(std::span<const uint32_t> rows) {
    for (Values& values : columns_) {
        pick(values.integers, rows);
        pick(values.reals, rows);
        pick(values.ids, rows);
    }
    pick(targets_, rows);
    pick(items_, rows);
}

Table Table::picked(std::span<const uint32_t> rows) const {
    Table table(*spec_);
    if (source_) {
        table.source_ = source_;
        table.items_ = items_;
        pick(table.items_, rows);
        return table;
    }
    for (const uint32_t row : rows) {
        for (std::size_t c = 0; c < column_count(); ++c) table.add_value(c, cell(row, c));
        table.targets_.push_back(targets_[row]);
    }
    return table;
}

void Table::keep_first(std::size_t count) {
    if (count >= row_count()) return;
    for (Values& values : columns_) {
        values.integers.resize(std::min(values.integers.size(), count));
        values.reals.resize(std::min(values.reals.size(), count));
        values.ids.resize(std::min(values.ids.size(), count));
    }
    targets_.resize(std::min(targets_.size(), count));
    items_.resize(std::min(items_.size(), count));
}

std::optional<std::size_t> find_column(const TableSpec& spec, std::string_view key) {
    const auto found = std::find_if(spec.columns.begin(), spec.columns.end(),
                                    [&](const ColumnSpec& c) { return c.key == key; });
    if (found == spec.columns.end()) return std::nullopt;
    return static_cast<std::size_t>(found - spec.columns.begin());
}

}  // namespace lanescope
