#include "core/report/report_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>
#include <vector>

#include "core/export/tables/table_writer.h"
#include "core/report/page_text.h"

namespace lanescope {

namespace {

constexpr std::size_t kColumnsShown = 12;

// The cell's number for sorting; empty: it is a text, or unknown.
std::string sort_key(const Cell& cell) {
    if (const auto* const integer = std::get_if<int64_t>(&cell)) return std::to_string(*integer);
    if (const auto* const real = std::get_if<double>(&cell))
        return std::isfinite(*real) ? fmt::format("{}", *real) : "";
    return "";
}

std::vector<std::size_t> shown_columns(const Table& table) {
    std::vector<std::size_t> shown;
    for (const std::size_t column : by_usefulness(table.spec().columns)) {
        const ColumnSpec& spec = table.spec().columns[column];
        if (column != 0 && (spec.priority == Priority::detail || !table.is_informative(column) ||
                            is_shown_elsewhere(table.spec(), column)))
            continue;
        if (shown.size() < kColumnsShown) shown.push_back(column);
    }
    return shown;
}

// The column with short names of kernels, which are shown instead of their names.
std::optional<std::size_t> short_names(const Table& table) {
    for (std::size_t column = 0; column < table.column_count(); ++column)
        if (table.spec().columns[column].key == "short_name") return column;
    return {};
}

}  // namespace

std::string html_table(const Table& table, std::string_view id, std::size_t most) {
    const std::vector<std::size_t> shown = shown_columns(table);
    const std::optional<std::size_t> short_name = short_names(table);
    std::string out = fmt::format("<div class=\"scroll\"><table id=\"{}\">\n<thead><tr>", id);
    const auto is_number = [&](std::size_t column) {
        return table.spec().columns[column].type != ValueType::text;
    };
    for (const std::size_t column : shown) {
        const ColumnSpec& spec = table.spec().columns[column];
        out += fmt::format("<th{} title=\"{}\">{}</th>", is_number(column) ? " class=\"n\"" : "",
                           html_escaped(spec.definition), html_escaped(head_for_people(spec)));
    }
    out += "</tr></thead>\n<tbody>\n";
    for (std::size_t row = 0; row < std::min(table.row_count(), most); ++row) {
        out += "<tr>";
        for (const std::size_t column : shown) {
            const std::string text = html_escaped(format_cell(table, row, column));
            if (is_number(column))
                out += fmt::format("<td class=\"n\" data-v=\"{}\">{}</td>",
                                   sort_key(table.cell(row, column)), text);
            else
                out += fmt::format("<td title=\"{}\">{}</td>", text,
                                   short_name && table.spec().columns[column].key == "name"
                                       ? html_escaped(format_cell(table, row, *short_name))
                                       : text);
        }
        out += "</tr>\n";
    }
    out += "</tbody></table></div>\n";
    if (table.row_count() > most)
        out +=
            fmt::format("<p class=\"low\">The first {} of {} rows.</p>\n", most, table.row_count());
    return out;
}

}  // namespace lanescope
