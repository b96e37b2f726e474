#include "core/analysis/table.h"

#include <algorithm>

namespace lanescope {

namespace {

bool unknown(const Cell& cell) {
    return std::holds_alternative<std::monostate>(cell);
}

bool is_text(const Cell& cell) {
    return std::holds_alternative<std::string>(cell);
}

}  // namespace

void Table::sort_by(std::size_t column, bool reversed) {
    std::stable_sort(rows_.begin(), rows_.end(), [&](const auto& row_a, const auto& row_b) {
        const Cell& a = row_a[column];
        const Cell& b = row_b[column];
        if (unknown(a) || unknown(b)) return !unknown(a) && unknown(b);
        const bool ascending = is_text(a) != reversed;
        return ascending ? a < b : b < a;
    });
}

void Table::keep_first(std::size_t count) {
    if (count < rows_.size()) rows_.resize(count);
}

std::optional<std::size_t> find_column(const TableSpec& spec, std::string_view name) {
    const auto found = std::find_if(spec.columns.begin(), spec.columns.end(),
                                    [&](const ColumnSpec& c) { return c.name == name; });
    if (found == spec.columns.end()) return std::nullopt;
    return static_cast<std::size_t>(found - spec.columns.begin());
}

Table columns_table(const TableSpec* only) {
    Table table(kColumnsTable);
    for (const TableSpec* spec : all_tables()) {
        if (only && spec != only) continue;
        for (const ColumnSpec& c : spec->columns) {
            const std::string_view unit = unit_name(c.unit);
            table.add_row(
                {std::string(spec->name), std::string(c.name), std::string(value_type_name(c.type)),
                 unit.empty() ? Cell() : Cell(std::string(unit)),
                 c.null.empty() ? Cell() : Cell(std::string(c.null)), std::string(c.definition)});
        }
    }
    return table;
}

}  // namespace lanescope
